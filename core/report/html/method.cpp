// The numbers in the method box.
#include <set>

#include <fmt/format.h>

#include <tlsrig/report/html/forest_plot.hpp>
#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/html/verdict.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>
#include <tlsrig/stats/paired.hpp>

namespace tlsrig::report::html {
namespace {

// A row for each number of blocks that a ratio rests on.
List interval_rows(const Result& result) {
  std::set<std::uint64_t> counts;
  for (const Cell& cell : result.cells) {
    for (const Comparison* comparison : valid_comparisons(cell)) counts.insert(comparison->n);
  }
  List rows;
  for (const std::uint64_t n : counts) {
    const auto k = stats::signed_rank_k(n, stats::usual_level);
    Fields fields;
    fields.text("n", std::to_string(n));
    fields.text("averages", k ? std::to_string(n * (n + 1) / 2) : "");
    fields.text("k", k ? std::to_string(*k) : "");
    fields.text("no_interval",
                k ? "" : fmt::format("too few blocks for an interval: {} are needed", stats::fewest_for_interval));
    rows.push_back(std::move(fields));
  }
  return rows;
}

// How D came about in each cell.
List limit_rows(const Result& result) {
  List rows;
  for (const Cell& cell : result.cells) {
    const auto found = resolution(cell);
    const auto limit = limit_of(cell), equivalence = equivalence_of(cell);
    if (!limit || !equivalence) continue;
    Fields fields;
    fields.id("cell", cell.id).text("anchor", anchor_of(result, cell)).text("equivalence", limit_words(*equivalence));
    fields.text("twin",
                found ? fmt::format("{} ({})", format_ratio(found->ratio), interval_words(found->low, found->high))
                      : "no twin");
    fields.text("limit", limit_words(*limit));
    fields.text("resolved", !found ? "–" : found->resolved() ? "resolved" : "not resolved");
    rows.push_back(std::move(fields));
  }
  return rows;
}

}  // namespace

void add_method(Fields& page, const Result& result) {
  page.list("intervals", interval_rows(result)).list("limits", limit_rows(result));
}

}  // namespace tlsrig::report::html
