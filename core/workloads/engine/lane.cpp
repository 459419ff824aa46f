// A lane of the engine.
#include <tlsrig/workloads/engine/lane.hpp>

#include <algorithm>

#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

namespace {

// Enough for the longest flight of a handshake, and for a dozen full records.
constexpr std::size_t flow_size = 262144;
// Records of one batch of `unwrap`: they shall stay in the cache between wrapping and unwrapping.
constexpr std::size_t batch_size = 131072;
// Room that a piece of the largest size is given in the window, beyond its payload: records of 512 bytes with the
// padding of the CBC suites need less. So no write is ever blocked half-way.
constexpr std::size_t overhead_room = 4096;

}  // namespace

ContextPair make_contexts(const Assignment& assignment) {
  return {make_context(assignment, TLSRIG_CLIENT), make_context(assignment, TLSRIG_SERVER)};
}

Lane::Lane(const Assignment& assignment, std::uint32_t number, std::shared_ptr<const ContextPair> contexts)
    : assignment_(assignment),
      message_size_(assignment.settings.engine.message_size),
      client_end_{assignment.client->name(), "client", number},
      server_end_{assignment.server->name(), "server", number},
      pattern_(number, Direction::to_server),
      contexts_(std::move(contexts)),
      contexts_per_connection_(!contexts_),
      message_(Layout(assignment.placement_seed).make(Purpose::message, message_size_)),
      received_(Layout(assignment.placement_seed).make(Purpose::receive, message_size_)),
      to_server_{Layout(assignment.placement_seed).make(Purpose::wire_in, flow_size), client_wire_, server_wire_},
      to_client_{Layout(assignment.placement_seed).make(Purpose::wire_out, flow_size), server_wire_, client_wire_},
      resumption_(host::Resumption::of(*assignment.client)) {}

void Lane::close() noexcept {
  client_.reset();
  server_.reset();
}

void Lane::open() {
  begin();
  if (contexts_per_connection_) contexts_ = std::make_shared<const ContextPair>(make_contexts(assignment_));
  client_.emplace(contexts_->client, tlsrig_transport{TLSRIG_WIRE, -1, &client_wire_},
                  server_name_for(assignment_, TLSRIG_CLIENT), client_error_);
  handshake();
}

void Lane::resume() {
  begin();
  client_.emplace(resumption_->open(contexts_->client, tlsrig_transport{TLSRIG_WIRE, -1, &client_wire_},
                                    server_name_for(assignment_, TLSRIG_CLIENT), std::move(ticket_), client_error_));
  handshake();
  if (client_->describe().resumed != TLSRIG_YES)
    fail_end(client_end_, "proof", "a handshake that was to be resumed was a full one", "handshake");
  take_ticket();
}

void Lane::take_ticket() {
  if (!to_client_.all_used()) read_nothing(*client_, client_end_, to_client_, TLSRIG_WANT_READ, "tickets");
  const tlsrig_result result = resumption_->take(client_->get(), ticket_);
  if (result == TLSRIG_WANT_READ) fail_end(client_end_, "protocol", "the server has sent no ticket", "tickets");
  if (result != TLSRIG_OK) fail_session(client_end_, result, client_error_, "tickets");
}

// Clears the way for a new connection.
void Lane::begin() {
  close();
  if (observing_) {
    earlier_ = client_counts();
    reader_ = WireReader(TLSRIG_CLIENT);
  }
  ++handshakes_;
  to_server_.join();
  to_client_.join();
}

