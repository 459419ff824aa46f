// The laws over out windows of 1, 16, 512 and 65,536 bytes: whatever room an answer finds, it is the same answer.
#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr std::size_t kibibyte = 1024;

BenchOptions over_window(const Setup& setup, std::size_t window) {
  skip_unless_wire(setup, "windows are a matter of wires");
  BenchOptions options = both_over(setup.transport);
  options.ports.out_window = window;
  return options;
}

// Laws 1 to 4: what is given arrives, once, in order, also when the reader stops for a while; an end is not called
// after the OK of its handshake, so what it said before was enough.
template <std::size_t Window>
void data(const Setup& setup) {
  BenchOptions options = over_window(setup, Window);
  options.limit = 4 * kibibyte;
  Established stand(setup, options);
  const std::size_t size = (Window < 100 ? 20 : 200) * kibibyte;
  const auto sent = pattern(size, 1);
  Sending sending(stand.client(), sent, 64 * kibibyte);
  stand.server().incoming().held = true;
  stand.bench.drive_alone(stand.client(), [&] {
    require(!sending.go_on(), "{} KiB were written while no one read them: WANT_WRITE was due", size / kibibyte);
    return stand.client().outgoing().room() == 0;
  });
  require(stand.client().last_result() == TLSRIG_WANT_WRITE, "{} while no one reads; WANT_WRITE was due (law 1)",
          stand.client());
  stand.server().incoming().held = false;
  Receiving receiving(stand.server(), size);
  stand.bench.drive([&] { return sending.go_on(); }, [&] { return receiving.go_on(); });
  require_equal("server", sent, receiving.got());
  exchange(stand.bench, size);
  transfer(stand.bench, stand.server(), 100, {1, 1});
}

// Laws 5 and 6: one close_notify, however often shutdown is called, half-close, and an end without one.
template <std::size_t Window>
void end(const Setup& setup) {
  const BenchOptions options = over_window(setup, Window);
  for (const bool client_first : {true, false}) {
    Established stand(setup, options);
    End& first = client_first ? stand.client() : stand.server();
    End& second = stand.bench.peer_of(first);
    exchange(stand.bench, 1000);
    send_close_notify(stand.bench, first);
    const std::size_t sent = first.outgoing().total();
    require(first.shutdown() == TLSRIG_OK, "{} when repeated after OK; OK is due (law 6)", first);
    first.collect_all();
    require(first.outgoing().total() == sent, "{} shutdown() sent {} more bytes when repeated (law 6)", first.who(),
            first.outgoing().total() - sent);
    first.finish();
    read_to_closed(stand.bench, second);
    transfer(stand.bench, second, 4 * kibibyte);
    shut_down(stand.bench, second);
    read_to_closed(stand.bench, first);
    require(read_once(first) == TLSRIG_CLOSED, "{} after CLOSED; CLOSED is due at each later read (law 5)", first);
  }
  if (setup.protocol == 0) return;
  Established cut(setup, options);
  cut.client().finish();
  require(settled(cut.bench, cut.server(), read_once) == TLSRIG_ERROR &&
              cut.server().error().kind == TLSRIG_ERROR_TRUNCATED,
          "{} at an end without close_notify; ERROR of kind TRUNCATED was due (law 5)", cut.server());
}

// Law 7: nothing before the handshake, nothing after an error; law 8: the window moves between any two calls.
template <std::size_t Window>
void order(const Setup& setup) {
  BenchOptions options = over_window(setup, Window);
  options.ports.moving_windows = true;
  Stand early(setup, usual(setup), options);
  require(early.client().shutdown() == TLSRIG_ERROR && early.client().error().kind == TLSRIG_ERROR_CONFIG,
          "{} before the handshake; ERROR of kind CONFIG was due (law 7)", early.client());
  require(early.client().handshake() == TLSRIG_ERROR, "{} after ERROR; ERROR is due (law 7)", early.client());
  Established stand(setup, options);
  exchange(stand.bench, 4 * kibibyte);
  end_orderly(stand.bench);
}

// Law 7: the peer of an end that gives up learns why, in the handshake and after it.
template <std::size_t Window>
std::string alert(const Setup& setup) {
  skip_unless_tls(setup);
  const BenchOptions options = over_window(setup, Window);
  const auto require_told = [](const char* who, const std::optional<tlsrig_error>& error) {
    require(error.has_value(), "the {} was not told of the other's failure (law 7)", who);
    if (error->kind == TLSRIG_ERROR_ALERT) return error->alert;
    fail(
        "the {} learnt {} of the other's failure; ERROR of kind ALERT was due (law 7: the runner sends what is in out)",
        who, words_of(*error));
  };
  Settings settings = usual(setup);
  settings.server.certificate_chain = setup.untrusted.server_chain;
  settings.server.private_key = setup.untrusted.server_key;
  Stand refusing(setup, settings, options);
  const int in_handshake = require_told("server", expect_refusal(refusing.bench).server);
  Established established(setup, options);
  const int after = require_told("client", tamper(established.bench).client);
  return fmt::format("alerts {} and {}", in_handshake, after);
}

template <std::size_t Window>
void add(std::vector<Step>& steps) {
  const auto name = [](const char* what) { return fmt::format("{}-over-out-window-of-{}", what, Window); };
  steps.push_back(
      {name("data"), "laws 1 to 4 hold whatever the size of out", judged<data<Window>>,
       "fill out to its last byte before WANT_WRITE, keep what found no room for the next call, and count a "
       "write as taken only once"});
  steps.push_back(
      {name("end"), "laws 5 and 6 hold whatever the size of out", judged<end<Window>>,
       "answer WANT_WRITE from shutdown until all of close_notify (on a plain stream of a goodbye of your own) "
       "is out, and make it once: a repeated call sends the rest of it, not another"});
  steps.push_back(
      {name("order"), "laws 7 and 8 hold whatever the size of out", judged<order<Window>>,
       "look at the session's state before the windows in each call, and read the windows' addresses anew"});
  steps.push_back(
      {name("alert"), "law 7: the alert reaches the peer whatever the size of out", judged<alert<Window>>,
       "answer WANT_WRITE while the alert of a failure does not fit into out, and ERROR when it is all out"});
}

}  // namespace

std::vector<Step> window_steps() {
  std::vector<Step> steps;
  add<1>(steps);
  add<16>(steps);
  add<512>(steps);
  add<65'536>(steps);
  return steps;
}

}  // namespace tlsrig::check
