// Numbers as people read them. Base units in (seconds, bytes, operations), one spelling out: the same in tables,
// progress lines and messages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tlsrig::report {

// One unit for a column of numbers, so that they can be compared by eye, and the same number of digits for each: 171.6,
// 5.310 and 2410 k, not 171.630, 5.310 and 2410.000 k.
struct Scale {
  double unit = 1;     // a shown 1 is this much
  std::string prefix;  // "", "k", "M", "G", "T"; "m", "µ", "n" below 1
  int digits = 3;      // significant ones; digits before the point are never cut

  std::string format(double value) const;  // without the prefix; "-" when not finite
};

// The scale for the middle one of the positive values: the prefix that shows it as 1 or more. Values that are not
// finite or not positive have no say.
Scale scale_for(std::span<const double> values, int digits);

// "152.3 k", "3.210 m": four digits and an SI prefix; "0" for 0. A unit is put behind by the caller.
std::string format_si(double value, int digits = 4);

// "105.0 µs", "1.500 s".
std::string format_duration(double seconds);

// "152.3 kop/s" with the unit "op/s".
std::string format_rate(double per_second, std::string_view unit);

// "64 B", "16 KiB", "1.5 MiB": binary, as scenario files spell sizes.
std::string format_size(std::uint64_t bytes);

// "1.083", "0.0312", "12.5": three digits behind the first that can differ from 1.
std::string format_ratio(double ratio);

// 0.021 as "2.1 %"; below 0.1 % two decimals.
std::string format_percent(double fraction);

// The columns a UTF-8 text takes: its code points. No wide or combining characters are expected.
std::size_t display_width(std::string_view text);

// Text that came from elsewhere (a library's error, a path) without what would break a line or drive a terminal:
// control characters become spaces, and runs of spaces one.
std::string one_line(std::string_view text);

// "message_size" as "message size": how keys and metrics are spoken of.
std::string with_spaces(std::string name);

// At most this many columns; what was cut ends in "...".
std::string shortened(std::string_view text, std::size_t columns);

// Breaks a text at spaces into lines of at most `width` columns; the first is behind `first`, the others behind `rest`.
// A word longer than a line stays whole, and so do a number and its "%" or "x" and the ends of an interval "1 .. 2".
std::string wrapped(std::string_view text, std::size_t width, std::string_view first, std::string_view rest);

}  // namespace tlsrig::report
