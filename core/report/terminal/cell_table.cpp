// One cell as a table.
#include <tlsrig/report/terminal/cell_table.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/sides.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report {
namespace {

Style style_of(const std::string& verdict) {
  switch (tone_of(verdict)) {
    case Tone::good:
      return Style::good;
    case Tone::bad:
      return Style::bad;
    case Tone::open:
      return Style::caution;
    default:
      return Style::plain;
  }
}

// Fills a table column by column: each takes its scale from all arms.
class CellTable {
 public:
  CellTable(const Result& result, const Cell& cell, const Ranking& ranking)
      : cell_(cell), arms_(ranking.with_numbers()), main_(main_metric_name(cell)) {
    table_.columns.push_back({"", "", Align::left});
    for (const Arm* arm : arms_) {
      const BackendRecord* backend = find_backend(result, *arm);
      const bool warned = backend != nullptr && !backend->warnings.empty();
      table_.rows.push_back({{{one_line(arm->id) + (warned ? " !" : ""), Style::strong}}, "", Style::plain, false});
    }
    add_ratio();
    add_main_metric();
    add_payload();
    add_metrics("CPU", "/op", cpu_metrics());
    add_metrics("service time", "", percentiles("service_time_"));
    add_metrics("response time", "", percentiles("response_time_"));
    insert_messages(ranking);
  }

  const Table& table() const { return table_; }

 private:
  using Named = std::vector<std::pair<std::string, std::string>>;  // metric, title

  const Metric* metric(const Arm& arm, std::string_view name) const {
    const Metric* found = find_metric(arm, name);
    return found != nullptr && found->value ? found : nullptr;
  }

  std::vector<double> values_of(const Named& metrics) const {
    std::vector<double> values;
    for (const Arm* arm : arms_) {
      for (const auto& [name, title] : metrics) {
        if (const Metric* found = metric(*arm, name)) values.push_back(*found->value);
      }
    }
    return values;
  }

  // The entries of a column, one per arm, from what `entry` says of it.
  template <typename Function>
  void add_column(Column column, Function entry) {
    table_.columns.push_back(std::move(column));
    for (std::size_t row = 0; row < arms_.size(); ++row) table_.rows[row].entries.push_back(entry(*arms_[row]));
  }

  void add_main_metric() {
    const std::string name = main_;
    if (name.empty()) return;
    const Scale scale = scale_for(values_of({{name, ""}}), 4);
    const std::string unit = name == "throughput" ? "op/s" : unit_of(name);
    const std::string group = with_spaces(name);
    add_column({group, scale.prefix + unit}, [&](const Arm& arm) -> Entry {
      const Metric* found = metric(arm, name);
      return {found ? scale.format(*found->value) : "-", Style::strong};
    });
    add_column({group, "±", Align::right}, [&](const Arm& arm) -> Entry {
      const Metric* found = metric(arm, name);
      if (!found || !found->low || !found->high || *found->value == 0) return {};
      return {format_percent((*found->high - *found->low) / 2 / *found->value)};
    });
  }

  std::string unit_of(const std::string& name) const {
    for (const Arm* arm : arms_) {
      if (const Metric* found = metric(*arm, name)) return found->unit;
    }
    return "";
  }

  void add_payload() {
    const std::string name = "payload_bytes_per_second";
    if (main_ == name) return;
    const Scale scale{1e6, "M", 3};  // what TLS libraries are spoken of in
    add_column({"payload", scale.prefix + "B/s"}, [&](const Arm& arm) -> Entry {
      const Metric* found = metric(arm, name);
      return {found && *found->value > 0 ? scale.format(*found->value) : ""};
    });
  }

  // The limit is the same for all arms of a cell and stands in the heading; should one differ, it stands in its row.
  std::set<double> limits_of(const std::string& name) const {
    std::set<double> limits;
    for (const Comparison* comparison : valid_comparisons(cell_)) {
      if (comparison->metric == name && comparison->verdict && comparison->limit) limits.insert(*comparison->limit);
    }
    return limits;
  }

