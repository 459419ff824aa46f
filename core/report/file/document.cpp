// A document is looked through twice. The first pass builds nothing and keeps track of where it is, so that "cut off"
// and "nested too deeply" can be said with a place, before there is a tree for others to fall into; the second one is
// nlohmann's own.
#include <tlsrig/report/file/document.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/report/file/read.hpp>
#include <tlsrig/report/words/format.hpp>

namespace tlsrig::report {
namespace {

namespace fs = std::filesystem;

// A hundred cells with their histograms are about 100 MiB; one that never ends (/dev/zero) has to end somewhere.
constexpr std::size_t longest_document = std::size_t{512} << 20;
constexpr std::size_t deepest_nesting = 64;
constexpr std::size_t most_keys = 10'000;  // of one object

[[noreturn]] void refuse(const std::string& reason) { throw UnreadableResult(reason); }

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd > STDERR_FILENO) ::close(fd);
  }
};

int open_document(const fs::path& file) {
  if (file == "-") return STDIN_FILENO;
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) refuse("it cannot be opened: " + std::generic_category().message(errno));
  return fd;
}

bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

// What begins with bytes that no text begins with.
void require_text(std::string_view text) {
  using namespace std::string_view_literals;
  struct Kind {
    std::string_view begin, words;
  };
  constexpr std::array kinds{
      Kind{"\x1f\x8b"sv, "it is compressed with gzip; unpack it first (gunzip)"},
      Kind{"\x28\xb5\x2f\xfd"sv, "it is compressed with zstd; unpack it first (unzstd)"},
      Kind{"\xfd\x37zXZ"sv, "it is compressed with xz; unpack it first (unxz)"},
      Kind{"BZh"sv, "it is compressed with bzip2; unpack it first (bunzip2)"},
      Kind{"PK\x03\x04"sv, "it is a ZIP archive; unpack it first"},
      Kind{"\x7f\x45LF"sv, "it is a program or library, not a result"},
      Kind{"\xff\xfe"sv, "it is UTF-16; UTF-8 is needed (iconv -f UTF-16 -t UTF-8)"},
      Kind{"\xfe\xff"sv, "it is UTF-16; UTF-8 is needed (iconv -f UTF-16 -t UTF-8)"},
      Kind{"{\0"sv, "it is UTF-16; UTF-8 is needed (iconv -f UTF-16LE -t UTF-8)"},
      Kind{"\0{"sv, "it is UTF-16; UTF-8 is needed (iconv -f UTF-16BE -t UTF-8)"},
  };
  for (const auto& kind : kinds)
    if (starts(text, kind.begin)) refuse(std::string(kind.words));
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    refuse(fmt::format("it holds a NUL byte at offset {}: binary, or damaged on disk; JSON is needed", nul));
}

