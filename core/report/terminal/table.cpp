// Layout of text tables.
#include <tlsrig/report/terminal/table.hpp>

#include <algorithm>

#include <tlsrig/report/words/format.hpp>

namespace tlsrig::report {
namespace {

constexpr std::size_t margin = 2;  // before the first column
constexpr std::size_t gap = 2;     // between columns
constexpr std::size_t group_gap = 3;

using Indices = std::vector<std::size_t>;

const char* escape_code(Style style) {
  switch (style) {
    case Style::strong:
      return "\033[1m";
    case Style::faint:
      return "\033[2m";
    case Style::good:
      return "\033[32m";
    case Style::bad:
      return "\033[31m";
    case Style::caution:
      return "\033[33m";
    case Style::plain:
      break;
  }
  return "";
}

bool has_text(const Table& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
    return row.message.empty() && column < row.entries.size() && !row.entries[column].text.empty();
  });
}

// The point of a number and what follows it.
std::size_t fraction_width(std::string_view text) {
  const std::size_t point = text.find('.');
  return point == std::string_view::npos ? 0 : display_width(text.substr(point));
}

// The columns of a shown column: `fraction` of `width` are kept for what follows the decimal point.
struct Room {
  std::size_t width = 0, fraction = 0;
};

Room room_of(const Table& table, std::size_t column) {
  std::size_t whole = 0, fraction = 0;
  const bool by_point = table.columns[column].align == Align::point;
  for (const Row& row : table.rows) {
    if (column >= row.entries.size() || (column != 0 && !row.message.empty())) continue;
    const std::string& text = row.entries[column].text;
    const std::size_t after = by_point ? fraction_width(text) : 0;
    whole = std::max(whole, display_width(text) - after);
    fraction = std::max(fraction, after);
  }
  return {std::max(whole + fraction, display_width(table.columns[column].title)), fraction};
}

std::size_t gap_before(const Table& table, const Indices& shown, std::size_t place) {
  if (place == 0) return margin;
  return table.columns[shown[place]].group == table.columns[shown[place - 1]].group ? gap : group_gap;
}

// Where the columns that share the group of the one at `first` end.
std::size_t group_end(const Table& table, const Indices& shown, std::size_t first) {
  std::size_t end = first + 1;
  while (end < shown.size() && table.columns[shown[end]].group == table.columns[shown[first]].group) ++end;
  return end;
}

// The width of each shown column; the last of a group is widened until the group's heading fits.
std::vector<Room> rooms_of(const Table& table, const Indices& shown) {
  std::vector<Room> rooms;
  for (const std::size_t column : shown) rooms.push_back(room_of(table, column));
  for (std::size_t first = 0; first < shown.size();) {
    const std::size_t end = group_end(table, shown, first);
    std::size_t width = rooms[first].width;
    for (std::size_t place = first + 1; place < end; ++place) width += gap + rooms[place].width;
    const std::size_t heading = display_width(table.columns[shown[first]].group);
    if (heading > width) rooms[end - 1].width += heading - width;
    first = end;
  }
  return rooms;
}

std::size_t total_width(const Table& table, const Indices& shown) {
  const std::vector<Room> rooms = rooms_of(table, shown);
  std::size_t total = 0;
  for (std::size_t place = 0; place < shown.size(); ++place)
    total += gap_before(table, shown, place) + rooms[place].width;
  return total;
}

// Which columns stand in which of the tables below each other.
std::vector<Indices> folded(const Table& table, std::size_t width) {
  Indices present;
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    if (has_text(table, column)) present.push_back(column);
  }
  std::vector<Indices> tables = {{0}};
  for (std::size_t first = 0; first < present.size();) {
    const std::size_t end = group_end(table, present, first);
    Indices with_group = tables.back();
    with_group.insert(with_group.end(), present.begin() + static_cast<std::ptrdiff_t>(first),
                      present.begin() + static_cast<std::ptrdiff_t>(end));
    if (total_width(table, with_group) <= width || tables.back().size() == 1) {
      tables.back() = with_group;
      first = end;
    } else {
      tables.push_back({0});
    }
  }
  return tables;
}

