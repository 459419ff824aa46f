// The steps, theme by theme; steps.cpp puts them in order.
#pragma once

#include <vector>

#include <tlsrig/check/step.hpp>

namespace tlsrig::check {

std::vector<Step> transport_steps();      // laws 1 and 2
std::vector<Step> data_steps();           // laws 3 and 4
std::vector<Step> end_steps();            // laws 5 and 6
std::vector<Step> order_steps();          // law 7: what comes before what
std::vector<Step> certificate_steps();    // law 7: who is refused
std::vector<Step> lifetime_steps();       // law 8
std::vector<Step> fact_steps();           // what the handshake settled
std::vector<Step> configuration_steps();  // what a context is made from

}  // namespace tlsrig::check
