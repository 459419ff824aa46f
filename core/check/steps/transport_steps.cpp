// Laws 1 and 2: any size of piece, window and buffer gets everything through, and nothing stays inside.
#include <chrono>
#include <optional>
#include <thread>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/bench/resumption.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr std::size_t kibibyte = 1024;

struct PieceFailure {
  const char* stage;
  std::string words;
  Rule rule;
};

// A conversation whose input comes in pieces; nothing when it works.
std::optional<PieceFailure> failure_in_pieces(const Setup& setup, std::size_t piece) {
  const char* stage = "handshake";
  try {
    BenchOptions options = both_over(setup.transport);
    options.piece = piece;
    Established stand(setup, options);
    stage = "data exchange";
    exchange(stand.bench, (piece < 10 ? 4 : 100) * kibibyte);
    stage = "orderly end";
    end_orderly(stand.bench);
  } catch (const Failed& failed) {
    return PieceFailure{stage, failed.what(), failed.rule};
  }
  return std::nullopt;
}

// From which size on it works, given one that does not: its writer sees a header of 5 bytes or a whole record in it.
std::string works_from(const Setup& setup, std::size_t failing) {
  if (setup.transport == TLSRIG_FD) return "";  // a standstill of sockets is seen after seconds
  const host::PausedLog paused(setup.backend->log());
  if (failure_in_pieces(setup, unlimited)) return " (and also when it is not cut)";
  std::size_t works = 64 * kibibyte;
  if (failure_in_pieces(setup, works)) return " (works when it is not cut)";
  while (works - failing > 1) {
    const std::size_t middle = failing + (works - failing) / 2;
    (failure_in_pieces(setup, middle) ? failing : works) = middle;
  }
  return fmt::format(" (works from {})", with_commas(works));
}

template <std::size_t Piece>
void in_pieces(const Setup& setup) {
  const auto failure = failure_in_pieces(setup, Piece);
  if (!failure) return;
  fail(failure->rule, "{} fails when input comes {} byte{} at a time{}: {}", failure->stage, with_commas(Piece),
       Piece == 1 ? "" : "s", works_from(setup, Piece), failure->words);
}

void windows_of_one_byte(const Setup& setup) {
  skip_unless_wire(setup, "windows are a matter of wires");
  BenchOptions options = both_over(setup.transport);
  options.piece = options.ports.out_window = 1;
  Established stand(setup, options);
  exchange(stand.bench, 4 * kibibyte);
  end_orderly(stand.bench);
}

void moving_windows(const Setup& setup) {
  skip_unless_wire(setup, "windows are a matter of wires");
  BenchOptions options = both_over(setup.transport);
  options.ports.out_window = 700;
  options.ports.moving_windows = true;
  Established stand(setup, options);
  exchange(stand.bench, 50 * kibibyte);
  end_orderly(stand.bench);
}

BenchOptions narrow(const Setup& setup) {
  BenchOptions options = both_over(setup.transport);
  options.limit = 4 * kibibyte;
  options.ports.out_window = 512;
  options.ports.buffers = Buffers::least;
  return options;
}

void slow_reader(const Setup& setup) {
  Established stand(setup, narrow(setup));
  const auto data = pattern(200 * kibibyte, 1);
  Sending sending(stand.client(), data);
  stand.server().incoming().held = true;
  require(!sending.go_on() && stand.client().last_result() == TLSRIG_WANT_WRITE,
          "200 KiB were to be written while no one reads: {} after {} bytes, WANT_WRITE was due", stand.client(),
          sending.taken());
  stand.server().incoming().held = false;
  Receiving receiving(stand.server(), data.size());
  stand.bench.drive([&] { return sending.go_on(); }, [&] { return receiving.go_on(); });
  require_equal("server", data, receiving.got());
  end_orderly(stand.bench);
}

void both_write_at_once(const Setup& setup) {
  Established stand(setup, narrow(setup));
  exchange(stand.bench, 200 * kibibyte, {64 * kibibyte, 16 * kibibyte});
  end_orderly(stand.bench);
}

// Waits until all that was sent to the end lies in its socket or window.
void await_arrival(End& end) {
  using namespace std::chrono;
  const std::size_t size = end.incoming().waiting();
  const auto deadline = steady_clock::now() + seconds(2);
  while (end.port().unused() < size) {
    require(steady_clock::now() < deadline, "the bench could deliver only {} of {} bytes at once", end.port().unused(),
            size);
    end.port().offer(end.incoming());
    std::this_thread::sleep_for(microseconds(50));
  }
}

