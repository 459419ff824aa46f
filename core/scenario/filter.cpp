// Matching with regcomp(3). std::regex is not used: it recurses once per character of the expression and of the text,
// so that a long one ends the program by overflowing the stack, and its errors are worded for programmers.
#include <tlsrig/scenario/filter.hpp>

#include <regex.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include <tlsrig/scenario/document.hpp>

namespace tlsrig::scenario {
namespace {

constexpr std::size_t characters_most = 1'000;
constexpr std::size_t nesting_most = 20;
constexpr std::size_t parts_most = 2'000;

// regcomp copies what is repeated: "((a{999}){999}){999}" would fill the memory, and so would forty "+" around each
// other. This counts the copies beforehand, without making them.
class Extent {
 public:
  // Why the expression is refused; empty when regcomp may have it. What is no regular expression at all passes here.
  std::string measure(std::string_view regex);

 private:
  void take_escape();
  void take_bracket();
  void take_group_end();
  void take_interval();
  std::optional<std::size_t> take_number();
  void part(std::size_t size);
  void repeat(std::size_t count);
  bool at(char c) const { return at_ < regex_.size() && regex_[at_] == c; }

  std::string_view regex_;
  std::size_t at_ = 0;
  std::vector<std::size_t> sizes_{0};  // of the group at hand, innermost last
  std::size_t last_ = 0;               // of the part that a repetition would repeat
  std::string fault_;
};

std::string Extent::measure(std::string_view regex) {
  if (regex.size() > characters_most) {
    return fmt::format("has {} characters; allowed: up to {}", regex.size(), characters_most);
  }
  regex_ = regex;
  while (at_ < regex_.size() && fault_.empty()) {
    switch (regex_[at_++]) {
      case '\\':
        take_escape();
        break;
      case '[':
        take_bracket();
        break;
      case '(':
        sizes_.push_back(0);
        last_ = 0;
        break;
      case ')':
        take_group_end();
        break;
      case '*':
      case '?':
        break;
      case '+':
        repeat(2);
        break;
      case '{':
        take_interval();
        break;
      default:
        part(1);
    }
    if (sizes_.size() - 1 > nesting_most) {
      fault_ = fmt::format("has groups more than {} deep; allowed: up to {}", nesting_most, nesting_most);
    } else if (sizes_.back() > parts_most) {
      fault_ = fmt::format("stands for more than {} parts with its repetitions written out; repeat less, or with *",
                           parts_most);
    }
  }
  return fault_;
}

// A C library takes "\d" for the letter d, which nobody who writes it means.
void Extent::take_escape() {
  constexpr std::string_view known = "wWsSbB";
  if (at_ == regex_.size()) {
    return;
  }
  const char c = regex_[at_++];
  if (std::isalnum(static_cast<unsigned char>(c)) != 0 && known.find(c) == std::string_view::npos) {
    fault_ = fmt::format("has \\{}, which POSIX extended regular expressions do not know{}", c,
                         c == 'd' ? "; write [0-9]" : "");
  }
  part(1);
}

void Extent::take_bracket() {
  at_ += at('^') ? 1 : 0;
  at_ += at(']') ? 1 : 0;  // the first one is a member
  while (at_ < regex_.size() && regex_[at_] != ']') {
    const bool named = at('[') && at_ + 1 < regex_.size() &&
                       std::string_view(":.=").find(regex_[at_ + 1]) != std::string_view::npos;  // [:alpha:]
    if (named) {
      const char ending[] = {regex_[at_ + 1], ']'};
      const std::size_t end = regex_.find(std::string_view(ending, 2), at_ + 2);
      at_ = end == std::string_view::npos ? regex_.size() : end + 2;
    } else {
      ++at_;
    }
  }
  at_ += at(']') ? 1 : 0;
  part(1);
}

void Extent::take_group_end() {
  if (sizes_.size() == 1) {
    return part(1);  // without an opening one it is a character
  }
  const std::size_t size = sizes_.back() + 1;
  sizes_.pop_back();
  part(size);
}

// "{3}", "{3,}", "{3,5}", "{,5}"; else it is a character, or regcomp's to refuse.
void Extent::take_interval() {
  const std::size_t begin = at_;
  const auto least = take_number();
  std::optional<std::size_t> most = least;
  if (at(',')) {
    ++at_;
    most = take_number();
    most = !most && least ? *least + 1 : most;
  }
  if (!at('}') || (!least && !most)) {
    at_ = begin;
    return part(1);
  }
  ++at_;
  repeat(std::max({least.value_or(0), most.value_or(0), std::size_t{1}}));
}

// Beyond parts_most it makes no difference how much it is.
std::optional<std::size_t> Extent::take_number() {
  std::optional<std::size_t> number;
  while (at_ < regex_.size() && regex_[at_] >= '0' && regex_[at_] <= '9') {
    number = std::min(number.value_or(0) * 10 + static_cast<std::size_t>(regex_[at_++] - '0'), parts_most + 1);
  }
  return number;
}

void Extent::part(std::size_t size) {
  sizes_.back() += size;
  last_ = size;
}

void Extent::repeat(std::size_t count) {
  sizes_.back() += last_ * (count - 1);
  last_ *= count;
}

class Regex {
 public:
  explicit Regex(const std::string& text) : code_(::regcomp(&regex_, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;
  ~Regex() {
    if (code_ == 0) {
      ::regfree(&regex_);
    }
  }

  // Why it is no regular expression; empty when it is one.
  std::string fault() const;

  bool finds(const std::string& text) const { return ::regexec(&regex_, text.c_str(), 0, nullptr, 0) == 0; }

 private:
  ::regex_t regex_{};
  int code_;
};

std::string Regex::fault() const {
  if (code_ == 0) {
    return {};
  }
  if (code_ == REG_BADRPT) {
    return "a *, +, ? or { has nothing before it that it could repeat; for any text write .*";
  }
  char words[200] = {};
  ::regerror(code_, &regex_, words, sizeof words);
  return words;
}

std::string list_of(const std::vector<CellPlan>& cells) {
  constexpr std::size_t shown_most = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(cells.size(), shown_most); ++i) {
    list += "\n  " + cells[i].id;
  }
  return cells.size() > shown_most ? fmt::format("{}\n  and {} more", list, cells.size() - shown_most) : list;
}

}  // namespace

std::vector<CellPlan> filter_cells(std::vector<CellPlan> cells, const std::string& regex, Diagnostics& diagnostics) {
  Raw shown;
  shown.text = regex;
  const auto refuse = [&](const std::string& what) {
    diagnostics.add({0, 0, "--filter"}, "", fmt::format("{} {}", found_text(shown), what));
    return std::vector<CellPlan>{};
  };
  if (const std::string fault = Extent().measure(regex); !fault.empty()) {
    return refuse(fault);
  }
  const Regex wanted(regex);
  if (const std::string fault = wanted.fault(); !fault.empty()) {
    return refuse("is no regular expression: " + fault);
  }
  std::vector<CellPlan> kept;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(kept),
               [&](const CellPlan& cell) { return wanted.finds(cell.id); });
  return kept.empty() ? refuse("matches no cell; the cells are:" + list_of(cells)) : kept;
}

}  // namespace tlsrig::scenario
