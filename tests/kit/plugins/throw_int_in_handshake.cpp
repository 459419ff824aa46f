// Lets an exception that is no std::exception leave handshake.
#include "toy.h"

namespace {

tlsrig_result throws(tlsrig_session*) { throw 42; }

constexpr tlsrig_backend table() {
  tlsrig_backend changed = {TOY_TABLE};
  changed.handshake = throws;
  return changed;
}

}  // namespace

extern "C" TLSRIG_EXPORT constinit const tlsrig_backend tlsrig_backend_v1 = table();
