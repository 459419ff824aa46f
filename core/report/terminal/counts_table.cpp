// Calls, records and bytes per operation.
#include <tlsrig/report/terminal/counts_table.hpp>

#include <fmt/format.h>

#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/sides.hpp>

namespace tlsrig::report {

namespace {

// "1.00"; bytes need no decimals. Of many small messages in one call or record: "0.0610", "0.00012".
Entry per_operation(const std::optional<std::uint64_t>& count, std::uint64_t operations, int decimals) {
  if (!count || operations == 0) return {"-", Style::faint};
  const double each = static_cast<double>(*count) / static_cast<double>(operations);
  if (each > 0 && each < 0.095) return {Scale{1, "", each < 0.00095 ? 2 : 3}.format(each)};
  return {fmt::format("{:.{}f}", each, decimals)};
}

}  // namespace

Table counts_table(const Cell& cell) {
  Table table;
  table.columns = {{"", "", Align::left}, {"calls/op", "read"}, {"calls/op", "write"}, {"records/op", "in"},
                   {"records/op", "out"}, {"bytes/op", "in"},   {"bytes/op", "out"}};
  for (const Arm* arm : rank(cell).with_numbers()) {
    for (const auto* part : in_path_order(arm->proof.roles)) {
      const RoleCounts& counts = part->second;
      Row row;
      row.entries = {{one_line(arm->id + " " + side_words(part->first)), Style::strong},
                     per_operation(counts.reads, counts.operations, 2),
                     per_operation(counts.writes, counts.operations, 2),
                     per_operation(counts.records_in, counts.warmup_operations, 2),
                     per_operation(counts.records_out, counts.warmup_operations, 2),
                     per_operation(counts.bytes_in, counts.operations, 0),
                     per_operation(counts.bytes_out, counts.operations, 0)};
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace tlsrig::report
