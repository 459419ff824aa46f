// Drawing CPU times.
#include <tlsrig/report/html/cpu_bars.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/report/html/svg.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/sides.hpp>

namespace tlsrig::report::html {
namespace {

constexpr double left = 62, right = Svg::width - 54;
constexpr double name_height = 17, name_gap = 9, bar_height = 11, bar_pitch = 16, gap = 5;

struct Bar {
  std::string role;
  double seconds = 0, user_share = 0;
};

struct Group {
  const Arm* arm = nullptr;
  std::vector<Bar> bars;
};

// NaN-free: a side that used no time at all has all of it in user mode.
double user_share(const Arm& arm, const std::string& role) {
  double user = 0, system = 0;
  for (const Block& block : arm.blocks) {
    const auto use = block.roles.find(role);
    if (use == block.roles.end()) continue;
    user += use->second.cpu_user;
    system += use->second.cpu_system;
  }
  return user + system > 0 ? std::clamp(user / (user + system), 0.0, 1.0) : 1;
}

std::vector<Group> groups_of(const Cell& cell) {
  std::vector<Group> groups;
  for (const Arm* arm : rank(cell).with_numbers()) {
    Group group{arm, {}};
    for (const Metric& metric : arm->metrics) {
      const std::string role(side_of(metric.name));
      if (role.empty() || !metric.value || !(*metric.value >= 0)) continue;
      group.bars.push_back({role, *metric.value, user_share(*arm, role)});
    }
    std::stable_sort(group.bars.begin(), group.bars.end(),
                     [](const Bar& one, const Bar& other) { return path_place(one.role) < path_place(other.role); });
    for (Bar& bar : group.bars) bar.role = cpu_title(bar.role, group.bars.size() > 1);
    if (!group.bars.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

std::string description(const std::vector<Group>& groups) {
  std::string words;
  for (const Group& group : groups) {
    for (const Bar& bar : group.bars) {
      words += fmt::format("{} {}: {} per operation, {:.0f} % of it user. ", group.arm->id, bar.role,
                           format_duration(bar.seconds), bar.user_share * 100);
    }
  }
  return words;
}

}  // namespace

std::string cpu_bars(const Cell& cell) {
  const std::vector<Group> groups = groups_of(cell);
  std::vector<double> values;
  for (const Group& group : groups) {
    for (const Bar& bar : group.bars) values.push_back(bar.seconds);
  }
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  if (!(most > 0)) return "";
  const Scale scale = scale_for(values, 3);

  Svg svg("cpu", "CPU time per operation by side", description(groups));
  double y = 12;
  const auto key = [&](std::string_view look, double x, std::string_view words) {
    svg.box(look, x, y - 9, 12, 10);
    svg.text("tick", x + 17, y, words);
  };
  key("user", 0, "user");
  key("system", 60, "system");
  svg.text("tick", Svg::width, y, scale.prefix + "s per operation", Anchor::end);
  for (const Group& group : groups) {
    y += name_height + gap;
    svg.name(0, y, group.arm->id, Svg::width);
    y += name_gap;
    for (const Bar& bar : group.bars) {
      const double length = (right - left) * std::clamp(bar.seconds / most, 0.0, 1.0), user = length * bar.user_share;
      svg.text("tick", 0, y + 9.5, fitting(bar.role, left - 4));
      svg.box("user", left, y, user, bar_height);
      svg.box("system", left + user, y, length - user, bar_height);
      svg.text("number", left + length + 6, y + 9.5, scale.format(bar.seconds));
      y += bar_pitch;
    }
    y -= gap;
  }
  return svg.finished(y + gap + 4);
}

}  // namespace tlsrig::report::html
