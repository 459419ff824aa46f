// What a step's process prints: its beginning and its end are kept, what lies between is counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tlsrig::check {

class KeptOutput {
 public:
  void add(std::string_view bytes);
  bool empty() const { return total_ == 0; }
  std::uint64_t total() const { return total_; }

  // In printable ASCII; what is not is a question mark.
  // "first words... (10,485,760 bytes in all, 10,477,568 left out) ...last words".
  std::string text() const;

 private:
  static constexpr std::size_t head_max = 2048, tail_max = 2048;
  std::string head_, tail_;
  std::uint64_t total_ = 0;
};

}  // namespace tlsrig::check
