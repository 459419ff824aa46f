// The middle of one sample, without assumptions on its distribution.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <tlsrig/stats/estimate.hpp>

namespace tlsrig::stats {

// The median; the mean of the two middle values when their number is even. Throws std::invalid_argument for an empty
// sample and for a value that is not finite, as all functions here do.
double median(std::span<const double> values);

// The median absolute deviation from the median, not scaled.
double median_absolute_deviation(std::span<const double> values);

// The rank r, counted from 1, such that [r-th smallest, r-th largest] of n values holds the median with at least this
// probability, whatever the distribution (sign test): the largest such r. Empty when even [smallest, largest] does not.
std::optional<std::size_t> sign_test_rank(std::size_t n, double level);

// The median with its exact order-statistic interval.
Estimate median_estimate(std::span<const double> values, double level = usual_level);

}  // namespace tlsrig::stats
