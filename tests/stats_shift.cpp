// The shift between two samples. Numbers called scipy's are from python3-scipy 1.10.1: mannwhitneyu(method='exact')
// inverted over all differences of the samples.
#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include <tlsrig/stats/shift.hpp>

namespace stats = tlsrig::stats;
using doctest::Approx;

namespace {

struct Count {
  std::size_t n, m;
  std::uint64_t k;
};

std::vector<double> drawn(std::size_t n, double centre, std::mt19937& generator) {
  std::normal_distribution<double> normal(centre, 1);
  std::vector<double> values(n);
  for (double& value : values) value = normal(generator);
  return values;
}

}  // namespace

TEST_CASE("rank_sum_k counts the null distribution as scipy does") {
  for (const auto& [n, m, k] : std::vector<Count>{{6, 6, 5},
                                                  {6, 8, 8},
                                                  {8, 8, 13},
                                                  {8, 10, 17},
                                                  {10, 10, 23},
                                                  {8, 20, 41},
                                                  {20, 20, 127},
                                                  {12, 40, 149},
                                                  {40, 40, 596},
                                                  {50, 50, 965}}) {
    CAPTURE(n);
    CAPTURE(m);
    CHECK(stats::rank_sum_k(n, m, 0.95) == k);
    CHECK(stats::rank_sum_k(m, n, 0.95) == k);
  }
  for (const auto& [n, m, k] : std::vector<Count>{{6, 6, 2},
                                                  {6, 8, 4},
                                                  {8, 8, 7},
                                                  {8, 10, 11},
                                                  {10, 10, 16},
                                                  {8, 20, 30},
                                                  {20, 20, 105},
                                                  {12, 40, 122},
                                                  {40, 40, 533},
                                                  {50, 50, 877}}) {
    CAPTURE(n);
    CAPTURE(m);
    CHECK(stats::rank_sum_k(n, m, 0.99) == k);
  }
}

TEST_CASE("rank_sum_k has no answer for samples too small") {
  CHECK_FALSE(stats::rank_sum_k(5, 40, 0.95));
  CHECK_FALSE(stats::rank_sum_k(40, 5, 0.95));
  CHECK_FALSE(stats::rank_sum_k(0, 0, 0.50));
  CHECK_FALSE(stats::rank_sum_k(6, 6, 0.999));  // the most extreme of 924 orders has a probability of 0.0011
  CHECK(stats::rank_sum_k(6, 6, 0.99));
}

TEST_CASE("rank_sum_k goes over into the approximation without a jump") {
  const auto k = [](std::size_t n, std::size_t m) {
    return static_cast<double>(stats::rank_sum_k(n, m, 0.95).value());
  };
  for (const std::size_t n : {8, 20, 50}) {
    const double last_step = k(n, 50) - k(n, 49), across = k(n, 51) - k(n, 50), first_step = k(n, 52) - k(n, 51);
    CAPTURE(n);
    CHECK(std::abs(across - last_step) <= 2);
    CHECK(std::abs(first_step - last_step) <= 2);
  }
  CHECK(stats::rank_sum_k(1000, 1000, 0.95).value() > 400'000);
}

TEST_CASE("shift gives scipy's estimate and interval") {
  const std::vector<double> eight = {0.3239, 0.3021, 0.2486, 0.2956, 0.3009, 0.2917, 0.3143, 0.3081};
  const std::vector<double> ten = {0.2733, 0.2376, 0.2725, 0.2023, 0.3094, 0.3174, 0.2812, 0.2326, 0.2669, 0.2833};
  const auto estimate = stats::shift(eight, ten);
  CHECK(estimate.value == Approx(-0.02855).epsilon(1e-12));
  CHECK(estimate.n == 18);
  CHECK(estimate.interval.value().low == Approx(-0.063).epsilon(1e-12));
  CHECK(estimate.interval->high == Approx(0.0013).epsilon(1e-11));
  const auto wider = stats::shift(eight, ten, 0.99);
  CHECK(wider.interval.value().low == Approx(-0.0755).epsilon(1e-12));
  CHECK(wider.interval->high == Approx(0.0153).epsilon(1e-12));

  const std::vector<double> twenty = {1.04679, 1.04268, 0.95344, 0.99408, 1.03323, 1.12414, 1.01199,
                                      1.04277, 1.04961, 0.96748, 0.93998, 1.01894, 0.9741,  1.0424,
                                      1.06084, 1.02277, 0.95701, 0.99293, 0.79287, 1.03596};
  const std::vector<double> twelve = {1.00172, 1.01043, 1.02696, 1.00458, 0.96485, 1.00916,
                                      1.06257, 1.00995, 0.98253, 1.03339, 0.97184, 1.02302};
  const auto other = stats::shift(twenty, twelve);
  CHECK(other.value == Approx(-0.00913).epsilon(1e-11));
  CHECK(other.interval.value().low == Approx(-0.03352).epsilon(1e-11));
  CHECK(other.interval->high == Approx(0.02909).epsilon(1e-11));
}

TEST_CASE("shift turns with its samples and moves with either") {
  std::mt19937 generator(3);
  for (std::size_t n = 6; n < 20; ++n) {
    const auto old_values = drawn(n, 0, generator), new_values = drawn(26 - n, 1, generator);
    std::vector<double> moved = new_values;
    for (double& value : moved) value += 5;
    const auto there = stats::shift(old_values, new_values), back = stats::shift(new_values, old_values);
    CHECK(back.value == Approx(-there.value));
    CHECK(back.interval.value().low == Approx(-there.interval.value().high));
    CHECK(back.interval->high == Approx(-there.interval->low));
    CHECK(stats::shift(old_values, moved).value == Approx(there.value + 5));
    CHECK(there.interval->low <= there.value);
    CHECK(there.value <= there.interval->high);
  }
}

TEST_CASE("shift of few values has no interval, of none or not finite ones no value") {
  const std::vector<double> five = {1, 2, 3, 4, 5}, none, with_nan = {1, std::numeric_limits<double>::quiet_NaN()};
  const auto estimate = stats::shift(five, five);
  CHECK(estimate.value == 0);
  CHECK_FALSE(estimate.interval);
  CHECK_THROWS_WITH_AS(stats::shift(none, five), "a shift needs values of both samples, found none of the old",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(stats::shift(five, none), "a shift needs values of both samples, found none of the new",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(stats::shift(five, with_nan), "a shift needs finite values, found nan at index 1 of the new",
                       std::invalid_argument);
}
