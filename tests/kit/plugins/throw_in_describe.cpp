// Lets a std::exception leave describe, which has no way to tell of an error.
#include <stdexcept>

#include "toy.h"

namespace {

void throws(tlsrig_session*, tlsrig_facts*) { throw std::runtime_error("no facts"); }

constexpr tlsrig_backend table() {
  tlsrig_backend changed = {TOY_TABLE};
  changed.describe = throws;
  return changed;
}

}  // namespace

extern "C" TLSRIG_EXPORT constinit const tlsrig_backend tlsrig_backend_v1 = table();