std::string_view without_leading_space(std::string_view text) {
  if (starts(text, "\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark, which the parser passes over
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// What a text that is no JSON seems to be; empty: no idea.
std::string likely_kind(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const auto npos = std::string_view::npos;
  std::string_view rest = text;  // behind comments, or headings
  while (starts(rest, "#")) rest = without_leading_space(rest.substr(std::min(rest.find('\n'), rest.size())));
  const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
  const auto equals = line.find('=');
  const auto word = line.substr(0, line.find_first_of(" =\t"));
  const bool assignment = !word.empty() && equals != npos &&
                          line.substr(word.size(), equals - word.size()).find_first_not_of(" \t") == npos;
  const bool table = starts(line, "[") && line.find_first_of(letters) == 1 && line.find(']') != npos;
  if (starts(text, "<")) return "HTML or XML; the result.json beside the report is needed";
  if (table || assignment) return "TOML; a result file is needed, which is what `tlsrig run` makes of a scenario";
  if (starts(text, "#") || starts(text, "|")) return "Markdown; the result.json of that run is needed";
  if (line.find(',') != npos && line.find_first_of(letters) == 0) return "CSV; the result.json of that run is needed";
  return "";
}

// Walks through the document and keeps its place.
class Check final : public nlohmann::json_sax<Json> {
 public:
  explicit Check(std::string_view text) : text_(text) {}

  bool null() override { return next(); }
  bool boolean(bool) override { return next(); }
  bool number_integer(number_integer_t) override { return next(); }
  bool number_unsigned(number_unsigned_t) override { return next(); }
  bool number_float(number_float_t, const string_t&) override { return next(); }
  bool string(string_t&) override { return next(); }
  bool binary(binary_t&) override { return next(); }
  bool start_object(std::size_t) override { return enter(false); }
  bool start_array(std::size_t) override { return enter(true); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool key(string_t& key) override {
    Level& level = levels_.back();
    if (!level.keys.insert(key).second) refuse(fmt::format("{}the key \"{}\" stands there twice", place(), shown(key)));
    if (level.keys.size() > most_keys)
      refuse(fmt::format("{}an object of more than {} keys; no result has that", place(), most_keys));
    level.key = key;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& last_read, const Json::exception& error) override {
    constexpr int number_overflow = 406;
    if (error.id == number_overflow)
      refuse(fmt::format("{}{} is out of range: no number is that large", inside(), shown(last_read)));
    if (std::string_view(error.what()).find("unexpected end of input") != std::string_view::npos ||
        (position >= text_.size() && !levels_.empty()))
      refuse(fmt::format("it is cut off after {} bytes{}: written or copied in part", text_.size(), where(", in ")));
    const std::size_t at = std::min(position == 0 ? 0 : position - 1, text_.size());
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const auto begin = text_.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t column = at == 0 ? 1 : begin == std::string_view::npos ? at + 1 : at - begin;
    std::string_view why = error.what();
    if (const auto colon = why.rfind("; last read"); colon != why.npos) why = why.substr(0, colon);
    if (const auto dash = why.find(" - "); dash != why.npos) why = why.substr(dash + 3);
    refuse(fmt::format("it is not JSON: line {}, column {}{}: {} at '{}'", line, column, where(" (in ", ")"), why,
                       shown(last_read)));
  }

 private:
  struct Level {
    bool is_list = false;
    std::size_t index = 0;  // of the element that is being read
    std::string key;
    std::set<std::string> keys;
  };

  static std::string shown(const std::string& text) { return shortened(one_line(text), 40); }

  bool next() {
    if (!levels_.empty()) ++levels_.back().index;
    return true;
  }
  bool enter(bool is_list) {
    if (levels_.size() == deepest_nesting)
      refuse(fmt::format("{}nested more than {} levels deep; no result is", inside(), deepest_nesting));
    levels_.push_back({is_list, 0, "", {}});
    return true;
  }
  bool leave() {
    levels_.pop_back();
    return next();
  }

  // "cells[0].arms[3]" of the value that is being read.
  std::string path(std::size_t levels) const {
    std::string path;
    for (std::size_t i = 0; i < levels; ++i) {
      const Level& level = levels_[i];
      if (level.is_list)
        path += fmt::format("[{}]", level.index);
      else if (!level.key.empty())
        path += (path.empty() ? "" : ".") + shown(level.key);
    }
    return shortened(path, 200);
  }
  std::string where(std::string_view before, std::string_view after = "") const {
    const std::string path_here = path(levels_.size());
    return path_here.empty() ? "" : fmt::format("{}{}{}", before, path_here, after);
  }
  std::string inside() const { return where("", ": "); }
  std::string place() const {  // of the object whose key is read
    const std::string path_here = path(levels_.size() - 1);
    return path_here.empty() ? "" : path_here + ": ";
  }

  std::string_view text_;
  std::vector<Level> levels_;
};

}  // namespace

std::string read_document_text(const fs::path& file) {
  const Descriptor descriptor{open_document(file)};
  struct stat status {};
  if (::fstat(descriptor.fd, &status) == 0 && S_ISDIR(status.st_mode))
    refuse("it is a directory; a result file is needed, such as the result.json in it");
  std::string text;
  std::vector<char> part(std::size_t{1} << 18);
  for (;;) {
    const ssize_t size = ::read(descriptor.fd, part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) refuse("it cannot be read: " + std::generic_category().message(errno));
    if (size == 0) break;
    const bool first = text.empty();
    text.append(part.data(), static_cast<std::size_t>(size));
    if (first) require_text(text);  // before the rest of something endless is read
    if (text.size() > longest_document)
      refuse(fmt::format("it is longer than {}; no result is", format_size(longest_document)));
  }
  if (text.empty()) refuse("it is empty: nothing was ever written, or the disk was full");
  require_text(text);
  return text;
}

Json parse_document(const std::string& text) {
  const std::string_view content = without_leading_space(text);
  if (content.empty()) refuse("it holds nothing but white space");
  if (content.front() != '{' && !Json::accept(text)) {
    const std::string kind = likely_kind(content);
    if (!kind.empty()) refuse("it is not JSON, but looks like " + kind);
  }
  Check check(text);
  Json::sax_parse(text, &check);
  return Json::parse(text);
}

}  // namespace tlsrig::report
