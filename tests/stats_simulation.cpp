// The whole procedure on simulated machines, with fixed seeds: how often it is right when the truth is known. A bound
// here is a demand on the procedure; the standard error of the share that is counted stands beside each, so that no
// bound is met by luck.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <tlsrig/stats/paired.hpp>
#include <tlsrig/stats/stopping.hpp>
#include <tlsrig/stats/verdict.hpp>

namespace stats = tlsrig::stats;

namespace {

// A machine whose speed wanders and arms that see it by turns, as in a run: slices in shuffled rounds within a block.
struct Machine {
  double walk = 0;           // standard deviation of the step that its speed makes within a block, shared by the arms
  double noise = 0;          // that of each arm's own value in a block
  unsigned spike_every = 0;  // one block in so many has one arm, any of them, disturbed by 20 %; 0: none
};

constexpr unsigned rounds = 5;  // fewer than a run has: the walk is felt the more

// Throughputs by arm and block.
using Values = std::vector<std::vector<double>>;

class Run {
 public:
  // True log throughputs of the arms, the baseline's first.
  Run(const Machine& machine, std::vector<double> truth, std::mt19937_64& random)
      : machine_(machine), truth_(std::move(truth)), random_(random), values_(truth_.size()) {}

  void block() {
    std::vector<double> logarithms = truth_;
    wander(logarithms);
    for (double& logarithm : logarithms) logarithm += machine_.noise * normal_(random_);
    if (machine_.spike_every && random_() % machine_.spike_every == 0)
      logarithms[random_() % logarithms.size()] += std::log(0.8);
    for (std::size_t arm = 0; arm < truth_.size(); ++arm) values_[arm].push_back(1e5 * std::exp(logarithms[arm]));
  }

  const Values& blocks(std::size_t count) {
    while (values_[0].size() < count) block();
    return values_;
  }

  stats::Estimate ratio(std::size_t arm) const { return stats::paired_ratio(values_[arm], values_[0]); }

 private:
  void wander(std::vector<double>& logarithms) {
    if (machine_.walk == 0) return;
    std::vector<std::size_t> order(truth_.size());
    for (std::size_t arm = 0; arm < order.size(); ++arm) order[arm] = arm;
    const double step = machine_.walk / std::sqrt(static_cast<double>(rounds * order.size()));
    for (unsigned round = 0; round < rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random_);
      for (const std::size_t arm : order) {
        speed_ += step * normal_(random_);
        logarithms[arm] += speed_ / rounds;
      }
    }
  }

  Machine machine_;
  std::vector<double> truth_;
  std::mt19937_64& random_;
  std::normal_distribution<double> normal_{0, 1};
  double speed_ = 0;
  Values values_;
};

bool holds(const stats::Estimate& ratio, double truth) {
  return ratio.interval->low <= truth && truth <= ratio.interval->high;
}

// The share of `repetitions` in which `happens` says so.
template <class Function>
double share(int repetitions, Function&& happens) {
  int count = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) count += happens() ? 1 : 0;
  return static_cast<double>(count) / repetitions;
}

stats::Basis basis(double equivalence, const std::optional<stats::Interval>& self_check = {}) {
  return {stats::Better::higher, stats::Quantity::speed, equivalence, self_check};
}

}  // namespace

