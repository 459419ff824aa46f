// Writing SVG elements.
#include <tlsrig/report/html/svg.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tlsrig/report/html/escape.hpp>
#include <tlsrig/report/words/format.hpp>

namespace tlsrig::report::html {
namespace {

std::size_t byte_of(std::string_view text, std::size_t column) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at) {
    if ((text[at] & 0xC0) != 0x80 && seen++ == column) break;
  }
  return at;
}

// A third of what is kept is from the beginning: ends tell names apart more often.
std::string without_middle(const std::string& text, std::size_t columns) {
  const std::size_t head = (columns - 1) / 3, tail = columns - 1 - head;
  return text.substr(0, byte_of(text, head)) + "…" + text.substr(byte_of(text, display_width(text) - tail));
}

// No more fit, whatever they are: texts may be very long.
std::size_t most_columns(std::string_view text, double units) {
  constexpr double narrowest = 5;
  return std::min(display_width(text), static_cast<std::size_t>(std::max(0.0, units) / narrowest) + 4);
}

}  // namespace

std::string coordinate(double value) {
  const double tenths = std::isfinite(value) ? std::round(value * 10) : 0;
  if (std::fmod(tenths, 10) == 0) return fmt::format("{:.0f}", tenths / 10 + 0.0);
  return fmt::format("{:.1f}", tenths / 10);
}

Svg::Svg(std::string_view kind, std::string_view title, std::string_view description)
    : kind_(kind), title_(escaped(title)), description_(escaped(description)) {}

void Svg::line(std::string_view look, double x1, double y1, double x2, double y2) {
  shapes_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>", look, coordinate(x1),
                         coordinate(y1), coordinate(x2), coordinate(y2));
}

void Svg::box(std::string_view look, double x, double y, double box_width, double box_height) {
  shapes_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", look, coordinate(x),
                         coordinate(y), coordinate(std::max(0.0, box_width)), coordinate(std::max(0.0, box_height)));
}

void Svg::circle(std::string_view look, double x, double y, double radius) {
  shapes_ += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>", look, coordinate(x), coordinate(y),
                         coordinate(radius));
}

void Svg::path(std::string_view look, std::string_view data) {
  shapes_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", look, data);
}

void Svg::text(std::string_view look, double x, double y, std::string_view words, Anchor anchor) {
  constexpr std::string_view anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  shapes_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\"{}>{}</text>", look, coordinate(x), coordinate(y),
                         anchors[static_cast<std::size_t>(anchor)], escaped(words));
}

std::string Svg::finished(double height) const {
  return fmt::format(
      "<svg class=\"plot {}\" role=\"img\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\"><title>{}</title>"
      "<desc>{}</desc>{}</svg>",
      kind_, coordinate(width), coordinate(height), coordinate(width), coordinate(height), title_, description_,
      shapes_);
}

double width_of(std::string_view text, Weight weight) {
  // Of the widest common font, at the sizes of the style sheet: strong and plain 12 units, light 11.
  const double scale = weight == Weight::strong ? 1.14 : weight == Weight::light ? 11.0 / 12 : 1;
  double width = 0;
  for (const char byte : text) {
    if ((byte & 0xC0) == 0x80) continue;
    const bool is_wide = static_cast<unsigned char>(byte) >= 0x80, is_capital = byte >= 'A' && byte <= 'Z';
    width += is_wide ? 12 : is_capital ? 8.5 : byte == '_' || byte == ' ' || byte == '.' ? 6 : 7.5;
  }
  return width * scale;
}

std::string fitting(std::string_view text, double units) {
  const std::string whole = clean(text);
  std::size_t columns = most_columns(whole, units);
  while (columns > 4 && width_of(shortened(whole, columns)) > units) --columns;
  return shortened(whole, columns);
}

void Svg::name(double x, double y, std::string_view words, double room) {
  const std::string whole = clean(words);
  if (width_of(whole, Weight::strong) <= room) return text("name", x, y, whole);
  std::string shown = whole;
  for (std::size_t columns = most_columns(whole, room); columns > 4 && width_of(shown, Weight::light) > room; --columns)
    shown = without_middle(whole, columns - 1);
  text("name light", x, y, shown);
}

}  // namespace tlsrig::report::html
