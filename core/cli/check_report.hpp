// The judgement of `tlsrig check`, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/check/trial/finding.hpp>

namespace tlsrig::cli {

struct CheckStyle {
  bool colour = false, verbose = false;  // verbose: a line for every step, and what the plugin printed
  bool trace = false;                    // the calls of each step that is told at length
  bool strict = false;                   // a warning is a fault
  std::size_t width = 120;
};

// What was asked for, so that one step can be asked for again.
struct CheckRequest {
  std::string plugin;               // as it was given
  std::vector<std::string> places;  // -B
  std::uint64_t seed = 1;
};

// The command that repeats one finding in a debugger's reach.
std::string repeat_command(const CheckRequest& request, const check::Finding& finding);

// PASS, WARN or FAIL: of the plugin as a whole; SKIP where nothing of what was asked for applies.
check::Verdict verdict_of(const check::Judged& judged);

std::string check_text(const check::Judged& judged, const CheckRequest& request, const CheckStyle& style);

check::Json check_json(const check::Judged& judged, const CheckRequest& request, bool trace);

}  // namespace tlsrig::cli
