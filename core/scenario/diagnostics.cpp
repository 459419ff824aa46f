// Faults of a scenario: gathering and wording.
#include <tlsrig/scenario/diagnostics.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace tlsrig::scenario {

namespace {

// A key, a flag or a value may hold anything; none of it is for the terminal to obey. allowed: of a message, lines.
std::string visible(std::string_view text, char allowed = '\0') {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned code = control_at(text, i);
    if (code == no_control || (allowed != '\0' && text[i] == allowed)) {
      out += text[i];
    } else {
      out += fmt::format("\\x{:02x}", code);
      i += code >= 0x80 ? 1 : 0;
    }
  }
  return out;
}

}  // namespace

unsigned control_at(std::string_view text, std::size_t index) {
  const auto byte = static_cast<unsigned char>(text[index]);
  if (byte < 0x20 || byte == 0x7f) {
    return byte;
  }
  if (byte == 0xc2 && index + 1 < text.size()) {
    const auto second = static_cast<unsigned char>(text[index + 1]);
    return second >= 0x80 && second < 0xa0 ? second : no_control;
  }
  return no_control;
}

std::string Diagnostic::what() const {
  std::string where = flag;
  if (flag.empty()) {
    where = line == 0 ? file.string() : fmt::format("{}:{}:{}", file.string(), line, column);
  }
  if (key.empty() || key == flag) {
    return fmt::format("{}: {}", visible(where), visible(message, '\n'));
  }
  return fmt::format("{}: {}: {}", visible(where), visible(key), visible(message, '\n'));
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
