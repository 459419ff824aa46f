// Every conformance step, in the order in which a backend's writer wants to see them fail: what names a cause before
// what suffers from it. So after the first conversation come the steps that judge one law by itself, then what the
// handshake settles, and at the end those that judge many laws at once, in bulk or by chance.
#include <tlsrig/check/step.hpp>

#include <iterator>

#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {

const std::vector<Step>& steps() {
  static const std::vector<Step> all = [] {
    std::vector<Step> joined;
    for (auto list : {conversation_steps,  transport_steps, data_steps,        end_steps,    order_steps,
                      process_steps,       pending_steps,   certificate_steps, fact_steps,   wire_fact_steps,
                      configuration_steps, tuning_steps,    resumption_steps,  keylog_steps, lifetime_steps,
                      neighbour_steps,     window_steps,    volume_steps,      random_steps, leak_steps}) {
      std::vector<Step> part = list();
      joined.insert(joined.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    }
    return joined;
  }();
  return all;
}

}  // namespace tlsrig::check
