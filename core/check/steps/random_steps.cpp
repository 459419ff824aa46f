// Sessions whose every size and turn is drawn: what no step with a plan of its own would try. The same seed draws the
// same everywhere, so a failure can be had again.
#include <chrono>
#include <random>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr std::size_t size_each_way = 100 * 1024;

// The engine is the same in every standard library; the distributions of <random> are not, so none is used.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t limit) { return std::size_t(engine_() % limit); }
  bool one_in(std::size_t count) { return below(count) == 0; }

  // 1 to 2^bits, small ones as often as large ones.
  std::size_t size(std::size_t bits) { return 1 + below(std::size_t(1) << below(bits + 1)); }

  std::vector<std::uint8_t> bytes(std::size_t size) {
    std::vector<std::uint8_t> drawn(size);
    for (std::uint8_t& byte : drawn) byte = std::uint8_t(engine_() >> 56);
    return drawn;
  }

 private:
  std::mt19937_64 engine_;
};

// One end and what it has still to say and hear.
struct Party {
  End* end;
  std::vector<std::uint8_t> data, got;
  bool established = false;
  std::size_t taken = 0, blocked = 0;  // blocked: the size that must be repeated, 0: none

  bool all_sent() const { return taken == data.size(); }
};

class Schedule {
 public:
  Schedule(Draws& draws, Bench& bench, bool moving)
      : draws_(&draws),
        bench_(&bench),
        moving_(moving),
        parties_{{&bench.client(), {}, {}}, {&bench.server(), {}, {}}} {
    for (Party& party : parties_) party.data = draws.bytes(size_each_way);
  }

  // To the last byte of both directions.
  void run() {
    using Clock = std::chrono::steady_clock;
    constexpr unsigned in_vain_max = 2000, busy = 50;
    const auto patience = bench_->client().port().patience();
    auto last_progress = Clock::now();
    for (unsigned in_vain = 0; !all_arrived();) {
      const std::uint64_t before = bench_->client().progress() + bench_->server().progress();
      Party& party = parties_[draws_->below(2)];
      call(party);
      const std::size_t late = bench_->client().collect() + bench_->server().collect();
      if (late || bench_->client().progress() + bench_->server().progress() != before) {
        in_vain = 0;
        last_progress = Clock::now();
      } else if (++in_vain >= in_vain_max && Clock::now() - last_progress >= patience) {
        bench_->stand_still();
      } else if (in_vain > busy) {
        party.end->port().wait(party.end->last_result());
      }
    }
    require_equal("server", parties_[0].data, parties_[1].got);
    require_equal("client", parties_[1].data, parties_[0].got);
  }

  // What was drawn for the last call.
  const std::string& last() const { return last_; }

 private:
  bool all_arrived() const {
    const auto done_with = [](const Party& writer, const Party& reader) {
      return writer.all_sent() && reader.got.size() >= writer.data.size();
    };
    return done_with(parties_[0], parties_[1]) && done_with(parties_[1], parties_[0]);
  }

  void call(Party& party) {
    End& end = *party.end;
    constexpr std::size_t piece_bits = 15, window_bits = 16;
    Flow& flow = end.incoming();
    flow.piece = draws_->one_in(4) ? unlimited : draws_->size(piece_bits);
    const std::size_t window = draws_->size(window_bits);
    if (moving_) end.port().resize_out(window);
    last_ = fmt::format("input in pieces of {}{}", flow.piece == unlimited ? "any size" : std::to_string(flow.piece),
                        moving_ ? fmt::format(", out of {}", window) : "");
    if (!party.established) {
      last_ += fmt::format(", {} handshake()", end.who());
      party.established = done(end, end.handshake());
    } else if (!party.all_sent() && draws_->one_in(2)) {
      write(party);
    } else {
      const std::size_t capacity = draws_->size(16);
      last_ += fmt::format(", {} read() into {}", end.who(), capacity);
      const tlsrig_result result = end.read(capacity, party.got);
      require(result != TLSRIG_CLOSED, "{} after {} bytes, before any end", end, party.got.size());
      done(end, result);
    }
  }

  void write(Party& party) {
    constexpr std::size_t write_bits = 15;  // a write may be given more than it takes
    const std::size_t drawn = std::min(draws_->size(write_bits), party.data.size() - party.taken);
    const std::size_t size = party.blocked ? party.blocked : drawn;
    last_ += fmt::format(", {} write() of {}{}", party.end->who(), size, party.blocked ? ", which was blocked" : "");
    std::size_t written = 0;
    const bool ok = done(*party.end, party.end->write({party.data.data() + party.taken, size}, written));
    party.blocked = ok ? 0 : size;
    if (ok) party.taken += written;
  }

  Draws* draws_;
  Bench* bench_;
  bool moving_;
  Party parties_[2];
  std::string last_;
};

void end_in_any_order(Bench& bench, bool client_first) {
  End& first = client_first ? bench.client() : bench.server();
  for (End* end : {&first, &bench.peer_of(first)}) {
    shut_down(bench, *end);
    read_to_closed(bench, bench.peer_of(*end));
  }
}

std::string random_schedule(const Setup& setup) {
  const bool wire = setup.transport == TLSRIG_WIRE;
  const unsigned rounds = wire ? 30 : 12;  // a call over a socket takes several system calls of the bench
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  Draws draws(setup.seed);
  for (unsigned round = 1; round <= rounds; ++round) {
    BenchOptions options = both_over(setup.transport);
    options.ports.moving_windows = wire && !draws.one_in(3);
    options.ports.out_window = 100 + draws.size(14);
    options.limit = draws.one_in(2) ? unlimited : 1000 + draws.size(16);
    Bench bench(contexts, options, settings.server_name.c_str());
    Schedule schedule(draws, bench, options.ports.moving_windows);
    try {
      schedule.run();
      bench.client().incoming().piece = bench.server().incoming().piece = unlimited;
      end_in_any_order(bench, draws.one_in(2));
    } catch (const Failed& failed) {
      const std::string windows = !wire                          ? "no size"
                                  : options.ports.moving_windows ? "a new size at each call"
                                                                 : std::to_string(options.ports.out_window);
      retell(
          failed,
          fmt::format("round {} of {} with seed {}: {} [drawn: out windows of {}, up to {} bytes under way; last "
                      "call: {}]",
                      round, rounds, setup.seed, failed.what(), windows,
                      options.limit == unlimited ? "any number of" : std::to_string(options.limit), schedule.last()));
    }
  }
  return fmt::format("seed {}: {} sessions with {} KiB each way", setup.seed, rounds, size_each_way / 1024);
}

}  // namespace

std::vector<Step> random_steps() {
  return {
      {"random-schedule", "laws 1 to 4 and 8: whatever the sizes and turns, every byte arrives once and in order",
       judged<random_schedule>,
       "repeat it with the same --seed and --trace, and look at the last call: keep nothing between two calls that "
       "depends on the address or size of a window, and repeat a blocked write as it was"},
  };
}

}  // namespace tlsrig::check
