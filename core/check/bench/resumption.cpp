// Resuming, and proving it by both sides and by the wire.
#include <tlsrig/check/bench/resumption.hpp>

#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/records/record_reader.hpp>

namespace tlsrig::check {

Settings resumable(Settings settings, Means means, std::uint32_t count) {
  for (host::ContextOptions* options : {&settings.client, &settings.server}) {
    options->tickets = means == Means::ticket ? count : TLSRIG_NONE;
    options->session_cache = means == Means::session_id ? count : TLSRIG_NONE;
  }
  return settings;
}

void read_tickets(Bench& bench) {
  bench.server().collect_all();
  End& client = bench.client();
  bench.drive_alone(client, [&] {
    require(read_once(client) == TLSRIG_WANT_READ, "{} after the handshake, before any data; WANT_READ was due",
            client);
    return client.incoming().waiting() == 0 && client.port().unused() == 0;
  });
}

std::size_t server_bytes(Bench& bench) { return bench.server().outgoing().total(); }

records::Flight flight_of(Bench& bench) {
  records::RecordReader reader;
  records::FlightReader flight;
  reader.take(bench.server().outgoing().history(),
              [&](records::ContentType type, records::Bytes piece) { flight.take(type, piece); });
  require(flight.state() == records::FlightReader::State::whole, "the server's first flight could not be read");
  return flight.flight();
}

tlsrig_result take(const host::Resumption& resumption, End& client, host::Ticket& ticket) {
  host::LoggedCall call = client.logged("resumption.take");
  return call.ends(resumption.take(client.session(), ticket));
}

std::uint32_t tickets_received(const host::Resumption& resumption, const End& client) {
  host::LoggedCall call = client.logged("resumption.tickets_received");
  const std::uint32_t received = resumption.tickets_received(client.session());
  call.ends(TLSRIG_OK, received);
  return received;
}

host::Ticket taken(const host::Resumption& resumption, End& client) {
  host::Ticket ticket;
  const tlsrig_result result = take(resumption, client, ticket);
  require(result == TLSRIG_OK, "take() answered {} after {} tickets were read; OK was due", name_of(result),
          tickets_received(resumption, client));
  require(bool(ticket), "take() answered OK without a ticket");
  return ticket;
}

std::unique_ptr<Bench> settled_bench(const Contexts& contexts, const BenchOptions& options, const char* server_name,
                                     host::Ticket* ticket) {
  auto bench = std::make_unique<Bench>(contexts, options, server_name, ticket);
  shake(*bench);
  read_tickets(*bench);
  return bench;
}

void require_resumed(Bench& bench, bool resumed, const char* what) {
  const auto words = [](bool yes) { return yes ? "resumed" : "made by a full handshake"; };
  const bool by_wire = flight_of(bench).resumed;
  require(by_wire == resumed, "{}: the server's first flight shows a session {}, which should be {}", what,
          words(by_wire), words(resumed));
  for (End* end : {&bench.client(), &bench.server()}) {
    const std::uint32_t told = end->describe().resumed;
    require(told == (resumed ? TLSRIG_YES : TLSRIG_NO), "{}: the session was {}, and the {} tells resumed = {}", what,
            words(resumed), end->who(), told);
  }
}

namespace {

void converse(const Pair& pair, Means means) {
  const auto resumption = host::Resumption::of(*pair.client);
  if (!resumption) skip("{} has no {}", pair.client->name(), TLSRIG_RESUMPTION);
  const Settings settings = resumable(pinned(pair.protocol, pair.cipher, pair.group, pair.credentials), means,
                                      means == Means::ticket ? 1 : 10);
  const Contexts contexts(*pair.client, *pair.server, settings);
  const BenchOptions options = both_over(pair.transport);
  const char* const name = settings.server_name.c_str();
  const auto talk = [](Bench& bench, bool resumed, const char* what) {
    require_resumed(bench, resumed, what);
    require(bench.client().describe().peer_verified == TLSRIG_YES, "{}: the client does not tell peer_verified", what);
    exchange(bench, 20 * 1024);
    end_orderly(bench);
  };
  const auto full = settled_bench(contexts, options, name);
  host::Ticket ticket = taken(*resumption, full->client());
  talk(*full, false, "the first handshake");
  const auto resumed = settled_bench(contexts, options, name, &ticket);
  talk(*resumed, true, "the second handshake");
  require(server_bytes(*resumed) < server_bytes(*full),
          "the resumed session took {} bytes from the server, the full {}", server_bytes(*resumed),
          server_bytes(*full));
}

}  // namespace

Outcome resume(const Pair& pair, Means means) {
  return judged_pair([&] { converse(pair, means); });
}

}  // namespace tlsrig::check
