// The sessions of a lane: opened, handshaken, proved, closed.
#include <tlsrig/workloads/engine/lane.hpp>

#include <algorithm>
#include <utility>

#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

ContextPair make_contexts(const Assignment& assignment) {
  return {make_context(assignment, TLSRIG_CLIENT), make_context(assignment, TLSRIG_SERVER)};
}

Lane::Lane(const Assignment& assignment, std::uint32_t number, std::shared_ptr<const ContextPair> contexts)
    : assignment_(assignment),
      message_size_(assignment.settings.engine.message_size),
      client_end_{assignment.client->name(), "client", number},
      server_end_{assignment.server->name(), "server", number},
      pattern_(number, Direction::to_server),
      client_options_(context_options(assignment, TLSRIG_CLIENT)),
      server_options_(context_options(assignment, TLSRIG_SERVER)),
      contexts_(std::move(contexts)),
      message_(Layout(assignment.placement_seed).make(Purpose::message, message_size_)),
      received_(Layout(assignment.placement_seed).make(Purpose::receive, message_size_)),
      to_server_{Layout(assignment.placement_seed).make(Purpose::wire_in, flow_size), client_wire_, server_wire_},
      to_client_{Layout(assignment.placement_seed).make(Purpose::wire_out, flow_size), server_wire_, client_wire_},
      staging_(assignment.settings.engine.buffers, Layout(assignment.placement_seed),
               std::min<std::size_t>(message_size_, TLSRIG_WRITE_MAX)),
      resumption_(host::Resumption::of(*assignment.client)) {}

template <class Watch>
void Lane::close(Watch& watch) noexcept {
  client_.reset();
  watch.client();
  server_.reset();
  watch.server();
}

template <class Watch>
void Lane::open(Watch& watch) {
  begin(watch);
  if (!contexts_) make_own_contexts(watch);
  open_client();
  watch.client();
  handshake(watch);
}

template <class Watch>
void Lane::resume(Watch& watch) {
  begin(watch);
  client_.emplace(resumption_->open(contexts_->client, tlsrig_transport{TLSRIG_WIRE, -1, &client_wire_},
                                    server_name_for(assignment_, TLSRIG_CLIENT), std::move(ticket_), client_error_));
  watch.client();
  handshake(watch);
  if (client_->describe().resumed != TLSRIG_YES)
    fail_end(client_end_, "proof", "a handshake that was to be resumed was a full one", "handshake");
  take_ticket();
  watch.client();
}

void Lane::take_ticket() {
  if (!to_client_.all_used()) read_nothing(*client_, client_end_, to_client_, TLSRIG_WANT_READ, "tickets");
  const tlsrig_result result = resumption_->take(client_->get(), ticket_);
  if (result == TLSRIG_WANT_READ) fail_end(client_end_, "protocol", "the server has sent no ticket", "tickets");
  if (result != TLSRIG_OK) fail_session(client_end_, result, client_error_, "tickets");
}

template <class Watch>
void Lane::new_contexts(Watch& watch) {
  std::optional<host::Context> server(std::in_place, *assignment_.server, server_options_);
  watch.server();
  std::optional<host::Context> client(std::in_place, *assignment_.client, client_options_);
  client.reset();
  watch.client();
  server.reset();
  watch.server();
  ++made_;
}

template <class Watch>
void Lane::new_sessions(Watch& watch) {
  open_client();
  watch.client();
  open_server();
  watch.server();
  close(watch);
  ++made_;
}

// Clears the way for a new connection.
template <class Watch>
void Lane::begin(Watch& watch) {
  close(watch);
  if (observing_) {
    earlier_ = client_counts();
    reader_ = WireReader(TLSRIG_CLIENT);
  }
  ++handshakes_;
  to_server_.join();
  to_client_.join();
}

// emplace destroys the pair of the connection before, whose sessions are closed.
template <class Watch>
void Lane::make_own_contexts(Watch& watch) {
  own_client_context_.emplace(*assignment_.client, client_options_);
  watch.client();
  own_server_context_.emplace(*assignment_.server, server_options_);
  watch.server();
}

void Lane::open_client() {
  client_.emplace(contexts_ ? contexts_->client : *own_client_context_,
                  tlsrig_transport{TLSRIG_WIRE, -1, &client_wire_}, server_name_for(assignment_, TLSRIG_CLIENT),
                  client_error_);
}

void Lane::open_server() {
  server_.emplace(contexts_ ? contexts_->server : *own_server_context_,
                  tlsrig_transport{TLSRIG_WIRE, -1, &server_wire_}, nullptr, server_error_);
}

