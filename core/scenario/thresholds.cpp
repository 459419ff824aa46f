// The shape of [thresholds].
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

#include <tlsrig/scenario/collect.hpp>
#include <tlsrig/scenario/nearest.hpp>

namespace tlsrig::scenario {
namespace {

using Kind = Raw::Kind;

const std::vector<std::string> members{"backend", "metric", "expr"};

void skip(std::string_view& text, std::string_view characters) {
  text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

bool skip_word(std::string_view& text, std::initializer_list<std::string_view> words) {
  const auto at =
      std::find_if(words.begin(), words.end(), [&](std::string_view word) { return text.starts_with(word); });
  text.remove_prefix(at == words.end() ? 0 : at->size());
  return at != words.end();
}

bool skip_digits(std::string_view& text) {
  const std::size_t before = text.size();
  skip(text, "0123456789");
  return text.size() < before;
}

// "low > 0.95".
bool is_expression(std::string_view text) {
  if (!skip_word(text, {"low", "high", "ratio"})) {
    return false;
  }
  skip(text, " ");
  if (!skip_word(text, {"<=", ">=", "<", ">"})) {
    return false;
  }
  skip(text, " ");
  return skip_digits(text) && (text.empty() || (skip_word(text, {"."}) && skip_digits(text) && text.empty()));
}

}  // namespace

void Collector::take_ratios(const Raw& raw) {
  const Key& key = *find_key("thresholds.ratio");
  if (raw.kind != Kind::list) {
    return fault(raw.place, key.path, refusal(key, raw, &known_));
  }
  for (const Raw& ratio : raw.items) {
    if (ratio.kind != Kind::table) {
      fault(ratio.place, key.path, refusal(key, ratio, &known_));
      continue;
    }
    for (const Member& member : ratio.members) {
      if (std::find(members.begin(), members.end(), member.name) == members.end()) {
        fault(member.place, join(key.path, member.name),
              fmt::format("unknown key; known here: {}{}", quoted_list(members), did_you_mean(member.name, members)));
      }
    }
    for (const std::string& name : members) {
      take_ratio_member(ratio, name);
    }
  }
}

void Collector::take_ratio_member(const Raw& ratio, const std::string& name) {
  const std::string path = join("thresholds.ratio", name);
  const Member* member = ratio.find(name);
  if (member == nullptr) {
    return fault(ratio.place, path, "missing; a threshold has backend, metric and expr");
  }
  const Raw& value = member->value;
  if (value.kind != Kind::string || value.text.empty()) {
    return fault(value.place, path, fmt::format("found {}; needed: a string", found_text(value)));
  }
  const auto& names = known_.names;
  if (name == "backend" && std::find(names.begin(), names.end(), value.text) == names.end()) {
    return fault(
        value.place, path,
        fmt::format("found {}; allowed: {}{}", found_text(value), quoted_list(names), did_you_mean(value.text, names)));
  }
  if (name == "expr" && !is_expression(value.text)) {
    fault(
        value.place, path,
        fmt::format("found {}; needed: low, high or ratio, then <, <=, > or >=, then a number; example: expr = \"low > "
                    "0.95\"",
                    found_text(value)));
  }
}

}  // namespace tlsrig::scenario
