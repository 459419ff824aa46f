// The exact distribution of the signed-rank sum.
#include <tlsrig/report/html/signed_rank.hpp>

#include <vector>

namespace tlsrig::report::html {

std::optional<SignedRank> signed_rank(std::size_t n) {
  constexpr std::size_t fewest = 6, most = 300;
  constexpr double tail_allowed = 0.025;
  if (n < fewest || n > most) return std::nullopt;
  // share[w]: the probability that the ranks with a plus sign add up to w, when each sign is a coin's.
  std::vector<double> share(n * (n + 1) / 2 + 1, 0.0);
  share[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = rank * (rank + 1) / 2 + 1; sum-- > 0;)
      share[sum] = (share[sum] + (sum >= rank ? share[sum - rank] : 0.0)) / 2;
  }
  SignedRank found;
  found.averages = n * (n + 1) / 2;
  double tail = share[0];
  for (std::size_t sum = 1; tail + share[sum] <= tail_allowed; ++sum) {
    tail += share[sum];
    found.k = sum;
  }
  found.level = 1 - 2 * tail;
  return found;
}

}  // namespace tlsrig::report::html
