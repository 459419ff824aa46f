// Two samples that are not paired: how far the second lies from the first. The Hodges-Lehmann estimate of the shift and
// the exact Wilcoxon rank-sum (Mann-Whitney) interval around it: one disturbed value decides neither.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <tlsrig/stats/estimate.hpp>

namespace tlsrig::stats {

// The largest K such that of all n * m pairs K or fewer have the value of the first sample above the other's, with a
// probability of at most (1 - level) / 2 when both come from one distribution: the interval leaves out the K smallest
// and the K largest differences. Counted exactly while both samples have up to rank_sum_exact_up_to values, by the
// normal approximation beyond. Empty when there is no such K, or either sample has less than fewest_for_interval
// values: a run too short to be judged by itself is too short to be judged against another.
std::optional<std::uint64_t> rank_sum_k(std::size_t n, std::size_t m, double level);

inline constexpr std::size_t rank_sum_exact_up_to = 50;

// The median of all differences new_values[j] - old_values[i], and its interval; `n` counts the values of both. Throws
// std::invalid_argument when either sample is empty or a value is not finite. Takes n * m doubles of memory.
Estimate shift(std::span<const double> old_values, std::span<const double> new_values, double level = usual_level);

}  // namespace tlsrig::stats
