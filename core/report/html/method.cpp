// The numbers in the method box.
#include <set>

#include <fmt/format.h>

#include <tlsrig/report/cell_table.hpp>
#include <tlsrig/report/findings.hpp>
#include <tlsrig/report/format.hpp>
#include <tlsrig/report/html/forest_plot.hpp>
#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/html/signed_rank.hpp>
#include <tlsrig/report/html/verdict.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words.hpp>

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
    const auto rank = signed_rank(n);
    Fields fields;
    fields.text("n", std::to_string(n));
    fields.text("averages", rank ? std::to_string(rank->averages) : "");
    fields.text("k", rank ? std::to_string(rank->k) : "");
    fields.text("level", rank ? fmt::format("{:.1f} %", rank->level * 100) : "");
    fields.text("no_interval", rank    ? ""
                               : n < 6 ? "too few blocks for an interval: 6 are needed"
                                       : "K by the normal approximation");
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
    fields.text("cell", cell.id).text("anchor", anchor_of(result, cell)).text("equivalence", limit_words(*equivalence));
    fields.text("twin", found ? fmt::format("{} ({} .. {})", format_ratio(found->ratio), format_ratio(found->low),
                                            format_ratio(found->high))
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
