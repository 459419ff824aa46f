// Who is busier than what is compared.
#include <tlsrig/report/words/damping.hpp>

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/sides.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

using Arms = std::vector<const Arm*>;
using Sides = std::set<std::string>;

struct Role {
  const char *name, *settings;  // settings: where its own stand
};

constexpr std::array<Role, 3> roles = {{{"client", "roles.client"}, {"relay", "relay"}, {"server", "roles.server"}}};

// The arms between which differences are looked for.
Arms ranked_arms(const Cell& cell) {
  Arms arms;
  for (const Arm& arm : cell.arms)
    if (arm.status == Status::ok && !arm.twin && !is_yardstick(cell, arm)) arms.push_back(&arm);
  return arms;
}

Sides sides_that_differ(const Arms& arms) {
  const auto own = [](const Arm& arm, const Role& role) {
    const Json* found = find_path(arm.settings, role.settings);
    return found == nullptr ? Json(nullptr) : *found;
  };
  Sides sides;
  for (const Role& role : roles) {
    const Json first = own(*arms.front(), role);
    if (std::any_of(arms.begin(), arms.end(), [&](const Arm* arm) { return own(*arm, role) != first; }))
      sides.insert(role.name);
  }
  return sides;
}

// The sides that the scenario gives to the backend of the arm or cell.
Sides sides_of_the_backend(const Result& result, const Cell& cell) {
  Sides sides;
  for (const ScenarioRecord& scenario : result.scenarios) {
    if (scenario.name != cell.scenario || scenario.run != cell.run) continue;
    for (const Role& role : roles) {
      const std::string key = std::string(role.settings) + ".backend";
      const bool is_axis = std::any_of(cell.params.begin(), cell.params.end(), [&](const auto& param) {
        return param.first == key || param.first == role.settings;  // the latter: a list in [roles]
      });
      const Json* player = find_path(scenario.effective, key);
      if (!is_axis && player != nullptr && *player == "backend") sides.insert(role.name);
    }
  }
  return sides;
}

// Less than this is what two equal sides may come to.
constexpr double busier = 1.1;

double cpu_of(const Arm& arm, const std::string& side) {
  const Metric* metric = find_metric(arm, "cpu_" + side);
  return metric != nullptr ? metric->value.value_or(0) : 0;
}

struct Busiest {
  std::string side;
  double seconds = 0;
};

// Of the sides that are among those given, or of those that are not.
Busiest busiest(const Arm& arm, const Sides& sides, bool among) {
  Busiest found;
  for (const Role& role : roles) {
    const double seconds = cpu_of(arm, role.name);
    if (sides.contains(role.name) == among && seconds > found.seconds) found = {role.name, seconds};
  }
  return found;
}

std::string subject(const Damping& damping, const std::string& who) {
  return fmt::format("the {} ({}) is busier than the {}, which is compared", side_words(damping.side), who,
                     side_words(damping.compared));
}

std::string in_every_arm(const std::string& player) { return player + " in every arm"; }

}  // namespace

std::optional<Damping> damping_of(const Result& result, const Cell& cell) {
  const Arms arms = ranked_arms(cell);
  if (arms.size() < 2) return std::nullopt;
  Sides compared = sides_that_differ(arms);
  if (compared.empty()) compared = sides_of_the_backend(result, cell);
  if (compared.empty()) return std::nullopt;
  Damping damping;
  damping.all = arms.size();
  for (const Arm* arm : arms) {
    const Busiest mine = busiest(*arm, compared, true), other = busiest(*arm, compared, false);
    if (mine.seconds <= 0 || other.seconds <= busier * mine.seconds) continue;
    ++damping.arms;
    if (damping.worst != nullptr && other.seconds / mine.seconds <= damping.factor()) continue;
    const auto player = arm->roles.find(other.side);
    damping.side = other.side;
    damping.player = player == arm->roles.end() ? "the same" : player->second;
    damping.compared = mine.side;
    damping.worst = arm;
    damping.busy = other.seconds;
    damping.compared_busy = mine.seconds;
  }
  return damping.arms == 0 ? std::nullopt : std::optional(damping);
}

std::string damping_sentence(const Cell& cell, const Damping& damping) {
  std::string words = damping.arms == damping.all ? "" : fmt::format("in {} of {} arms ", damping.arms, damping.all);
  words += subject(damping, in_every_arm(damping.player));
  words.front() = words.front() == 'i' ? 'I' : 'T';
  return fmt::format("{}: {} of CPU per {} against {} with {}. Differences are damped.", words,
                     format_duration(damping.busy), operation_word(cell, *damping.worst),
                     format_duration(damping.compared_busy), damping.worst->id);
}

std::vector<Warning> damping_warnings(const Result& result) {
  struct Found {
    const Cell* worst;
    Damping damping;
    std::size_t cells = 0;
    std::set<std::string> players;
  };
  std::vector<Found> list;
  for (const Cell& cell : result.cells) {
    const auto damping = damping_of(result, cell);
    if (!damping) continue;
    auto known = std::find_if(list.begin(), list.end(), [&](const Found& each) {
      return each.worst->scenario == cell.scenario && each.damping.side == damping->side &&
             each.damping.compared == damping->compared;
    });
    if (known == list.end()) known = list.insert(list.end(), {&cell, *damping, 0, {}});
    ++known->cells;
    known->players.insert(damping->player);
    if (damping->factor() > known->damping.factor()) known->worst = &cell, known->damping = *damping;
  }
  std::vector<Warning> warnings;
  for (const Found& found : list) {
    const auto in_scenario = [&](const Cell& cell) { return cell.scenario == found.worst->scenario; };
    const auto all = static_cast<std::size_t>(std::count_if(result.cells.begin(), result.cells.end(), in_scenario));
    const std::string factor = factor_words(found.damping.factor()), &worst = found.worst->id;
    const std::string& arm = found.damping.worst->id;
    const std::string words = subject(found.damping, found.players.size() == 1 ? in_every_arm(*found.players.begin())
                                                                               : "the same in all arms of a cell");
    warnings.push_back(
        {found.worst->scenario,
         all == 1 ? fmt::format("{} ({} the CPU time, with {}): differences are damped.", words, factor, arm)
                  : fmt::format("{} cells {} (up to {} the CPU time, in {} with {}): differences there are damped.",
                                found.cells == all ? fmt::format("in all {}", all)
                                                   : fmt::format("in {} of {}", found.cells, all),
                                words, factor, worst, arm)});
  }
  return warnings;
}

}  // namespace tlsrig::report
