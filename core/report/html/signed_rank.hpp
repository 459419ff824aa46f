// The figures of the signed-rank interval that the page's method box quotes. The box stats computes intervals; this
// counts the same distribution for the page alone, since reports depend on no other box. A test holds them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tlsrig::report::html {

struct SignedRank {
  std::uint64_t averages = 0;  // M = n(n+1)/2, the Walsh averages
  std::uint64_t k = 0;         // how many are left out at each end
  double level = 0;            // the probability that the interval really has: at least 0.95
};

// Of n pairs at 95 %. Empty below 6 pairs, which give no interval, and above 300, where the normal approximation is
// used.
std::optional<SignedRank> signed_rank(std::size_t n);

}  // namespace tlsrig::report::html
