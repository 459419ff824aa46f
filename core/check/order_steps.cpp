// Law 7, first half: calls out of order, and calls after an error.
#include <tlsrig/check/conversation.hpp>
#include <tlsrig/check/judgement.hpp>
#include <tlsrig/check/lists.hpp>

namespace tlsrig::check {
namespace {

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
  skip_unless_tls(setup);  // a plain handshake is OK at once
  for (const Slot slot : {Slot::read, Slot::write, Slot::shutdown}) {
    Stand stand(setup, usual(setup));
    for (End* end : {&stand.client(), &stand.server()}) {
      require(end->handshake() == TLSRIG_WANT_READ, "{} at its first call; WANT_READ was due", *end);
      require(call(*end, slot) == TLSRIG_ERROR && end->error().kind == TLSRIG_ERROR_CONFIG,
              "{} in mid-handshake; ERROR of kind CONFIG was due (law 7)", *end);
    }
  }
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
  Flow& flow = stand.server().incoming();
  flow.held = true;
  const auto data = pattern(1000, 12);
  Sending sending(stand.client(), data);
  require(sending.go_on(), "{}: 1000 bytes were to be written in one go", stand.client());
  stand.client().collect_all();
  flow.flip_last_byte();
  flow.held = false;
  require(settled(stand.bench, stand.server(), read_once) == TLSRIG_ERROR &&
              stand.server().error().kind == TLSRIG_ERROR_PROTOCOL,
          "{} for a record that was changed on its way; ERROR of kind PROTOCOL was due", stand.server());
  constexpr int bad_record_mac = 20;
  require(settled(stand.bench, stand.client(), read_once) == TLSRIG_ERROR &&
              stand.client().error().kind == TLSRIG_ERROR_ALERT && stand.client().error().alert == bad_record_mac,
          "{} after its record was changed on its way; ERROR of kind ALERT with bad_record_mac (20) was due",
          stand.client());
}

void handshake_after_ok(const Setup& setup) {
  Established stand(setup);
  for (End* end : {&stand.client(), &stand.server()}) {
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
  return {
      {"calls-before-the-handshake", order, judged<before_the_handshake>},
      {"calls-in-the-handshake", order, judged<in_the_handshake>},
      {"calls-after-an-error", "law 7: after ERROR every call is ERROR", judged<after_an_error>},
      {"tampered-record", "law 7: a record changed on its way is refused, and the peer is told so",
       judged<tampered_record>},
      {"handshake-after-ok", "law 7: handshake after its OK changes nothing", judged<handshake_after_ok>},
  };
}

}  // namespace tlsrig::check
