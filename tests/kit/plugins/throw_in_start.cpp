// Lets a std::exception leave start.
#include <stdexcept>

#include "toy.h"

namespace {

tlsrig_result throws(const tlsrig_info**, tlsrig_error*) { throw std::runtime_error("no config"); }

constexpr tlsrig_backend table() {
  tlsrig_backend changed = {TOY_TABLE};
  changed.start = throws;
  return changed;
}

}  // namespace

extern "C" TLSRIG_EXPORT constinit const tlsrig_backend tlsrig_backend_v1 = table();
