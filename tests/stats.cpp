// The statistics against values worked out apart from the program. Numbers called scipy's are from
// python3-scipy 1.10.1: K by the p-values of wilcoxon(mode='exact') (up to n = 50, where it ends; above, the null
// distribution was counted in whole numbers), intervals by inverting that test or binomtest over all Walsh averages or
// values.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <tlsrig/stats/median.hpp>
#include <tlsrig/stats/paired.hpp>
#include <tlsrig/stats/verdict.hpp>

namespace stats = tlsrig::stats;
using doctest::Approx;
using stats::Interval;

namespace {

using Counts = std::vector<std::pair<std::size_t, std::uint64_t>>;

std::vector<double> drawn(std::size_t n, double centre, double deviation, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(centre, deviation);
  std::vector<double> values(n);
  for (double& value : values) value = normal(generator);
  return values;
}

stats::Verdict judged(double low, double high, const stats::Basis& basis, std::size_t n = 8) {
  const auto verdict = stats::judge({std::sqrt(low * high), Interval{low, high}, n}, basis);
  REQUIRE(verdict.has_value());
  return *verdict;
}

const std::vector<double> ten = {0.113, -0.021, 0.254, 0.087, 0.302, -0.148, 0.196, 0.061, 0.333, 0.019};

}  // namespace

TEST_CASE("signed_rank_k is scipy's, and exact beyond") {
  for (const auto& [n, k] : Counts{{6, 0},
                                   {7, 2},
                                   {8, 3},
                                   {9, 5},
                                   {10, 8},
                                   {12, 13},
                                   {15, 25},
                                   {20, 52},
                                   {25, 89},
                                   {30, 137},
                                   {40, 264},
                                   {50, 434},
                                   {100, 1955},
                                   {200, 8444},
                                   {300, 19628}}) {
    CAPTURE(n);
    CHECK(stats::signed_rank_k(n, 0.95) == k);
  }
  for (const auto& [n, k] : Counts{{6, 2}, {7, 3}, {8, 5}, {10, 10}, {12, 17}, {20, 60}, {30, 151}, {300, 20100}}) {
    CAPTURE(n);
    CHECK(stats::signed_rank_k(n, 0.90) == k);
  }
  for (const auto& [n, k] : Counts{{8, 0}, {9, 1}, {10, 3}, {15, 15}, {20, 37}, {30, 109}, {50, 373}, {300, 18708}}) {
    CAPTURE(n);
    CHECK(stats::signed_rank_k(n, 0.99) == k);
  }
}

TEST_CASE("signed_rank_k has no answer where no interval reaches the level") {
  for (std::size_t n = 0; n < 6; ++n) CHECK_FALSE(stats::signed_rank_k(n, 0.95).has_value());
  CHECK_FALSE(stats::signed_rank_k(5, 0.50).has_value());
  CHECK_FALSE(stats::signed_rank_k(6, 0.99).has_value());
  CHECK_FALSE(stats::signed_rank_k(7, 0.99).has_value());
}

TEST_CASE("signed_rank_k goes over into the approximation without a jump") {
  const auto k = [](std::size_t n) { return static_cast<double>(stats::signed_rank_k(n, 0.95).value()); };
  const double last_step = k(300) - k(299), across = k(301) - k(300), first_step = k(302) - k(301);
  CHECK(std::abs(across - last_step) < 15);
  CHECK(std::abs(first_step - last_step) < 15);
}

TEST_CASE("walsh_estimate gives the Hodges-Lehmann estimate and scipy's inverted test") {
  const auto estimate = stats::walsh_estimate(ten);
  CHECK(estimate.value == Approx(0.1165).epsilon(1e-12));
  CHECK(estimate.n == 10);
  REQUIRE(estimate.interval);
  CHECK(estimate.interval->low == Approx(0.019).epsilon(1e-12));
  CHECK(estimate.interval->high == Approx(0.225).epsilon(1e-12));
}

