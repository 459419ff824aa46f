// Random order that the same seed gives everywhere.
#pragma once

#include <random>
#include <utility>
#include <vector>

namespace tlsrig::rig {

// Fisher-Yates by hand: std::shuffle and the distributions differ between standard libraries.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

}  // namespace tlsrig::rig