// Opens the server's session and handshakes until both are OK.
void Lane::handshake() {
  server_.emplace(contexts_->server, tlsrig_transport{TLSRIG_WIRE, -1, &server_wire_}, nullptr, server_error_);
  bool client_done = false, server_done = false;
  while (!client_done || !server_done) {
    bool moved = !client_done && handshake_step(*client_, client_end_, to_server_, to_client_, client_done);
    to_server_.show();
    moved |= !server_done && handshake_step(*server_, server_end_, to_client_, to_server_, server_done);
    to_client_.show();
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
  close();
}

void Lane::fail_write(tlsrig_result result) const {
  if (result == TLSRIG_WANT_WRITE) fail_end(client_end_, "other", "WANT_WRITE with room in the window", "write");
  fail_session(client_end_, result, client_error_, "write");
}

void Lane::fail_read(tlsrig_result result) const {
  if (result == TLSRIG_WANT_READ) fail_end(server_end_, "payload", "fewer bytes came out than went in", "read");
  if (result == TLSRIG_OK) fail_end(server_end_, "payload", "more bytes came out than went in", "read");
  fail_session(server_end_, result, server_error_, "read");
}

std::size_t Lane::write_pieces(std::size_t sent) {
  do {
    const std::size_t size = std::min<std::size_t>(message_size_ - sent, TLSRIG_WRITE_MAX);
    std::size_t written = 0;
    const tlsrig_result result = client_->checked_write(message_.data() + sent, size, written);
    if (result != TLSRIG_OK) [[unlikely]]
      fail_write(result);
    sent += written;
  } while (sent < message_size_ && client_wire_.out_used + TLSRIG_WRITE_MAX + overhead_room <= flow_size);
  return sent;
}

// Reads what was sent and not yet got. The reads stop with the last byte: one more could only answer WANT_READ.
std::size_t Lane::read_pieces(std::size_t got, std::size_t sent) {
  while (got < sent) {
    std::size_t size = 0;
    const tlsrig_result result = server_->checked_read(received_.data() + got, message_size_ - got, size);
    if (result != TLSRIG_OK) [[unlikely]]
      fail_read(result);
    got += size;
  }
  if (got != sent) [[unlikely]]
    fail_read(TLSRIG_OK);
  if (!to_server_.all_used()) [[unlikely]]
    read_nothing(*server_, server_end_, to_server_, TLSRIG_WANT_READ, "read");
  return got;
}

template <bool observed>
void Lane::exchange() {
  std::size_t sent = 0, got = 0;
  do {
    sent = write_pieces(sent);
    if constexpr (observed) show(to_server_, 0);
    to_server_.show();
    got = read_pieces(got, sent);
    bytes_to_server_ += client_wire_.out_used;
    to_server_.clear();
  } while (got < message_size_);
  ++messages_;
  bytes_out_ += message_size_;
  bytes_in_ += message_size_;
}

void Lane::wrap_unwrap() { exchange<false>(); }

void Lane::wrap() {
  std::size_t sent = 0;
  do {
    sent = write_pieces(sent);
    bytes_to_server_ += client_wire_.out_used;
    bytes_thrown_away_ += client_wire_.out_used;
    client_wire_.out_used = 0;
  } while (sent < message_size_);
  ++messages_;
  bytes_out_ += message_size_;
}

void Lane::wrap_batch() {
  std::size_t next = 0;
  do {
    const std::size_t size = std::min<std::size_t>(message_size_ - wrapped_, TLSRIG_WRITE_MAX);
    std::size_t written = 0;
    const tlsrig_result result = client_->checked_write(message_.data() + wrapped_, size, written);
    if (result != TLSRIG_OK) [[unlikely]]
      fail_write(result);
    batch_bytes_ += written;
    wrapped_ += written;
    if (wrapped_ == message_size_) wrapped_ = 0;
    next = std::min<std::size_t>(message_size_ - wrapped_, TLSRIG_WRITE_MAX);
  } while (client_wire_.out_used + next + overhead_room <= batch_size);
  bytes_out_ += batch_bytes_;
  bytes_to_server_ += client_wire_.out_used;
  to_server_.show();
}

std::uint64_t Lane::unwrap_batch() {
  std::uint64_t whole = 0;
  for (std::size_t left = batch_bytes_; left;) {
    std::size_t size = 0;
    const tlsrig_result result = server_->checked_read(received_.data() + unwrapped_, message_size_ - unwrapped_, size);
    if (result != TLSRIG_OK || size > left) [[unlikely]]
      fail_read(result);
    left -= size;
    unwrapped_ += size;
    if (unwrapped_ == message_size_) {
      unwrapped_ = 0;
      ++whole;
    }
  }
  bytes_in_ += batch_bytes_;
  batch_bytes_ = 0;
  messages_ += whole;
  if (!to_server_.all_used()) [[unlikely]]
    read_nothing(*server_, server_end_, to_server_, TLSRIG_WANT_READ, "read");
  to_server_.clear();
  return whole;
}

std::size_t Lane::exchange_verified() {
  pattern_.fill(message_.span(), pattern_offset_);
  std::fill(received_.span().begin(), received_.span().end(), std::uint8_t{0});
  observing_ ? exchange<true>() : exchange<false>();
  if (const auto wrong = pattern_.mismatch(received_.span(), pattern_offset_)) {
    const std::uint64_t offset = pattern_offset_ + *wrong;
    fail_payload(server_end_, offset, pattern_.byte(offset), received_.data()[*wrong]);
  }
  pattern_offset_ += message_size_;
  return message_size_;
}

}  // namespace tlsrig::workloads
