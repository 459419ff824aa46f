// What the rig recorded of the machine, for people.
#include <tlsrig/report/words/machine.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

// A value in a few words; empty when it has none: null, a table, or too long to be read in passing.
std::string short_words(const Json& json) {
  constexpr std::size_t longest = 80;
  std::string words;
  if (json.is_array()) {
    for (const Json& element : json) {
      if (element.is_structured()) return "";
      words += (words.empty() ? "" : " ") + json_words(element);
    }
  } else if (!json.is_object() && !json.is_null()) {
    words = json_words(json);
  }
  return words.size() <= longest ? words : "";
}

// "24684084 kB", as /proc/meminfo has it, as "23.5 GiB"; any other text as it is.
std::string memory_words(const std::string& text) {
  std::uint64_t kibibytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), kibibytes);
  if (error != std::errc() || std::string_view(end, text.data() + text.size()) != " kB") return text;
  return format_size(kibibytes * 1024);
}

// The three averages of /proc/loadavg, without the counts behind them.
std::string load_words(const std::string& text) {
  std::size_t end = 0;
  for (int numbers = 0; numbers < 3 && end < text.size(); ++numbers) end = text.find(' ', end + (numbers > 0 ? 1 : 0));
  return text.substr(0, end);
}

// The key that stands before its value: "load 0.52"; the value alone where it speaks for itself.
std::string fact(const std::string& key, const Json& value) {
  const std::string words = short_words(value);
  if (words.empty()) return "";
  if (key == "processor" || key == "kernel" || key == "architecture" || key == "c_library") return words;
  if (key == "processors" && value.is_number_integer() && value > 0)
    return counted(value.get<std::uint64_t>(), "processor", "processors");
  if (key == "memory") return memory_words(words) + " memory";
  if (key == "load") return "load " + load_words(words);
  return with_spaces(key) + " " + words;
}

constexpr std::array<std::string_view, 5> essential = {"processor", "processors", "memory", "kernel", "load"};

bool is_essential(std::string_view key) {
  for (const std::string_view each : essential)
    if (each == key) return true;
  return false;
}

void collect(const Json& json, const std::string& prefix, std::vector<std::string>& facts) {
  for (const auto& item : json.items()) {
    if (prefix.empty() && is_essential(item.key())) continue;
    if (item.value().is_object()) {
      collect(item.value(), prefix + item.key() + " ", facts);
    } else if (const std::string words = fact(prefix + item.key(), item.value()); !words.empty()) {
      facts.push_back(words);
    }
  }
}

}  // namespace

std::string machine_words(const Json& machine, bool everything) {
  if (!machine.is_object()) return "";
  std::vector<std::string> facts;
  for (const std::string_view key : essential) {
    if (!machine.contains(key)) continue;
    if (const std::string words = fact(std::string(key), machine[std::string(key)]); !words.empty())
      facts.push_back(words);
  }
  if (everything) collect(machine, "", facts);
  return joined(facts, ", ");
}

}  // namespace tlsrig::report
