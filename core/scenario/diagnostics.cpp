// Faults of a scenario: gathering and wording.
#include <tlsrig/scenario/diagnostics.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace tlsrig::scenario {

std::string Diagnostic::what() const {
  std::string where = flag;
  if (flag.empty()) {
    where = line == 0 ? file.string() : fmt::format("{}:{}:{}", file.string(), line, column);
  }
  if (key.empty() || key == flag) {
    return fmt::format("{}: {}", where, message);
  }
  return fmt::format("{}: {}: {}", where, key, message);
}

void Diagnostics::add(const Place& place, std::string_view key, std::string message) {
  Diagnostic fault{file_, place.line, place.column, std::string(key), std::move(message), place.flag};
  const auto same = [&](const Diagnostic& other) {
    const bool same_place = other.line == fault.line && other.column == fault.column && other.flag == fault.flag;
    return same_place && other.key == fault.key && (place.line != 0 || other.message == fault.message);
  };
  if (std::none_of(list_.begin(), list_.end(), same)) {
    list_.push_back(std::move(fault));
  }
}

std::vector<Diagnostic> Diagnostics::take() {
  std::stable_sort(list_.begin(), list_.end(), [](const Diagnostic& left, const Diagnostic& right) {
    return std::tie(left.line, left.column) < std::tie(right.line, right.column);
  });
  return std::exchange(list_, {});
}

}  // namespace tlsrig::scenario