void trim(std::string& line) {
  const std::size_t last = line.find_last_not_of(' ');
  line.resize(last == std::string::npos ? 0 : last + 1);
}

// One line put together piece by piece; the padding stays outside of the escape codes, so it can be trimmed.
class Line {
 public:
  explicit Line(bool colour) : colour_(colour) {}

  void put(std::size_t space_before, const Entry& entry, const Room& room, Align align) {
    const std::size_t shown = display_width(entry.text);
    const std::size_t padding = room.width > shown ? room.width - shown : 0;
    std::size_t after = 0;
    if (align == Align::left) after = padding;
    if (align == Align::point) after = std::min(padding, room.fraction - fraction_width(entry.text));
    text_.append(space_before + padding - after, ' ');
    text_ += painted(entry.text, entry.style, colour_);
    text_.append(after, ' ');
  }

  std::string finished() {
    trim(text_);
    return text_ + "\n";
  }

 private:
  bool colour_;
  std::string text_;
};

std::string headings(const Table& table, const Indices& shown, const std::vector<Room>& rooms, bool colour) {
  Line groups(colour), titles(colour);
  for (std::size_t first = 0; first < shown.size();) {
    const std::size_t end = group_end(table, shown, first);
    std::size_t width = 0;
    for (std::size_t place = first; place < end; ++place) {
      const Column& column = table.columns[shown[place]];
      const std::size_t space = gap_before(table, shown, place);
      titles.put(space, {column.title, Style::faint}, rooms[place],
                 column.align == Align::left ? Align::left : Align::right);
      width += rooms[place].width + (place == first ? 0 : space);
    }
    const bool alone = end == first + 1 && table.columns[shown[first]].align != Align::left;
    groups.put(gap_before(table, shown, first), {table.columns[shown[first]].group, Style::faint}, {width, 0},
               alone ? Align::right : Align::left);
    first = end;
  }
  return groups.finished() + titles.finished();
}

std::string message_line(const Row& row, std::size_t name_width, std::size_t width, bool colour) {
  Line name(colour);
  name.put(margin, row.entries.front(), {name_width, 0}, Align::left);
  std::string first = name.finished();
  first.pop_back();
  const std::size_t indent = margin + name_width + group_gap;
  const std::size_t used = margin + display_width(row.entries.front().text);
  const std::string text = wrapped(row.message, width > indent ? width - indent : 1, "", "");
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    result += begin == 0 ? first + std::string(indent - used, ' ') : std::string(indent, ' ');
    result += painted(std::string_view(text).substr(begin, end - begin), row.message_style, colour) + "\n";
    begin = end + 1;
  }
  return result;
}

}  // namespace

std::string painted(std::string_view text, Style style, bool colour) {
  if (!colour || style == Style::plain || text.empty()) return std::string(text);
  return std::string(escape_code(style)) + std::string(text) + "\033[0m";
}

std::string to_text(const Table& table, std::size_t width, bool colour) {
  std::string text;
  bool first_table = true;
  for (const Indices& shown : folded(table, width)) {
    const std::vector<Room> rooms = rooms_of(table, shown);
    if (!first_table) text += "\n";
    if (shown.size() > 1) text += headings(table, shown, rooms, colour);
    for (const Row& row : table.rows) {
      if (!row.message.empty() && !first_table) continue;
      if (row.set_apart) text += "\n";
      if (!row.message.empty()) {
        text += message_line(row, rooms.front().width, width, colour);
        continue;
      }
      Line line(colour);
      for (std::size_t place = 0; place < shown.size(); ++place) {
        const Entry entry = shown[place] < row.entries.size() ? row.entries[shown[place]] : Entry{};
        line.put(gap_before(table, shown, place), entry, rooms[place], table.columns[shown[place]].align);
      }
      text += line.finished();
    }
    first_table = false;
  }
  return text;
}

}  // namespace tlsrig::report
