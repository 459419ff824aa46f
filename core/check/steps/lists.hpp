// The steps, theme by theme; steps.cpp puts them in order.
#pragma once

#include <vector>

#include <tlsrig/check/step.hpp>

namespace tlsrig::check {

std::vector<Step> conversation_steps();   // what all others build on
std::vector<Step> transport_steps();      // laws 1 and 2
std::vector<Step> data_steps();           // laws 3 and 4
std::vector<Step> end_steps();            // laws 5 and 6
std::vector<Step> order_steps();          // law 7: what comes before what
std::vector<Step> process_steps();        // law 8: signals; the library's version
std::vector<Step> pending_steps();        // tlsrig.pending/1
std::vector<Step> certificate_steps();    // law 7: who is refused
std::vector<Step> fact_steps();           // what the handshake settled
std::vector<Step> wire_fact_steps();      // what describe tells and what the wire shows
std::vector<Step> configuration_steps();  // what a context is made from
std::vector<Step> tuning_steps();         // fields of a configuration that tune a library
std::vector<Step> resumption_steps();     // tlsrig.resumption/1
std::vector<Step> keylog_steps();         // tlsrig.keylog/1
std::vector<Step> lifetime_steps();       // law 8
std::vector<Step> neighbour_steps();      // law 8: no session harms another
std::vector<Step> window_steps();         // all laws, over out windows of several sizes
std::vector<Step> volume_steps();         // large certificates, much data, small records
std::vector<Step> random_steps();         // laws 1 to 4 and 8, by chance
std::vector<Step> leak_steps();           // law 8: what sessions leave behind

}  // namespace tlsrig::check
