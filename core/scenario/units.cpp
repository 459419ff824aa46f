// Durations, sizes, rates and percentages.
#include <tlsrig/scenario/units.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <span>

#include <fmt/format.h>

namespace tlsrig::scenario {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr Unit duration_units[] = {
    {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"min", 60'000'000'000}};
constexpr Unit size_units[] = {{"B", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}};
constexpr Unit rate_units[] = {{"/s", 1}, {"k/s", 1'000}, {"M/s", 1'000'000}};

std::span<const Unit> units_of(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::duration:
      return duration_units;
    case QuantityKind::size:
      return size_units;
    case QuantityKind::rate:
      break;
  }
  return rate_units;
}

// Spellings that are refused, in lower case, and the unit that was meant.
struct Alias {
  std::string_view wrong, right;
};

constexpr Alias duration_aliases[] = {{"sec", "s"},    {"secs", "s"},      {"second", "s"}, {"seconds", "s"},
                                      {"msec", "ms"},  {"usec", "us"},     {"µs", "us"},    {"m", "min"},
                                      {"mins", "min"}, {"minutes", "min"}, {"ns", "ns"},    {"us", "us"},
                                      {"ms", "ms"},    {"s", "s"},         {"min", "min"}};
constexpr Alias size_aliases[] = {{"b", "B"},    {"byte", "B"},  {"bytes", "B"}, {"", "B"},     {"k", "KiB"},
                                  {"kb", "KiB"}, {"kib", "KiB"}, {"m", "MiB"},   {"mb", "MiB"}, {"mib", "MiB"},
                                  {"g", "GiB"},  {"gb", "GiB"},  {"gib", "GiB"}};
constexpr Alias rate_aliases[] = {{"", "/s"}, {"k", "k/s"}, {"m", "M/s"}, {"/s", "/s"}, {"k/s", "k/s"}, {"m/s", "M/s"}};

std::span<const Alias> aliases_of(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::duration:
      return duration_aliases;
    case QuantityKind::size:
      return size_aliases;
    case QuantityKind::rate:
      break;
  }
  return rate_aliases;
}

std::size_t digits_of(std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); }

}  // namespace

std::optional<std::uint64_t> multiply(std::uint64_t left, std::uint64_t right) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(left, right, &product)) {
    return {};
  }
  return product;
}

Quantity parse_quantity(QuantityKind kind, std::string_view text) {
  const std::size_t digits = digits_of(text);
  const auto units = units_of(kind);
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == text.substr(digits); });
  if (digits == 0 || unit == units.end()) {
    return {Quantity::Fault::shape, 0};
  }
  std::uint64_t number = 0;
  if (std::from_chars(text.data(), text.data() + digits, number).ec != std::errc{}) {
    return {Quantity::Fault::overflow, 0};
  }
  const auto value = multiply(number, unit->factor);
  return value ? Quantity{Quantity::Fault::none, *value} : Quantity{Quantity::Fault::overflow, 0};
}

std::string_view units_text(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::duration:
      return "ns, us, ms, s or min";
    case QuantityKind::size:
      return "B, KiB, MiB or GiB";
    case QuantityKind::rate:
      break;
  }
  return "/s, k/s or M/s";
}

std::string format_quantity(QuantityKind kind, std::uint64_t value) {
  const auto units = units_of(kind);
  const auto divides = [&](const Unit& unit) { return value != 0 && value % unit.factor == 0; };
  const auto unit = std::find_if(units.rbegin(), units.rend(), divides);
  const Unit chosen = unit == units.rend() ? units.front() : *unit;
  return fmt::format("{}{}", value / chosen.factor, chosen.name);
}

std::string guess_quantity(QuantityKind kind, std::string_view text) {
  std::string packed;
  for (const char c : text) {
    if (c != ' ' && c != '_') {
      packed += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  const std::size_t digits = digits_of(packed);
  const auto aliases = aliases_of(kind);
  const std::string_view unit = std::string_view(packed).substr(digits);
  const auto alias = std::find_if(aliases.begin(), aliases.end(), [&](const Alias& a) { return a.wrong == unit; });
  if (digits == 0 || alias == aliases.end()) {
    return {};
  }
  const std::string guess = packed.substr(0, digits) + std::string(alias->right);
  return guess != text && parse_quantity(kind, guess).fault == Quantity::Fault::none ? guess : std::string{};
}

std::optional<double> parse_percent(std::string_view text) {
  if (text.size() < 2 || text.back() != '%' || !std::isdigit(static_cast<unsigned char>(text.front()))) {
    return {};
  }
  double percent = 0;
  const char* end = text.data() + text.size() - 1;
  const auto read = std::from_chars(text.data(), end, percent, std::chars_format::fixed);
  if (read.ec != std::errc{} || read.ptr != end) {
    return {};
  }
  return percent / 100;
}

std::string format_percent(double share) {
  constexpr int digits_max = 17;
  for (int digits = 1; digits < digits_max; ++digits) {
    std::string text = fmt::format("{:.{}g}%", share * 100, digits);
    if (parse_percent(text) == share) {
      return text;
    }
  }
  return fmt::format("{:.17f}%", share * 100);
}

}  // namespace tlsrig::scenario
