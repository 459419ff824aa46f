// The questions of Place. Bounds are far beyond what a run can write, and small enough that nothing that renders a
// result can be made to run out of memory by a few bytes.
#include <tlsrig/report/file/place.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/report/file/read.hpp>
#include <tlsrig/report/words/format.hpp>

namespace tlsrig::report {
namespace {

constexpr std::size_t longest_text = 64 * 1024;
constexpr std::size_t longest_name = 4096;
constexpr std::size_t longest_list = 100'000;

std::string found_words(const Json& json) {
  constexpr std::size_t longest_shown = 60;
  if (json.is_object()) return json.empty() ? "an empty object" : "an object";
  if (json.is_array()) return json.empty() ? "an empty list" : "a list";
  return shortened(one_line(json.dump(-1, ' ', false, Json::error_handler_t::replace)), longest_shown);
}

// A key that would be mistaken for more than one is put in brackets.
bool plain_key(const std::string& key) {
  return !key.empty() &&
         key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string::npos;
}

}  // namespace

void Place::refuse_as(std::string_view complaint) const {
  throw UnreadableResult(path_.empty() ? std::string(complaint) : fmt::format("{}: {}", path_, complaint));
}

void Place::refuse(std::string_view needed) const {
  refuse_as(fmt::format("found {}, {} is needed", found_words(*json_), needed));
}

void Place::require_list() const {
  if (!json_->is_array()) refuse("a list");
  if (json_->size() > longest_list)
    refuse_as(fmt::format("found {} elements; at most {} are read", json_->size(), longest_list));
}

void Place::require_object() const {
  if (!json_->is_object()) refuse("an object");
}

std::string Place::below(const std::string& key) const {
  if (!plain_key(key)) return fmt::format("{}[\"{}\"]", path_, shortened(one_line(key), 60));
  return path_.empty() ? key : fmt::format("{}.{}", path_, key);
}

std::optional<Place> Place::find(const std::string& key) const {
  require_object();
  const auto found = json_->find(key);
  if (found == json_->end()) return std::nullopt;
  return Place(*found, below(key));
}

Place Place::at(const std::string& key) const {
  auto found = find(key);
  if (!found) refuse_as(fmt::format("the key \"{}\" is missing", key));
  return *std::move(found);
}

std::string Place::text() const {
  if (!json_->is_string()) refuse("a text");
  const auto& text = json_->get_ref<const std::string&>();
  if (text.size() > longest_text)
    refuse_as(fmt::format("found a text of {} bytes; at most {} are read", text.size(), longest_text));
  return text;
}

std::string Place::name() const {
  std::string name = text();
  if (name.empty()) refuse("a text that is not empty");
  if (name.size() > longest_name)
    refuse_as(fmt::format("found a name of {} bytes; at most {} are read", name.size(), longest_name));
  const auto is_control = [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control)) refuse("a name without control characters");
  return name;
}

std::string Place::one_of(std::initializer_list<std::string_view> words) const {
  if (json_->is_string() && std::find(words.begin(), words.end(), json_->get_ref<const std::string&>()) != words.end())
    return json_->get<std::string>();
  std::string list;
  for (const auto word : words) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", word);
  refuse("one of " + list);
}

bool Place::boolean() const {
  if (!json_->is_boolean()) refuse("true or false");
  return json_->get<bool>();
}

std::uint64_t Place::count(std::uint64_t least, std::uint64_t most) const {
  if (const auto number = whole_number(*json_); number && *number >= least && *number <= most) return *number;
  refuse(most == UINT64_MAX ? fmt::format("a whole number from {} on", least)
                            : fmt::format("a whole number from {} to {}", least, most));
}

double Place::number() const {
  if (!json_->is_number()) refuse("a number");
  const double number = json_->get<double>();
  if (!(number >= 0)) refuse("a number not below 0");
  return number;
}

double Place::positive_number() const {
  if (!json_->is_number()) refuse("a number");
  const double number = json_->get<double>();
  if (!(number > 0)) refuse("a number above 0");
  return number;
}

Json Place::any_object() const {
  if (!json_->is_object() && !json_->is_null()) refuse("an object");
  return *json_;
}

}  // namespace tlsrig::report
