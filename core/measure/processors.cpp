// Affinity masks of any size: the fixed cpu_set_t ends at 1,024 processors.
#include <tlsrig/measure/processors.hpp>

#include <sched.h>

#include <algorithm>
#include <cerrno>

namespace tlsrig::measure {
namespace {

constexpr std::size_t mask_bits = 8 * sizeof(cpu_set_t);  // of one element below

// Elements of a mask, so that CPU_SET_S and its like can be used on a vector.
using Mask = std::vector<cpu_set_t>;

std::size_t bytes_of(const Mask& mask) { return mask.size() * sizeof(cpu_set_t); }

}  // namespace

std::vector<unsigned> allowed_processors() {
  constexpr std::size_t most_elements = 64;  // 65,536 processors
  std::vector<unsigned> allowed;
  for (std::size_t elements = 1; elements <= most_elements; elements *= 2) {
    Mask mask(elements);
    if (::sched_getaffinity(0, bytes_of(mask), mask.data()) != 0) {
      if (errno == EINVAL) continue;  // the kernel's mask is longer
      break;
    }
    for (std::size_t processor = 0; processor < elements * mask_bits; ++processor)
      if (CPU_ISSET_S(processor, bytes_of(mask), mask.data())) allowed.push_back(static_cast<unsigned>(processor));
    break;
  }
  return allowed;
}

bool run_on(std::span<const unsigned> processors) {
  if (processors.empty()) return false;
  Mask mask(*std::max_element(processors.begin(), processors.end()) / mask_bits + 1);
  for (const unsigned processor : processors) CPU_SET_S(processor, bytes_of(mask), mask.data());
  return ::sched_setaffinity(0, bytes_of(mask), mask.data()) == 0;
}

}  // namespace tlsrig::measure
