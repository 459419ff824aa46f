// The layout as reports show it.
#include <tlsrig/workloads/layout.hpp>

namespace tlsrig::workloads {

Json Layout::to_json() const {
  return {{"message", page_offset(Purpose::message)},
          {"receive", page_offset(Purpose::receive)},
          {"wire_in", page_offset(Purpose::wire_in)},
          {"wire_out", page_offset(Purpose::wire_out)}};
}

}  // namespace tlsrig::workloads
