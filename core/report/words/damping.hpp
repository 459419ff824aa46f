// The trap of every pair of a library under test and a fixed peer: where the peer is the busier one, the result is the
// peer's, and differences between the arms show in part.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>
#include <tlsrig/report/words/findings.hpp>

namespace tlsrig::report {

// A side that is not what a cell compares and uses more CPU time per operation than those that are.
struct Damping {
  std::string side, player;            // "client", and the backend that plays it in every arm
  std::string compared;                // the busiest of the sides that are compared
  std::size_t arms = 0;                // in which it is so
  std::size_t all = 0;                 // of the arms that are ranked
  const Arm* worst = nullptr;          // the arm where it is most; of the caller's cell
  double busy = 0, compared_busy = 0;  // seconds per operation, there
  double factor() const { return busy / compared_busy; }
};

// What is compared is told by the settings: the sides whose own differ between the arms; where none do (a cipher, a
// message size), those that the scenario gives to "backend". Empty where it is every side, where the result does not
// tell, or with fewer than two arms that are ranked.
std::optional<Damping> damping_of(const Result& result, const Cell& cell);

// "In 2 of 3 arms the client (openssl in every arm) is busier than the server, which is compared: 5.210 µs of CPU per
// message against 3.100 µs with boringssl. Differences are damped."
std::string damping_sentence(const Cell& cell, const Damping& damping);

// One warning for each scenario and side that is so somewhere.
std::vector<Warning> damping_warnings(const Result& result);

}  // namespace tlsrig::report