TEST_CASE("walsh_estimate at other levels and sizes is scipy's") {
  struct Expected {
    const std::vector<double>& values;
    double level, value, low, high;
  };
  const std::vector<double> eight = {0.0215, 0.0213, 0.0221, 0.0365, 0.0403, -0.004, -0.0028, 0.0061};
  const std::vector<double> twenty = {0.0147,   -0.01035, 0.00163,  0.02048,  -0.01231, -0.02784, 0.01091,
                                      0.01431,  -0.00696, 0.02524,  0.03292,  0.01897,  0.00601,  0.0339,
                                      -0.00533, -0.01677, -0.01286, -0.01983, 0.00396,  0.01184};
  for (const auto& [values, level, value, low, high] :
       std::vector<Expected>{{ten, 0.90, 0.1165, 0.024, 0.21},
                             {ten, 0.99, 0.1165, -0.0435, 0.2935},
                             {eight, 0.95, 0.01845, 0.00105, 0.0312},
                             {eight, 0.90, 0.01845, 0.0061, 0.0308},
                             {eight, 0.99, 0.01845, -0.004, 0.0403},
                             {twenty, 0.95, 0.003845, -0.00445, 0.013075},
                             {twenty, 0.90, 0.003845, -0.00315, 0.011465},
                             {twenty, 0.99, 0.003845, -0.008, 0.01616}}) {
    CAPTURE(values.size());
    CAPTURE(level);
    const auto estimate = stats::walsh_estimate(values, level);
    CHECK(estimate.value == Approx(value).epsilon(1e-12));
    CHECK(estimate.interval.value().low == Approx(low).epsilon(1e-12));
    CHECK(estimate.interval->high == Approx(high).epsilon(1e-12));
  }
  const auto middle = stats::median_estimate(twenty);  // binomtest inverted
  CHECK(middle.value == Approx(0.004985).epsilon(1e-12));
  CHECK(middle.interval.value() == Interval{-0.01035, 0.0147});
}

TEST_CASE("a level that asks for next to nothing still gives an interval in order") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto estimate = stats::walsh_estimate(drawn(5 + seed, 0, 1, seed), 1e-9);
    CHECK(estimate.interval.value().low <= estimate.value);
    CHECK(estimate.value <= estimate.interval->high);
  }
}

TEST_CASE("walsh_estimate of few values has no interval") {
  const std::vector<double> five = {1, 2, 3, 4, 100};
  const auto estimate = stats::walsh_estimate(five);
  CHECK(estimate.value == Approx(3));  // of the 15 averages 1 1.5 2 2 2.5 2.5 3 3 3.5 4 50.5 51 51.5 52 100
  CHECK_FALSE(estimate.interval);
  const std::vector<double> one = {-0.5};
  CHECK(stats::walsh_estimate(one).value == -0.5);
}

TEST_CASE("walsh_estimate turns with the sign and moves with a shift") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto values = drawn(6 + seed, 0.1, 1.0, seed);
    std::vector<double> negated, shifted;
    for (const double value : values) {
      negated.push_back(-value);
      shifted.push_back(value + 3);
    }
    const auto estimate = stats::walsh_estimate(values);
    const auto opposite = stats::walsh_estimate(negated);
    const auto moved = stats::walsh_estimate(shifted);
    CHECK(opposite.value == Approx(-estimate.value));
    CHECK(opposite.interval.value().low == Approx(-estimate.interval.value().high));
    CHECK(opposite.interval->high == Approx(-estimate.interval->low));
    CHECK(moved.value == Approx(estimate.value + 3));
    CHECK(moved.interval.value().low == Approx(estimate.interval->low + 3));
    CHECK(estimate.interval->low <= estimate.value);
    CHECK(estimate.value <= estimate.interval->high);
  }
}

TEST_CASE("walsh_estimate's interval holds the centre about as often as its level says") {
  int held = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const auto interval = stats::walsh_estimate(drawn(8, 0, 1, seed)).interval.value();
    held += interval.low <= 0 && 0 <= interval.high ? 1 : 0;
  }
  // K = 3 at n = 8 covers 1 - 2 * 5/256 = 96.1 %; three deviations of 2,000 draws are 1.3 %.
  CHECK(held > 1896);
  CHECK(held < 1948);
}

TEST_CASE("one disturbed block does not decide") {
  std::vector<double> values(12, 0.0);
  for (std::size_t index = 0; index < values.size(); ++index) values[index] = 0.001 * static_cast<double>(index);
  const auto calm = stats::walsh_estimate(values);
  values.back() = 50;
  const auto disturbed = stats::walsh_estimate(values);
  CHECK(std::abs(disturbed.value - calm.value) < 0.001);
  CHECK(disturbed.interval.value().high < 0.02);
}

