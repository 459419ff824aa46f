// The shape of [thresholds].
#include <algorithm>
#include <regex>

#include <fmt/format.h>

#include <tlsrig/scenario/collect.hpp>
#include <tlsrig/scenario/nearest.hpp>

namespace tlsrig::scenario {
namespace {

using Kind = Raw::Kind;

const std::vector<std::string> members{"backend", "metric", "expr"};

bool is_expression(const std::string& text) {
  constexpr std::size_t longest = 100;  // a regular expression is matched by recursion
  static const std::regex shape(R"((low|high|ratio) *(<=|>=|<|>) *[0-9]+(\.[0-9]+)?)");
  return text.size() <= longest && std::regex_match(text, shape);
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