TEST_SUITE("simulation") {
  // Standard error of a share of 5 % of 8,000: 0.24 %.
  TEST_CASE("no difference on a drifting machine: 1 is excluded in at most 6 %") {
    for (const double walk : {0.01, 0.02}) {
      for (const std::size_t n : {8, 10, 20, 40}) {
        std::mt19937_64 random(1000 + n);
        const double excluded = share(8'000, [&] {
          Run run({walk, 0.01, 0}, {0, 0}, random);
          run.blocks(n);
          return !holds(run.ratio(1), 1);
        });
        MESSAGE("walk ", walk, ", n = ", n, ": excluded in ", excluded);
        CHECK(excluded <= 0.06);
        CHECK(excluded >= 0.02);  // far below the level, an interval would be needlessly wide
      }
    }
  }

  // Standard error of a share of 95 % of 10,000: 0.22 %. At n = 8 the exact level is 96.1 %.
  TEST_CASE("the interval holds the true ratio in 93 to 98 %, disturbed blocks or not") {
    for (const unsigned spike_every : {0u, 8u, 20u}) {
      for (const std::size_t n : {8, 10, 20}) {
        std::mt19937_64 random(2000 + n + spike_every);
        const double truth = 0.05;
        const double held = share(10'000, [&] {
          Run run({0.01, 0.015, spike_every}, {0, truth}, random);
          run.blocks(n);
          return holds(run.ratio(1), std::exp(truth));
        });
        MESSAGE("a spike in ", spike_every, ", n = ", n, ": held in ", held);
        CHECK(held >= 0.93);
        CHECK(held <= 0.98);
      }
    }
  }

  // As judge::precise_enough stops a cell of two arms: two are the worst case, since more arms must all be precise.
  // The noise goes from "eight blocks do" to "forty do not". Standard error of a share of 94 % of 10,000: 0.24 %.
  TEST_CASE("the interval holds the true ratio in 93 to 98 % when its width ends the run") {
    constexpr std::size_t fewest = 8, most = 40;
    constexpr double target = 0.01;
    for (const unsigned spike_every : {0u, 10u}) {
      for (const double noise : {0.007, 0.010, 0.014, 0.017, 0.025}) {
        std::mt19937_64 random(3000 + spike_every);
        double blocks = 0;
        const double held = share(10'000, [&] {
          Run run({0.0, noise, spike_every}, {0, 0.03}, random);
          for (std::size_t n = fewest;; ++n) {
            run.blocks(n);
            if (n < most && !stats::time_to_look(n, fewest)) continue;
            const stats::Estimate ratio = run.ratio(1);
            if (n < most && stats::precision(*ratio.interval) > target) continue;
            blocks += static_cast<double>(n);
            return holds(ratio, std::exp(0.03));
          }
        });
        MESSAGE("noise ", noise, ", a spike in ", spike_every, ": held in ", held, " after ", blocks / 10'000,
                " blocks");
        CHECK(held >= 0.93);
        CHECK(held <= 0.98);
      }
    }
  }

  // "sd 2 %" is the deviation of a block's log ratio: each arm has 2 % / sqrt 2 of its own. Standard error of a share
  // of 95 % of 4,000: 0.34 %, of 80 %: 0.63 %.
  TEST_CASE("a true 3 % at sd 2 %, 20 blocks: seen, and called faster") {
    std::mt19937_64 random(4000);
    int faster = 0, faster_beside_twin = 0;
    const double excluded = share(4'000, [&] {
      Run run({0.01, 0.02 / std::sqrt(2.0), 0}, {0, std::log(1.03), 0}, random);
      run.blocks(20);
      const auto ratio = run.ratio(1), twin = run.ratio(2);
      faster += stats::judge(ratio, basis(0.01))->words == "faster" ? 1 : 0;
      faster_beside_twin += stats::judge(ratio, basis(0.01, twin.interval))->words == "faster" ? 1 : 0;
      return !holds(ratio, 1);
    });
    MESSAGE("excludes 1 in ", excluded, ", faster ", faster / 4000.0, ", beside a twin ", faster_beside_twin / 4000.0);
    CHECK(excluded >= 0.95);
    CHECK(faster / 4000.0 >= 0.80);
    CHECK(faster_beside_twin / 4000.0 >= 0.80);  // the twin's own uncertainty widens the limit
  }

  // Standard error of a share of 1 % of 10,000: 0.1 %.
  TEST_CASE("a true 4 % at sd 12 %, 8 blocks: not called equivalent") {
    for (const double equivalence : {0.02, 0.03}) {
      std::mt19937_64 random(5000);
      const double equivalent = share(10'000, [&] {
        Run run({0.01, 0.12 / std::sqrt(2.0), 0}, {0, std::log(1.04)}, random);
        run.blocks(8);
        return stats::judge(run.ratio(1), basis(equivalence))->words == "equivalent";
      });
      MESSAGE("equivalence ", equivalence, ": equivalent in ", equivalent);
      CHECK(equivalent <= 0.01);
    }
  }

  // An arm that equals the baseline, beside the baseline's twin: what twenty runs of equal arms show. Standard error of
  // a share of 0.1 % of 10,000: 0.03 %; of 5 %: 0.22 %.
  TEST_CASE("equal arms beside a twin: a verdict in at most 0.2 %, likely in at most 6 %") {
    for (const double noise : {0.003, 0.01, 0.05}) {
      for (const double equivalence : {0.0, 0.02}) {
        std::mt19937_64 random(6000);
        int decided = 0, likely = 0;
        for (int repetition = 0; repetition < 10'000; ++repetition) {
          Run run({0.02, noise, 20}, {0, 0, 0}, random);
          run.blocks(8);
          const auto verdict = stats::judge(run.ratio(1), basis(equivalence, run.ratio(2).interval)).value();
          using stats::Finding;
          decided += verdict.finding == Finding::better || verdict.finding == Finding::worse ? 1 : 0;
          likely += verdict.finding == Finding::likely_better || verdict.finding == Finding::likely_worse ? 1 : 0;
        }
        MESSAGE("noise ", noise, ", equivalence ", equivalence, ": decided ", decided / 1e4, ", likely ", likely / 1e4);
        CHECK(decided / 1e4 <= 0.002);
        CHECK(likely / 1e4 <= 0.06);
      }
    }
  }
}
