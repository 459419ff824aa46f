// Faults of a scenario, gathered so that all of them can be told in one go.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::scenario {

// Where something was said: a line and column of the file (counted from 1, in characters), or a flag.
struct Place {
  unsigned line = 0, column = 0;
  std::string flag;  // "-s traffic.connections=0"; empty: the file
};

// The control character that begins at a byte of UTF-8 text: U+0000 to U+001F and U+007F to U+009F.
inline constexpr unsigned no_control = ~0U;
unsigned control_at(std::string_view text, std::size_t index);

class Diagnostics {
 public:
  explicit Diagnostics(std::filesystem::path file) : file_(std::move(file)) {}

  // A second fault of the same key at the same place is dropped: a fixed key may clash in many cells.
  void add(const Place& place, std::string_view key, std::string message);

  bool empty() const { return list_.empty(); }

  // In the order of the file; faults without a place in it come first.
  std::vector<Diagnostic> take();

 private:
  std::filesystem::path file_;
  std::vector<Diagnostic> list_;
};

}  // namespace tlsrig::scenario
