// Drawing processors.
#include <tlsrig/rig/processors.hpp>

#include <random>

#include <tlsrig/rig/shuffle.hpp>
#include <tlsrig/scenario/legs.hpp>

namespace tlsrig::rig {

std::map<std::string, std::vector<unsigned>> processors_of(const scenario::Settings& settings,
                                                           std::span<const unsigned> allowed, std::uint64_t seed) {
  const std::size_t threads = scenario::threads_of(settings);
  const auto roles = scenario::roles_of(settings);
  std::map<std::string, std::vector<unsigned>> processors;
  if (settings.measure.processors == scenario::Processors::free || roles.size() * threads > allowed.size())
    return processors;
  std::vector<unsigned> order(allowed.begin(), allowed.end());
  std::mt19937_64 random(seed);
  shuffle(order, random);
  auto next = order.begin();
  for (const auto& role : roles) {
    processors[role].assign(next, next + static_cast<std::ptrdiff_t>(threads));
    next += static_cast<std::ptrdiff_t>(threads);
  }
  return processors;
}

}  // namespace tlsrig::rig
