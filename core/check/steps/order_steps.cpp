// Law 7, first half: calls out of order, and calls after an error.
#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr int bad_record_mac = 20;  // RFC 8446, 6

enum class Slot { read, write, shutdown, handshake };

tlsrig_result call(End& end, Slot slot) {
  static const std::vector<std::uint8_t> data = pattern(100, 10);
  std::size_t written = 0;
  switch (slot) {
    case Slot::read:
      return read_once(end);
    case Slot::write:
      return end.write(data, written);
    case Slot::shutdown:
      return end.shutdown();
    case Slot::handshake:
      return end.handshake();
  }
  return TLSRIG_ERROR;
}

void require_dead(End& end, const char* since) {
  const tlsrig_error first = end.error();
  for (const Slot slot : {Slot::handshake, Slot::read, Slot::write, Slot::shutdown}) {
    require(call(end, slot) == TLSRIG_ERROR, "{} after {}; after ERROR every call is ERROR (law 7)", end, since);
    require(words_of(end.error()) == words_of(first), "{} after {}: the error that ended the session was \"{}\"", end,
            since, words_of(first));
  }
}

void before_the_handshake(const Setup& setup) {
  for (const Slot slot : {Slot::read, Slot::write, Slot::shutdown}) {
    Stand stand(setup, usual(setup));
    for (End* end : {&stand.client(), &stand.server()}) {
      require(call(*end, slot) == TLSRIG_ERROR && end->error().kind == TLSRIG_ERROR_CONFIG,
              "{} before the handshake; ERROR of kind CONFIG was due (law 7)", *end);
      end->collect_all();
      require(end->outgoing().total() == 0, "{} and sent {} bytes", *end, end->outgoing().total());
      require_dead(*end, "a call before the handshake");
    }
  }
}

void in_the_handshake(const Setup& setup) {
  bool midway = false;
  for (const Slot slot : {Slot::read, Slot::write, Slot::shutdown}) {
    Stand stand(setup, usual(setup));
    for (End* end : {&stand.client(), &stand.server()}) {
      const tlsrig_result first = end->handshake();
      if (setup.protocol == 0 && first == TLSRIG_OK) continue;  // a plain end may have nothing to wait for
      require(first == TLSRIG_WANT_READ, "{} at its first call; WANT_READ was due", *end);
      midway = true;
      require(call(*end, slot) == TLSRIG_ERROR && end->error().kind == TLSRIG_ERROR_CONFIG,
              "{} in mid-handshake; ERROR of kind CONFIG was due (law 7)", *end);
    }
  }
  if (!midway) skip("its handshake is OK at once");
}

void after_an_error(const Setup& setup) {
  skip_unless_tls(setup);
  const auto garbage = pattern(100, 11);
  for (const bool at_client : {true, false}) {
    Stand stand(setup, usual(setup));
    End& end = at_client ? stand.client() : stand.server();
    end.incoming().put(garbage);
    require(settled(stand.bench, end, &End::handshake) == TLSRIG_ERROR && end.error().kind == TLSRIG_ERROR_PROTOCOL,
            "{} with 100 bytes of garbage as input; ERROR of kind PROTOCOL was due", end);
    require_dead(end, "garbage");
  }

  Established broken(setup);
  broken.server().incoming().put(garbage);
  require(settled(broken.bench, broken.server(), read_once) == TLSRIG_ERROR &&
              broken.server().error().kind == TLSRIG_ERROR_PROTOCOL,
          "{} with 100 bytes of garbage as a record; ERROR of kind PROTOCOL was due", broken.server());
  require_dead(broken.server(), "a broken record");
}

// Changes one byte of a protected record: the receiver must notice.
void tampered_record(const Setup& setup) {
  skip_unless_tls(setup);
  Established stand(setup);
  const Refused refused = tamper(stand.bench);
  require(refused.server->kind == TLSRIG_ERROR_PROTOCOL,
          "{} for a record that was changed on its way; ERROR of kind PROTOCOL was due", stand.server());
  require(refused.client->kind == TLSRIG_ERROR_ALERT && refused.client->alert == bad_record_mac,
          "{} after its record was changed on its way; ERROR of kind ALERT with bad_record_mac (20) was due",
          stand.client());
}

// A write that found no room is a promise to repeat it: neither another size nor a shutdown may come instead (laws 3
// and 6). Taken in silence, both would put a broken stream on the way.
void instead_of_a_blocked_write(const Setup& setup) {
  BenchOptions options = both_over(setup.transport);
  options.limit = 4 * 1024;
  options.ports.out_window = 512;
  options.ports.buffers = Buffers::least;
  for (const bool by_shutdown : {false, true}) {
    Established stand(setup, options);
    End& writer = stand.client();
    stand.server().incoming().held = true;
    const auto data = pattern(200 * 1024, 5);
    Sending sending(writer, data);
    require(!sending.go_on() && writer.last_result() == TLSRIG_WANT_WRITE,
            "200 KiB were to be written while no one reads: {}, WANT_WRITE was due", writer);
    std::size_t written = 0;
    const tlsrig_result result = by_shutdown ? writer.shutdown() : writer.write({data.data(), 100}, written);
    require(result == TLSRIG_ERROR && writer.error().kind == TLSRIG_ERROR_CONFIG,
            "{} while a write of another size is blocked; ERROR of kind CONFIG was due (law {})", writer,
            by_shutdown ? 6 : 3);
  }
}

void handshake_after_ok(const Setup& setup) {
  Established stand(setup);
  for (End* end : {&stand.client(), &stand.server()}) {
    end->collect_all();
    const std::size_t before = end->outgoing().total();
    require(end->handshake() == TLSRIG_OK, "{} when repeated after OK; OK is due", *end);
    end->collect_all();
    require(end->outgoing().total() == before, "{} handshake() sent {} bytes when repeated after OK", end->who(),
            end->outgoing().total() - before);
  }
  exchange(stand.bench, 1000);
}

}  // namespace

std::vector<Step> order_steps() {
  const char* const order = "law 7: before handshake is OK only handshake and close are called";
  const char* const established =
      "note in the session when handshake was OK, and answer read, write and shutdown before that with ERROR of kind "
      "CONFIG, without a call of the library: many begin a handshake by themselves";
  return {
      {"calls-before-the-handshake", order, judged<before_the_handshake>, established},
      {"calls-in-the-handshake", order, judged<in_the_handshake>, established},
      {"calls-after-an-error", "law 7: after ERROR every call is ERROR", judged<after_an_error>,
       "note in the session that it failed and answer every later call with ERROR, leaving the first error's words: "
       "the "
       "library has none at the second call"},
      {"tampered-record", "law 7: a record changed on its way is refused, and the peer is told so",
       judged<tampered_record>,
       "answer the library's failed decryption with ERROR of kind PROTOCOL, after its alert (bad_record_mac) was put "
       "into out; some libraries send it only when asked (gnutls_alert_send_appropriate)"},
      {"instead-of-a-blocked-write", "laws 3 and 6: a blocked write is repeated as it was, or the session ends",
       judged<instead_of_a_blocked_write>,
       "keep the size of a blocked write, and answer a write of another size or a shutdown with ERROR of kind CONFIG "
       "until it was repeated"},
      {"handshake-after-ok", "law 7: handshake after its OK changes nothing", judged<handshake_after_ok>,
       "answer OK at once when the handshake was OK before; a library's function may begin another handshake"},
  };
}

}  // namespace tlsrig::check
