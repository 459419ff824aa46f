// Inline SVG as text. Looks (colours, widths, fonts) are the style sheet's: shapes carry classes alone, so that light,
// dark and print reach them.
#pragma once

#include <string>
#include <string_view>

namespace tlsrig::report::html {

// A coordinate with one decimal at most: "12", "12.5". A tenth of a unit is less than any screen shows.
std::string coordinate(double value);

// How a text lies to its x.
enum class Anchor { start, middle, end };

// A picture under construction. Every text it is given is escaped here; classes are the program's own words.
class Svg {
 public:
  // All plots are this many units wide and never shown narrower than about as many pixels, so that a text of 12 units
  // stays legible on a telephone.
  static constexpr double width = 360;

  // The title names the picture, the description says what it shows: for those who do not see it.
  Svg(std::string_view kind, std::string_view title, std::string_view description);

  void line(std::string_view look, double x1, double y1, double x2, double y2);
  void box(std::string_view look, double x, double y, double box_width, double box_height);
  void circle(std::string_view look, double x, double y, double radius);
  // Path data of absolute and relative commands made with coordinate().
  void path(std::string_view look, std::string_view data);
  void text(std::string_view look, double x, double y, std::string_view words, Anchor anchor = Anchor::start);

  // The name of an arm in so many units: strong where there is room for it, else light and small, and else without its
  // middle, as names of one kind mostly begin and often end alike.
  void name(double x, double y, std::string_view words, double room);

  // The finished element.
  std::string finished(double height) const;

 private:
  std::string kind_, title_, description_;  // the last two are escaped
  std::string shapes_;
};

// How wide a text may be at most: fonts differ, and what is drawn must not run out.
enum class Weight { strong, plain, light };
double width_of(std::string_view text, Weight weight = Weight::plain);

// As much of the beginning of a text as fits into so many units.
std::string fitting(std::string_view text, double units);

}  // namespace tlsrig::report::html