TEST_CASE("paired_ratio works on logarithms") {
  const std::vector<double> arm = {103.2, 98.7, 110.4, 105.9, 101.3, 99.8, 107.7, 104.4};
  const std::vector<double> baseline = {100.1, 97.9, 104.0, 101.2, 102.5, 96.6, 101.9, 100.0};
  const auto ratio = stats::paired_ratio(arm, baseline);
  CHECK(ratio.value == Approx(1.0359864576110327).epsilon(1e-12));
  REQUIRE(ratio.interval);
  CHECK(ratio.interval->low == Approx(1.009405344562261).epsilon(1e-12));
  CHECK(ratio.interval->high == Approx(1.0539635481548502).epsilon(1e-12));

  const auto inverse = stats::paired_ratio(baseline, arm);
  CHECK(inverse.value == Approx(1 / ratio.value));
  CHECK(inverse.interval.value().low == Approx(1 / ratio.interval->high));

  std::vector<double> scaled_arm = arm, scaled_baseline = baseline;
  for (std::size_t block = 0; block < arm.size(); ++block) {
    const double drift = 1 + 0.3 * static_cast<double>(block);  // the machine's, alike for both
    scaled_arm[block] *= drift;
    scaled_baseline[block] *= drift;
  }
  const auto drifted = stats::paired_ratio(scaled_arm, scaled_baseline);
  CHECK(drifted.value == Approx(ratio.value));
  CHECK(drifted.interval.value().low == Approx(ratio.interval->low));
  CHECK(stats::paired_ratio(arm, arm).interval.value() == Interval{1, 1});
}

TEST_CASE("precision is the half width as a factor") {
  CHECK(stats::precision({1 / 1.01, 1.01}) == Approx(0.01));
  CHECK(stats::precision({2 / 1.05, 2 * 1.05}) == Approx(0.05));
  CHECK(stats::precision({3, 3}) == 0);
}

TEST_CASE("what cannot be estimated is refused in words") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<double> none, with_nan = {1, nan, 2}, with_inf = {1, inf}, with_zero = {1, 0}, good = {1, 2};
  CHECK_THROWS_AS(stats::median(none), std::invalid_argument);
  CHECK_THROWS_AS(stats::median(with_nan), std::invalid_argument);
  CHECK_THROWS_AS(stats::walsh_estimate(none), std::invalid_argument);
  CHECK_THROWS_AS(stats::walsh_estimate(with_inf), std::invalid_argument);
  CHECK_THROWS_WITH_AS(stats::paired_ratio(good, with_zero),
                       "a ratio needs positive finite values, found 0.000000 in block 1", std::invalid_argument);
  CHECK_THROWS_WITH_AS(stats::paired_ratio(good, none),
                       "paired values are needed, found 2 of the arm and 0 of the baseline", std::invalid_argument);
}

TEST_CASE("median and median absolute deviation") {
  const std::vector<double> odd = {9, 1, 5}, even = {4, 1, 3, 2}, outlier = {1, 2, 3, 4, 1000};
  CHECK(stats::median(odd) == 5);
  CHECK(stats::median(even) == 2.5);
  CHECK(stats::median(outlier) == 3);
  CHECK(stats::median_absolute_deviation(outlier) == 1);  // of 2 1 0 1 997
  CHECK(stats::median_absolute_deviation(std::vector<double>(7, 4.5)) == 0);
}

TEST_CASE("sign_test_rank is where scipy's binomial tail ends") {
  for (const auto& [n, rank] : Counts{{6, 1},
                                      {7, 1},
                                      {8, 1},
                                      {9, 2},
                                      {10, 2},
                                      {12, 3},
                                      {15, 4},
                                      {20, 6},
                                      {30, 10},
                                      {40, 14},
                                      {100, 40},
                                      {1000, 469}}) {
    CAPTURE(n);
    CHECK(stats::sign_test_rank(n, 0.95) == rank);
  }
  CHECK(stats::sign_test_rank(8, 0.90) == 2);
  CHECK_FALSE(stats::sign_test_rank(5, 0.95));
  CHECK_FALSE(stats::sign_test_rank(6, 0.99));
  CHECK(stats::sign_test_rank(40, 0.99) == 12);
  CHECK(stats::sign_test_rank(5000, 0.95) == 2431);  // 2^-5000 is no double
}

TEST_CASE("median_estimate takes the order statistics") {
  const std::vector<double> values = {14, 11, 19, 12, 17, 13, 20, 15, 16, 18};
  const auto estimate = stats::median_estimate(values);
  CHECK(estimate.value == 15.5);
  CHECK(estimate.interval.value() == Interval{12, 19});
  const auto few = stats::median_estimate(std::vector<double>{3, 1, 2});
  CHECK(few.value == 2);
  CHECK_FALSE(few.interval);
}

TEST_CASE("verdicts: the first rule that applies") {
  const stats::Basis basis;  // more is better, E = 2 %, no twin
  CHECK(judged(1.03, 1.05, basis).words == "faster");
  CHECK(judged(0.90, 0.97, basis).words == "slower");
  CHECK(judged(0.99, 1.01, basis).words == "equivalent");
  CHECK(judged(1.005, 1.015, basis).words == "equivalent");  // certainly more, and too little to matter
  CHECK(judged(1.01, 1.05, basis).words == "likely faster");
  CHECK(judged(0.95, 0.99, basis).words == "likely slower");
  CHECK(judged(0.97, 1.03, basis).words == "inconclusive");
  CHECK(judged(0.97, 1.01, basis).words == "inconclusive");
  CHECK(judged(1.03, 1.05, basis).limit == Approx(0.02));
}