void receive_burst(const Setup& setup, const Settings& settings) {
  BenchOptions options = both_over(setup.transport);
  options.ports.buffers = Buffers::large;
  Established stand(setup, settings, options);
  const auto data = pattern(5 * TLSRIG_WRITE_MAX, 4);
  Sending sending(stand.client(), data);
  stand.server().incoming().held = true;
  stand.bench.drive_alone(stand.client(), [&] { return sending.go_on(); });
  stand.client().collect_all();
  stand.server().incoming().held = false;
  await_arrival(stand.server());
  std::vector<std::uint8_t> got;
  tlsrig_result result = TLSRIG_OK;
  while (result == TLSRIG_OK) result = stand.server().read(4 * kibibyte, got);
  require(result == TLSRIG_WANT_READ, "{}", stand.server());
  if (const auto missing = not_arrived(stand.client(), stand.server());
      missing && missing->rule.is(rules::nothing_inside))
    fail(missing->rule, "{}; {}", stand.server().state(), missing->words);  // no matter of bursts
  require(got.size() == data.size(),
          "read() answered WANT_READ after {} of {} bytes, all of which had arrived (law 1: no complete record is held "
          "inside)",
          got.size(), data.size());
  require_equal("server", data, got);
}

void burst_of_records(const Setup& setup) { receive_burst(setup, usual(setup)); }

// A library that reads ahead holds whole records that no event of the socket will announce.
void burst_of_records_read_ahead(const Setup& setup) {
  Settings settings = usual(setup);
  settings.server.read_ahead = TLSRIG_ON;
  unless_unsupported([&] { receive_burst(setup, settings); });
}

void nothing_stays_inside(const Setup& setup) {
  BenchOptions options = both_over(setup.transport);
  options.ports.out_window = 100;
  options.ports.buffers = Buffers::least;
  Established stand(setup, options);  // no call after OK, here and below
  transfer(stand.bench, stand.server(), TLSRIG_WRITE_MAX);
  transfer(stand.bench, stand.client(), TLSRIG_WRITE_MAX);
  end_orderly(stand.bench);
}

struct Tickets {
  std::size_t bytes;       // that the server sent after the client's handshake was OK, without a call after its own OK
  std::uint32_t received;  // as the client's library counts them; without that extension: as many as were asked
};

Tickets tickets_sent(const Setup& setup, std::uint32_t tickets) {
  Settings settings = usual(setup);
  settings.server.tickets = tickets;
  Stand stand(setup, settings);
  std::size_t flight = 0;
  const auto client = [&] {
    const bool established = done(stand.client(), stand.client().handshake());
    if (established) flight = stand.client().incoming().total();
    return established;
  };
  stand.bench.drive(client, [&] { return done(stand.server(), stand.server().handshake()); });
  stand.server().collect_all();
  for (bool more = true; more; more = stand.client().incoming().waiting() > 0)
    require(read_once(stand.client()) == TLSRIG_WANT_READ, "{}, WANT_READ was due", stand.client());

  const auto resumption = host::Resumption::of(*setup.backend);
  const std::uint32_t received =
      resumption ? tickets_received(*resumption, stand.client()) : (tickets == TLSRIG_NONE ? 0 : tickets);
  const std::size_t bytes = stand.client().incoming().total() - flight;
  exchange(stand.bench, 20 * kibibyte);
  end_orderly(stand.bench);
  return {bytes, received};
}

std::string tickets_follow_the_handshake(const Setup& setup) {
  if (setup.protocol != TLSRIG_TLS_1_3) skip("tickets after the handshake are a matter of TLS 1.3");
  const Tickets none = tickets_sent(setup, TLSRIG_NONE);
  require(none.bytes == 0 && none.received == 0, "server sent {} bytes and {} tickets with tickets = NONE", none.bytes,
          none.received);
  const Tickets two = unless_unsupported([&] { return tickets_sent(setup, 2); });
  require(two.bytes > 0, "server handshake() answered OK and kept its 2 tickets (law 2: nothing stays inside)");
  require(two.received == 2, "the client counts {} tickets with tickets = 2", two.received);
  return fmt::format("2 tickets in {} bytes", two.bytes);
}

