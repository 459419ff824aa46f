// Durations, sizes, rates and percentages as scenario files write them: a whole number with its unit and no space.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tlsrig::scenario {

enum class QuantityKind { duration, size, rate };  // in nanoseconds, bytes, events per second

struct Quantity {
  enum class Fault { none, shape, overflow };  // overflow: more than 64 bits hold
  Fault fault = Fault::none;
  std::uint64_t value = 0;
};

Quantity parse_quantity(QuantityKind kind, std::string_view text);

// "ns, us, ms, s, min": for messages.
std::string_view units_text(QuantityKind kind);

// In the largest unit that divides the value evenly.
std::string format_quantity(QuantityKind kind, std::uint64_t value);

// What a text like "1kib", "1 KiB" or "1 sec" was probably meant to be; empty when that cannot be told.
std::string guess_quantity(QuantityKind kind, std::string_view text);

// "0.5%" as 0.005; nullopt for anything else.
std::optional<double> parse_percent(std::string_view text);

// The shortest text that parse_percent reads as the same number.
std::string format_percent(double share);

// nullopt when the product does not fit.
std::optional<std::uint64_t> multiply(std::uint64_t left, std::uint64_t right);

}  // namespace tlsrig::scenario
