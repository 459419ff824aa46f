// Law 8: no session harms another of its thread, whatever befalls it: garbage, an early end, being given up.
#include <array>
#include <deque>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr unsigned crowd = 100;

// What befalls session A between two calls of session B.
struct Mishap {
  const char* what;  // "garbage handshake"
  void (*befall)(Bench& bad, unsigned number);
};

// Runs what sessions A and B do in turn, and says of a failure whose it was: B's comes from what A left behind.
class Neighbourhood {
 public:
  Neighbourhood(const Contexts& contexts, const BenchOptions& options, const char* server_name, const Mishap& mishap)
      : contexts_(&contexts), options_(&options), server_name_(server_name), mishap_(&mishap) {}

  // Session A: opened, harmed, closed.
  void disturb(unsigned number) {
    at_a_ = true;
    Bench bad(*contexts_, *options_, server_name_);
    mishap_->befall(bad, number);
    at_a_ = false;
  }

  template <class Body>
  void run(Body&& body) {
    try {
      body();
    } catch (const std::exception& exception) {
      if (at_a_) throw;
      fail("session B failed after session A's {} on the same thread: {}", mishap_->what, exception.what());
    }
  }

 private:
  const Contexts* contexts_;
  const BenchOptions* options_;
  const char* server_name_;
  const Mishap* mishap_;
  bool at_a_ = false;
};

void receive_garbage(Bench& bad, unsigned number) {
  End& end = number % 2 ? bad.client() : bad.server();
  end.incoming().put(pattern(100, 11));
  require(settled(bad, end, &End::handshake) == TLSRIG_ERROR, "{} with garbage as input; ERROR was due", end);
  require(end.error().kind == TLSRIG_ERROR_PROTOCOL, "{} with garbage as input; kind PROTOCOL was due", end);
}

void be_left(Bench& bad, unsigned) {
  bad.client().finish();
  require(settled(bad, bad.server(), &End::handshake) == TLSRIG_ERROR, "{} with no input at all; ERROR was due",
          bad.server());
}

void be_given_up(Bench& bad, unsigned) {
  done(bad.client(), bad.client().handshake());
  done(bad.server(), bad.server().handshake());
}

// Half-way through, one is given up by its runner in each way there is: closed, asked to shut down, left by its peer.
void be_cancelled(Bench& bad, unsigned number) {
  done(bad.client(), bad.client().handshake());
  if (number % 2) done(bad.server(), bad.server().handshake());
  End& end = number % 2 ? bad.server() : bad.client();
  if (number % 3 == 0) return;  // closed
  if (number % 3 == 1) {
    require(end.shutdown() == TLSRIG_ERROR && end.error().kind == TLSRIG_ERROR_CONFIG,
            "{} in mid-handshake; ERROR of kind CONFIG was due (law 7)", end);
    return;
  }
  bad.peer_of(end).finish();
  const tlsrig_result result = settled(bad, end, &End::handshake);
  require(result == TLSRIG_ERROR && end.error().kind == TLSRIG_ERROR_TRUNCATED,
          "{} at the end of its input in mid-handshake; ERROR of kind TRUNCATED was due (law 5)", end);
}

constexpr Mishap garbage = {"garbage handshake", receive_garbage};
constexpr Mishap leaving = {"handshake without any input", be_left};
constexpr Mishap giving_up = {"handshake that was given up half-way", be_given_up};
constexpr Mishap cancelling = {"handshake that was cancelled half-way", be_cancelled};

// Before each call of a healthy session another one of the thread has its mishap; one kind at a time, for the words.
void bad_neighbours(const Setup& setup) {
  skip_unless_tls(setup);
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  const char* const name = settings.server_name.c_str();
  const BenchOptions options = both_over(setup.transport);
  for (const Mishap* mishap : {&garbage, &leaving, &giving_up}) {
    Neighbourhood neighbourhood(contexts, options, name, *mishap);
    unsigned number = 0;
    neighbourhood.run([&] {
      Bench healthy(contexts, options, name);
      const auto disturbed = [&](End& end) {
        neighbourhood.disturb(number++);
        return done(end, end.handshake());
      };
      healthy.drive([&] { return disturbed(healthy.client()); }, [&] { return disturbed(healthy.server()); });
      neighbourhood.disturb(number++);
      require(read_once(healthy.client()) == TLSRIG_WANT_READ, "{} without input; WANT_READ was due", healthy.client());
      neighbourhood.disturb(number++);
      exchange(healthy, 20 * 1024);
      neighbourhood.disturb(number++);
      end_orderly(healthy);
    });
  }
}

// A hundred good sessions, whose calls take turns with the mishap of as many bad ones on the same thread: the good ones
// deliver every byte and end in order.
void among_good_ones(const Setup& setup, const Mishap& mishap) {
  skip_unless_tls(setup);
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  const BenchOptions options = both_over(setup.transport);
  const char* const name = settings.server_name.c_str();
  Neighbourhood neighbourhood(contexts, options, name, mishap);
  std::deque<Bench> good;
  for (unsigned i = 0; i < crowd; ++i) good.emplace_back(contexts, options, name);
  std::array<bool, crowd> done_already{};
  constexpr unsigned rounds_max = 10'000;
  unsigned bad = 0, finished = 0;
  neighbourhood.run([&] {
    for (unsigned round = 0; finished < crowd; ++round) {
      require(round < rounds_max, "{} of {} good handshakes stand still among bad ones", crowd - finished, crowd);
      for (unsigned i = 0; i < crowd; ++i) {
        if (done_already[i]) continue;
        const bool client = done(good[i].client(), good[i].client().handshake());
        if (bad < crowd) neighbourhood.disturb(bad++);
        const bool server = done(good[i].server(), good[i].server().handshake());
        if (!client || !server) continue;
        done_already[i] = true;
        ++finished;
      }
    }
  });
  require(bad == crowd, "only {} of {} bad sessions had their turn", bad, crowd);
  for (unsigned i = 0; i < crowd; ++i)
    neighbourhood.run([&] {
      if (i % 10 == 0) neighbourhood.disturb(i);
      exchange(good[i], 2000);
      end_orderly(good[i]);
    });
}

void garbage_among_a_hundred(const Setup& setup) { among_good_ones(setup, garbage); }
void cancelled_among_a_hundred(const Setup& setup) { among_good_ones(setup, cancelling); }

}  // namespace

std::vector<Step> neighbour_steps() {
  const char* const clear =
      "clear the library's error queue of the thread before each call (ERR_clear_error), and keep nothing of a session "
      "in variables that others share";
  return {
      {"bad-neighbours", "law 8: a session that fails leaves the others of its thread unharmed", judged<bad_neighbours>,
       clear},
      {"garbage-among-a-hundred", "law 8: garbage on 100 sessions leaves 100 others of the thread unharmed",
       judged<garbage_among_a_hundred>, clear},
      {"cancelled-among-a-hundred", "law 8: 100 handshakes given up half-way leave 100 others of the thread unharmed",
       judged<cancelled_among_a_hundred>, clear},
  };
}

}  // namespace tlsrig::check