  void add_ratio() {
    const std::string name = main_;
    const auto compared = [&](const Arm* arm) { return find_comparison(cell_, arm->id, name) != nullptr; };
    if (std::none_of(arms_.begin(), arms_.end(), compared)) return;
    const std::string group = "vs " + one_line(cell_.baseline);
    add_column({group, "ratio"}, [&](const Arm& arm) -> Entry {
      const Comparison* comparison = find_comparison(cell_, arm.id, name);
      if (arm.id == cell_.baseline) return {"1"};
      return {comparison && comparison->ratio ? format_ratio(*comparison->ratio) : ""};
    });
    add_column({group, "95 % interval", Align::right}, [&](const Arm& arm) -> Entry {
      const Comparison* comparison = find_comparison(cell_, arm.id, name);
      return {comparison ? interval_words(*comparison) : ""};
    });
    const std::set<double> limits = limits_of(name);
    const bool one_limit = limits.size() == 1;
    const std::string title = one_limit ? "limit " + limit_words(*limits.begin()) : limits.empty() ? "" : "(limit)";
    add_column({"verdict", title, Align::left}, [&](const Arm& arm) -> Entry {
      if (arm.id == cell_.baseline) return {"baseline", Style::faint};
      if (arm.twin) return {"A/A twin", Style::faint};
      if (is_yardstick(cell_, arm)) return {"no TLS", Style::faint};
      const Comparison* comparison = find_comparison(cell_, arm.id, name);
      if (!comparison || !comparison->verdict) return {};
      const bool own_limit = !one_limit && comparison->limit;
      return {*comparison->verdict + (own_limit ? " (" + limit_words(*comparison->limit) + ")" : ""),
              style_of(*comparison->verdict)};
    });
  }

  // Every cpu_ROLE, along the path.
  Named cpu_metrics() const {
    std::vector<std::string> sides;
    for (const Arm* arm : arms_) {
      for (const Metric& each : arm->metrics)
        if (const std::string_view side = side_of(each.name); !side.empty()) sides.emplace_back(side);
    }
    sides = along_path(std::move(sides));
    Named found;
    for (const std::string& side : sides) found.emplace_back("cpu_" + side, cpu_title(side, sides.size() > 1));
    return found;
  }

  static Named percentiles(const std::string& prefix) {
    return {{prefix + "p50", "p50"}, {prefix + "p99", "p99"}, {prefix + "p999", "p99.9"}};
  }

  // Times, all in one unit.
  void add_metrics(const std::string& group, const std::string& per, const Named& metrics) {
    const Scale scale = scale_for(values_of(metrics), 3);
    for (const auto& [name, title] : metrics) {
      add_column({group + " " + scale.prefix + "s" + per, title}, [&, &name = name](const Arm& arm) -> Entry {
        const Metric* found = metric(arm, name);
        if (found) return {scale.format(*found->value)};
        const bool measured = find_metric(arm, name) != nullptr && !values_of({{name, ""}}).empty();
        return {measured ? "-" : "", Style::faint};  // too few samples for this arm alone
      });
    }
  }

  // Rows without numbers stand between the ranked arms and the yardstick.
  void insert_messages(const Ranking& ranking) {
    const auto row_of = [](const Arm& arm) {
      Row row{{{one_line(arm.id), Style::strong}}, one_line(status_words(arm)), Style::caution, false};
      if (arm.status == Status::failed) row.message_style = Style::bad;
      return row;
    };
    std::vector<Row> messages;
    for (const Arm* arm : ranking.others) messages.push_back(row_of(*arm));
    table_.rows.insert(table_.rows.begin() + static_cast<std::ptrdiff_t>(ranking.ranked.size()), messages.begin(),
                       messages.end());
    for (const Arm* arm : ranking.yardstick) {
      if (arm->status != Status::ok) table_.rows.push_back(row_of(*arm));
    }
    const std::size_t above = ranking.ranked.size() + messages.size();
    if (above > 0 && above < table_.rows.size()) table_.rows[above].set_apart = true;
  }

  const Cell& cell_;
  Arms arms_;
  std::string main_;  // metric
  Table table_;
};

}  // namespace

Table cell_table(const Result& result, const Cell& cell) { return CellTable(result, cell, rank(cell)).table(); }

}  // namespace tlsrig::report