// Opens the server's session and handshakes until both are OK.
template <class Watch>
void Lane::handshake(Watch& watch) {
  open_server();
  watch.server();
  bool client_done = false, server_done = false;
  while (!client_done || !server_done) {
    bool moved = !client_done && handshake_step(*client_, client_end_, to_server_, to_client_, client_done);
    to_server_.show();
    watch.client();
    moved |= !server_done && handshake_step(*server_, server_end_, to_client_, to_server_, server_done);
    to_client_.show();
    watch.server();
    if (!moved) fail_end(client_end_, "other", "both sides wait for each other", "handshake");
  }
}

// Shows the reader what the writer of a flow has put there behind `from`.
void Lane::show(const Flow& flow, std::size_t from) noexcept {
  const records::Bytes bytes{flow.writer.out + from, flow.writer.out_used - from};
  if (&flow == &to_server_)
    reader_.sent(bytes);
  else
    reader_.received(bytes);
}

WireCounts Lane::client_counts() const {
  WireCounts counts = earlier_;
  WireCounts open;
  const bool plain = assignment_.client->plain();
  open.records_in = plain ? std::nullopt : reader_.records_in();
  open.records_out = plain ? std::nullopt : reader_.records_out();
  counts += open;
  counts.calls = {0, 0, bytes_to_client_, bytes_to_server_};
  return counts;
}

WireCounts Lane::server_counts() const {
  WireCounts counts = client_counts();
  std::swap(counts.records_in, counts.records_out);
  counts.calls = {0, 0, bytes_to_server_ - bytes_thrown_away_, bytes_to_client_};
  return counts;
}

// Returns whether the call did anything.
bool Lane::handshake_step(host::Session& session, const End& end, const Flow& outward, const Flow& inward, bool& done) {
  const tlsrig_wire& wire = outward.writer;  // the session's one wire: inward.reader is the same
  const std::size_t in_before = wire.in_used, out_before = wire.out_used;
  const tlsrig_result result = session.handshake();
  done = result == TLSRIG_OK;
  if (!done && result != TLSRIG_WANT_READ && result != TLSRIG_WANT_WRITE)
    fail_session(end, result, session.error(), "handshake");
  const bool moved = done || wire.in_used != in_before || wire.out_used != out_before;
  (&outward == &to_server_ ? bytes_to_server_ : bytes_to_client_) += wire.out_used - out_before;
  if (observing_) show(outward, out_before);
  // What this side has read of the other's window may be written over, once it is all read.
  if (inward.all_used()) inward.clear();
  return moved;
}

void Lane::settle(ProofPair& proof) {
  read_nothing(*client_, client_end_, to_client_, TLSRIG_WANT_READ, "tickets");
  proof.client.add(client_->describe(), &reader_);
  proof.server.add(server_->describe(), &reader_);
}

std::optional<std::uint32_t> Lane::tickets_received() const {
  if (!resumption_) return std::nullopt;
  return resumption_->tickets_received(client_->get());
}

// Lets a session use up a flow that holds no payload.
void Lane::read_nothing(host::Session& session, const End& end, const Flow& flow, tlsrig_result expected,
                        const char* step) {
  flow.show();
  std::uint8_t surplus = 0;
  std::size_t size = 0;
  const tlsrig_result result = session.checked_read(&surplus, 1, size);
  if (result == TLSRIG_OK) fail_end(end, "payload", "the peer sent bytes that are no part of a message", step);
  if (result != expected) fail_session(end, result, session.error(), step);
  flow.clear();
}

void Lane::close_in_order() {
  const auto end_stream = [&](host::Session& writer, const End& from, host::Session& reader, const End& to,
                              const Flow& flow) {
    if (const tlsrig_result result = writer.shutdown(); result != TLSRIG_OK)
      fail_session(from, result, writer.error(), "shutdown");
    flow.reader.in_ended = 1;
    read_nothing(reader, to, flow, TLSRIG_CLOSED, "close");
  };
  end_stream(*client_, client_end_, *server_, server_end_, to_server_);
  end_stream(*server_, server_end_, *client_, client_end_, to_client_);
  Unwatched nobody;
  close(nobody);
}

template void Lane::open(Unwatched&);
template void Lane::open(SideMeter&);
template void Lane::close(Unwatched&) noexcept;
template void Lane::close(SideMeter&) noexcept;
template void Lane::resume(Unwatched&);
template void Lane::resume(SideMeter&);
template void Lane::new_contexts(Unwatched&);
template void Lane::new_contexts(SideMeter&);
template void Lane::new_sessions(Unwatched&);
template void Lane::new_sessions(SideMeter&);

}  // namespace tlsrig::workloads
