// Tables in fixed-width text: two heading lines, columns aligned, folded where the terminal is too narrow.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tlsrig::report {

enum class Style { plain, strong, faint, good, bad, caution };

// Text with the escape codes of a style, or as it is without colour.
std::string painted(std::string_view text, Style style, bool colour);

enum class Align { left, right, point };  // point: numbers with their decimal points below each other

struct Column {
  std::string group;  // first heading line, written over adjacent columns that share it
  std::string title;  // second heading line
  Align align = Align::point;
};

struct Entry {
  std::string text;
  Style style = Style::plain;
};

struct Row {
  std::vector<Entry> entries;  // one per column; the first is the row's name
  std::string message;         // stands in place of all entries but the first
  Style message_style = Style::plain;
  bool set_apart = false;  // an empty line above
};

struct Table {
  std::vector<Column> columns;
  std::vector<Row> rows;
};

// Columns that do not fit beside each other go into further tables below, each beginning with the first column; rows
// with a message are in the first alone. Columns without any text are left out.
std::string to_text(const Table& table, std::size_t width, bool colour);

}  // namespace tlsrig::report
