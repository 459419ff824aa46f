// Printing the outcome of steps.
#include <tlsrig/check/tally.hpp>

#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tlsrig::check {
namespace {

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "PASS";
    case Verdict::fail:
      return "FAIL";
    case Verdict::skip:
      return "SKIP";
  }
  return "?";
}

}  // namespace

void Tally::add(const std::string& name, const Outcome& outcome) {
  fmt::print("{} {}{}{}\n", word(outcome.verdict), name, outcome.words.empty() ? "" : ": ", outcome.words);
  std::fflush(stdout);
  if (outcome.verdict == Verdict::pass) ++passes_;
  if (outcome.verdict == Verdict::fail) failures_.push_back(name);
  if (outcome.verdict == Verdict::skip) skips_.push_back(name);
}

void Tally::print_summary() const {
  fmt::print("summary: {} pass, {} fail, {} skip\n", passes_, failures_.size(), skips_.size());
  if (!failures_.empty()) fmt::print("failed: {}\n", fmt::join(failures_, ", "));
  if (!skips_.empty()) fmt::print("skipped: {}\n", fmt::join(skips_, ", "));
  std::fflush(stdout);
}

}  // namespace tlsrig::check