TEST_CASE("verdicts: what the twin shows raises the limit, never lowers it") {
  stats::Basis basis;
  basis.self_check = Interval{0.99, 1.06};
  CHECK(judged(1.03, 1.05, basis).words == "likely faster");
  CHECK(judged(1.03, 1.05, basis).limit == Approx(0.06));
  CHECK(judged(1.07, 1.09, basis).words == "faster");
  CHECK(judged(0.90, 0.93, basis).words == "slower");      // 1/1.06 = 0.943
  CHECK(judged(0.99, 1.01, basis).words == "equivalent");  // E stays E
  CHECK(judged(0.97, 1.03, basis).words == "inconclusive");
  basis.self_check = Interval{0.80, 1.01};
  CHECK(judged(1.07, 1.09, basis).limit == Approx(0.25));  // 0.80 is as far as 1.25
  basis.self_check = Interval{0.999, 1.001};
  CHECK(judged(1.07, 1.09, basis).limit == Approx(0.02));
}

TEST_CASE("verdicts: words follow the metric") {
  stats::Basis time;
  time.better = stats::Better::lower;
  CHECK(judged(0.80, 0.90, time).words == "faster");
  CHECK(judged(1.10, 1.20, time).words == "slower");
  CHECK(judged(0.95, 0.99, time).words == "likely faster");
  CHECK(judged(0.80, 0.90, time).finding == stats::Finding::better);

  stats::Basis bytes = time;
  bytes.quantity = stats::Quantity::size;
  CHECK(judged(0.80, 0.90, bytes).words == "smaller");
  CHECK(judged(1.10, 1.20, bytes).words == "larger");
  CHECK(judged(0.95, 0.99, bytes).words == "likely smaller");
  CHECK(judged(1.01, 1.05, bytes).words == "likely larger");
  CHECK(judged(0.99, 1.01, bytes).words == "equivalent");
  bytes.better = stats::Better::higher;  // "smaller" would be a bad word there, and a good one elsewhere
  CHECK_THROWS_AS(judged(0.80, 0.90, bytes), std::invalid_argument);
}

TEST_CASE("verdicts: swapping arm and baseline mirrors the finding") {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-0.08, 0.08);
  stats::Basis basis;
  basis.self_check = Interval{0.98, 1.03};
  for (int round = 0; round < 500; ++round) {
    double low = uniform(generator), high = uniform(generator);
    if (low > high) std::swap(low, high);
    const auto there = judged(std::exp(low), std::exp(high), basis).finding;
    const auto back = judged(std::exp(-high), std::exp(-low), basis).finding;
    switch (there) {
      case stats::Finding::better:
        CHECK(back == stats::Finding::worse);
        break;
      case stats::Finding::worse:
        CHECK(back == stats::Finding::better);
        break;
      case stats::Finding::likely_better:
        CHECK(back == stats::Finding::likely_worse);
        break;
      case stats::Finding::likely_worse:
        CHECK(back == stats::Finding::likely_better);
        break;
      default:
        CHECK(back == there);
    }
  }
}

TEST_CASE("verdicts: inconclusive says how many blocks would settle it") {
  stats::Basis basis;
  // Centre 1, ends 4 % away: to fit into 2 % the width must about halve, which takes about 4 times the blocks.
  const auto centred = judged(1 / 1.04, 1.04, basis);
  CHECK(centred.words == "inconclusive");
  CHECK(centred.blocks_needed == 32);
  // Centre 3 %, half width 4 %: 1 falls outside at (4/3)^2 = 1.8 times.
  const auto aside = judged(std::exp(-0.01), std::exp(0.07), basis);
  CHECK(aside.blocks_needed == 15);
  CHECK_FALSE(judged(1.03, 1.05, basis).blocks_needed);
  basis.equivalence = 0;
  CHECK_FALSE(judged(0.5, 2.0, basis).blocks_needed);  // exactly 1 in the middle: nothing would
}

TEST_CASE("verdicts: without an interval there is none") {
  CHECK_FALSE(stats::judge({1.5, std::nullopt, 5}, stats::Basis{}));
  CHECK_THROWS_AS(stats::judge({1, Interval{-1, 1}, 8}, stats::Basis{}), std::invalid_argument);
  stats::Basis basis;
  basis.equivalence = -0.1;
  CHECK_THROWS_AS(stats::judge({1, Interval{1, 1}, 8}, basis), std::invalid_argument);
}
