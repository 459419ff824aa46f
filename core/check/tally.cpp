// Printing the outcome of steps.
#include <tlsrig/check/tally.hpp>

#include <cstdio>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tlsrig::check {

std::string_view name_of(Verdict verdict) {
  static constexpr std::string_view names[] = {"PASS", "WARN", "FAIL", "CRASH", "EXIT", "HANG", "SKIP"};
  return names[std::size_t(verdict)];
}

Tally::Tally(const std::filesystem::path& file) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);  // the file says whether it worked
  file_.open(file, std::ios::binary | std::ios::trunc);
  if (!file_) throw std::runtime_error(fmt::format("the tally {} cannot be written", file.string()));
}

void Tally::print(std::string_view text) {
  fmt::print("{}", text);
  std::fflush(stdout);
  if (file_.is_open()) file_ << text << std::flush;
}

void Tally::add(const std::string& name, const Outcome& outcome) {
  print(fmt::format("{} {}{}{}\n", name_of(outcome.verdict), name, outcome.words.empty() ? "" : ": ", outcome.words));
  if (outcome.verdict == Verdict::pass)
    ++passes_;
  else if (outcome.verdict == Verdict::skip)
    skips_.push_back(name);
  else
    failures_.push_back(name);
}

void Tally::print_summary() {
  print(fmt::format("summary: {} pass, {} fail, {} skip\n", passes_, failures_.size(), skips_.size()));
  if (!failures_.empty()) print(fmt::format("failed: {}\n", fmt::join(failures_, ", ")));
  if (!skips_.empty()) print(fmt::format("skipped: {}\n", fmt::join(skips_, ", ")));
}

}  // namespace tlsrig::check
