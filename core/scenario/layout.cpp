// Cells and arms.
#include <tlsrig/scenario/layout.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tlsrig/scenario/checks.hpp>
#include <tlsrig/scenario/resolve.hpp>
#include <tlsrig/scenario/units.hpp>

namespace tlsrig::scenario {
namespace {

constexpr std::uint64_t arms_most = 10'000;  // of all cells together

// A value chosen from each axis; nullptr: none from this one.
using Choice = std::vector<const AxisValue*>;

class Layout {
 public:
  Layout(const LayoutRequest& request, Diagnostics& diagnostics);

  std::vector<CellPlan> build();

 private:
  bool fits() const;
  Choice first_choice() const;
  bool next(Choice& choice) const;
  CellPlan cell(const Choice& choice, const std::string& cell_backend);
  ArmPlan arm(const Choice& choice, std::string id, const std::string& backend);
  void name_cell(CellPlan& cell, const Choice& choice, const std::string& cell_backend) const;
  void choose_baseline(CellPlan& cell) const;

  const LayoutRequest& request_;
  const std::vector<Axis>& axes_;
  Diagnostics& diagnostics_;
  std::size_t compared_;             // index of the axis whose values are the arms; axes_.size(): backends are
  std::vector<std::string> labels_;  // of the axes, in cell ids
};

Layout::Layout(const LayoutRequest& request, Diagnostics& diagnostics)
    : request_(request), axes_(request.draft.axes), diagnostics_(diagnostics) {
  const auto is_compared = [&](const Axis& axis) { return axis.path == request.arms; };
  compared_ = static_cast<std::size_t>(std::find_if(axes_.begin(), axes_.end(), is_compared) - axes_.begin());
  for (const Axis& axis : axes_) {
    const auto same_end = [&](const Axis& other) { return last_part(other.path) == last_part(axis.path); };
    const bool clear = std::count_if(axes_.begin(), axes_.end(), same_end) == 1 && last_part(axis.path) != "backend";
    labels_.emplace_back(clear ? last_part(axis.path) : std::string_view(axis.path));
  }
}

bool Layout::fits() const {
  std::optional<std::uint64_t> arms = request_.draft.backends.size();
  for (const Axis& axis : axes_) {
    arms = arms ? multiply(*arms, axis.values.size()) : arms;
  }
  if (arms && *arms <= arms_most) {
    return true;
  }
  const std::string count = arms ? std::to_string(*arms) : "more than 2^64";
  const bool by_flag = !axes_.empty() && !axes_.back().place.flag.empty();
  diagnostics_.add(by_flag ? axes_.back().place : request_.draft.matrix_place, "matrix",
                   fmt::format("the combinations give {} arms; allowed: up to {}", count, arms_most));
  return false;
}

Choice Layout::first_choice() const {
  Choice choice(axes_.size(), nullptr);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    choice[i] = i == compared_ ? nullptr : axes_[i].values.data();
  }
  return choice;
}

// The last axis turns fastest. False after the last combination.
bool Layout::next(Choice& choice) const {
  for (std::size_t i = axes_.size(); i-- > 0;) {
    if (i == compared_) {
      continue;
    }
    if (++choice[i] != axes_[i].values.data() + axes_[i].values.size()) {
      return true;
    }
    choice[i] = axes_[i].values.data();
  }
  return false;
}

std::vector<CellPlan> Layout::build() {
  std::vector<CellPlan> cells;
  if (!fits()) {
    return cells;
  }
  std::set<std::string> ids;
  const auto add = [&](CellPlan plan) {
    if (ids.insert(plan.id).second) {  // an axis without effect gives the same cell again
      cells.push_back(std::move(plan));
    }
  };
  Choice choice = first_choice();
  do {
    if (compared_ == axes_.size()) {
      add(cell(choice, {}));
    } else {
      for (const std::string& backend : request_.draft.backends) {
        add(cell(choice, backend));
      }
    }
  } while (next(choice));
  return cells;
}

// cell_backend: whose cell it is when the values of an axis are the arms.
CellPlan Layout::cell(const Choice& choice, const std::string& cell_backend) {
  CellPlan plan;
  if (compared_ == axes_.size()) {
    for (const std::string& backend : request_.draft.backends) {
      plan.arms.push_back(arm(choice, backend, backend));
    }
  } else {
    for (const AxisValue& value : axes_[compared_].values) {
      Choice whole = choice;
      whole[compared_] = &value;
      plan.arms.push_back(arm(whole, value.text, cell_backend));
    }
    const auto differs = [&](const ArmPlan& one) { return has_effect(axes_[compared_], one.settings); };
    if (std::none_of(plan.arms.begin(), plan.arms.end(), differs)) {
      plan.arms.resize(1);  // the values would all run the same: one arm shows what that is
      plan.arms.front().id = cell_backend;
    }
  }
  name_cell(plan, choice, cell_backend);
  choose_baseline(plan);
  return plan;
}

ArmPlan Layout::arm(const Choice& choice, std::string id, const std::string& backend) {
  Settings said = request_.base;
  for (const AxisValue* value : choice) {
    for (const Assigned& part : value->parts) {
      part.key->access.set(said, part.value);
    }
  }
  ArmPlan plan{std::move(id), backend, false, said};
  resolve_arm(plan.settings, backend);
  const auto place_of = [&](std::string_view path) {
    for (const AxisValue* value : choice) {
      for (const Assigned& part : value->parts) {
        if (part.key->path == path) {
          return part.place;
        }
      }
    }
    return request_.draft.place_of(path);
  };
  check_arm({said, plan.settings, backend, place_of}, request_.draft, diagnostics_);
  return plan;
}

void Layout::name_cell(CellPlan& plan, const Choice& choice, const std::string& cell_backend) const {
  plan.id = request_.name;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const auto differs = [&](const ArmPlan& one) { return has_effect(axes_[i], one.settings); };
    if (i != compared_ && std::any_of(plan.arms.begin(), plan.arms.end(), differs)) {
      plan.id += fmt::format("/{}={}", labels_[i], choice[i]->text);
      plan.parameters.emplace_back(axes_[i].path, choice[i]->text);
    }
  }
  if (!cell_backend.empty()) {
    plan.id += "/backend=" + cell_backend;
    plan.parameters.emplace_back("backend", cell_backend);
  }
}

void Layout::choose_baseline(CellPlan& plan) const {
  const auto wanted = [&](const ArmPlan& one) { return one.id == request_.baseline; };
  const auto found = std::find_if(plan.arms.begin(), plan.arms.end(), wanted);
  ArmPlan twin = found == plan.arms.end() ? plan.arms.front() : *found;
  plan.baseline = twin.id;
  if (request_.base.measure.self_check) {
    twin.id += "#2";
    twin.twin = true;
    plan.arms.push_back(std::move(twin));
  }
}

}  // namespace

std::vector<CellPlan> lay_out(const LayoutRequest& request, Diagnostics& diagnostics) {
  return Layout(request, diagnostics).build();
}

}  // namespace tlsrig::scenario