// A client that only writes, and ends, without ever reading the tickets that were sent to it: nothing of its data is
// lost.
void one_way_past_tickets(const Setup& setup) {
  if (setup.protocol != TLSRIG_TLS_1_3) skip("tickets after the handshake are a matter of TLS 1.3");
  for (const std::uint32_t tickets : {TLSRIG_NONE, 1u, 2u}) {
    Settings settings = usual(setup);
    settings.server.tickets = tickets;
    unless_unsupported([&] {
      Established stand(setup, settings, both_over(setup.transport));
      const auto data = pattern(4080, 15);
      Sending sending(stand.client(), data, 408);
      require(sending.go_on(), "{} after {} of {} bytes; OK was due", stand.client(), sending.taken(), data.size());
      shut_down(stand.bench, stand.client());
      stand.client().close();
      Receiving receiving(stand.server(), unlimited);
      stand.bench.drive_alone(stand.server(), [&] { return receiving.go_on(); });
      require_equal("server", data, receiving.got());
    });
  }
}

}  // namespace

std::vector<Step> transport_steps() {
  const char* const pieces = "law 1: input in pieces of any size makes progress";
  const char* const in_pieces_cure =
      "take all of in at each call and let the library put records together: no peek at a header, no wait for a whole "
      "record, and a callback that gives fewer bytes than asked for (0 bytes are would-block, not the end)";
  const char* const windows =
      "read wire->in and wire->out anew at each call and keep no pointer into them between calls; a callback copies "
      "what "
      "fits and answers would-block for the rest";
  const char* const full =
      "translate the library's would-block of output (SSL_ERROR_WANT_WRITE, GNUTLS_E_AGAIN with "
      "gnutls_record_get_direction 1) to WANT_WRITE once out is full or the socket said EAGAIN, and go on from there "
      "at "
      "the next call";
  const char* const call_again =
      "keep calling the library until it wants input and none is left inside: before WANT_READ look whether it holds a "
      "record (SSL_has_pending, gnutls_record_check_pending, mbedtls_ssl_check_pending)";
  const auto [all_is_out, drain] = rules::nothing_inside;
  return {
      {"nothing-stays-inside", std::string(all_is_out), judged<nothing_stays_inside>, std::string(drain)},
      {"tickets-follow-the-handshake", "law 2: the server's handshake sends its tickets before OK",
       judged<tickets_follow_the_handshake>,
       "let the server's handshake send its tickets before it answers OK (with OpenSSL SSL_do_handshake does; else "
       "call the library's function for it), as many as config.tickets says and none for NONE"},
      {"pieces-of-1460", pieces, judged<in_pieces<1460>>, in_pieces_cure},
      {"pieces-of-7", pieces, judged<in_pieces<7>>, in_pieces_cure},
      {"pieces-of-5", pieces, judged<in_pieces<5>>, in_pieces_cure},
      {"pieces-of-3", pieces, judged<in_pieces<3>>, in_pieces_cure},
      {"pieces-of-2", pieces, judged<in_pieces<2>>, in_pieces_cure},
      {"pieces-of-1", pieces, judged<in_pieces<1>>, in_pieces_cure},
      {"windows-of-one-byte", "law 1: a window of one byte makes progress", judged<windows_of_one_byte>, windows},
      {"moving-windows", "law 8: the runner may move its buffers between calls", judged<moving_windows>, windows},
      {"slow-reader", "law 1: a full transport answers WANT_WRITE and loses nothing", judged<slow_reader>, full},
      {"both-write-at-once", "law 1: two full directions do not block each other", judged<both_write_at_once>,
       "let read take input while a write is blocked: neither direction may wait for the other in the backend"},
      {"burst-of-records", "law 1: WANT_READ says that no complete record is held inside", judged<burst_of_records>,
       call_again},
      {"burst-of-records-read-ahead", "law 1: WANT_READ says so also of records that were read ahead",
       judged<burst_of_records_read_ahead>, call_again},
      {"one-way-past-tickets", "a client that reads no ticket loses nothing that it writes",
       judged<one_way_past_tickets>,
       "leave unread input where it is when the session is closed: close neither the descriptor nor its directions, as "
       "TCP answers unread bytes with a reset that takes data with it"},
  };
}

}  // namespace tlsrig::check
