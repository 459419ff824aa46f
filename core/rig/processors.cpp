// Drawing processors.
#include <tlsrig/rig/processors.hpp>

#include <random>

#include <tlsrig/rig/shuffle.hpp>
#include <tlsrig/scenario/legs.hpp>

namespace tlsrig::rig {

namespace {

using Processors = std::vector<unsigned>;

Processors drawn(std::span<const unsigned> allowed, std::uint64_t seed) {
  Processors order(allowed.begin(), allowed.end());
  std::mt19937_64 random(seed);
  shuffle(order, random);
  return order;
}

}  // namespace

std::map<std::string, Processors> processors_of(const scenario::Settings& settings, std::span<const unsigned> allowed,
                                                std::uint64_t seed) {
  const std::size_t threads = scenario::threads_of(settings);
  const std::vector<std::string> roles = scenario::roles_of(settings);
  const bool enough = roles.size() * threads <= allowed.size();
  const bool enough_for_relay = settings.relay.present && threads < allowed.size();
  if (settings.measure.processors == scenario::Processors::free || (!enough && !enough_for_relay)) return {};
  const Processors order = drawn(allowed, seed);
  std::map<std::string, Processors> processors;
  if (!enough) {
    const auto rest = order.begin() + static_cast<std::ptrdiff_t>(threads);
    for (const auto& role : roles) processors[role].assign(rest, order.end());
    processors["relay"].assign(order.begin(), rest);
    return processors;
  }
  auto next = order.begin();
  for (const auto& role : roles) {
    processors[role].assign(next, next + static_cast<std::ptrdiff_t>(threads));
    next += static_cast<std::ptrdiff_t>(threads);
  }
  return processors;
}

}  // namespace tlsrig::rig
