// The result as CSV: read back by the rules of RFC 4180, and looked at as a spreadsheet would.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include <tlsrig/report/render.hpp>

#include "report_sample.hpp"

namespace report = tlsrig::report;

namespace {

using Row = std::vector<std::string>;

// RFC 4180 with line feeds. Fails the test where a quote stands in an entry that is not quoted.
std::vector<Row> parsed(const std::string& text) {
  std::vector<Row> rows;
  Row row;
  std::string entry;
  bool quoted = false, was_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (quoted) {
      if (byte != '"') {
        entry += byte;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        entry += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (byte == '"') {
      CHECK((entry.empty() && !was_quoted));
      quoted = was_quoted = true;
    } else if (byte == ',' || byte == '\n') {
      row.push_back(std::move(entry));
      entry.clear();
      was_quoted = false;
      if (byte == '\n') {
        rows.push_back(std::move(row));
        row.clear();
      }
    } else {
      entry += byte;
    }
  }
  CHECK_FALSE(quoted);
  CHECK(entry.empty());
  CHECK(row.empty());
  return rows;
}

using Named = std::map<std::string, std::string>;

// The rows under the names of their columns.
std::vector<Named> named_rows(const report::Result& result) {
  const std::vector<Row> rows = parsed(report::to_csv(result));
  REQUIRE_FALSE(rows.empty());
  std::vector<Named> named;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    REQUIRE(rows[i].size() == rows[0].size());
    Named entries;
    for (std::size_t column = 0; column < rows[0].size(); ++column) entries[rows[0][column]] = rows[i][column];
    named.push_back(std::move(entries));
  }
  return named;
}

Named row_of(const report::Result& result, const std::string& scenario, const std::string& arm,
             const std::string& metric) {
  for (const Named& row : named_rows(result)) {
    if (row.at("scenario") == scenario && row.at("arm") == arm && row.at("metric") == metric) return row;
  }
  FAIL("no row for " << scenario << " " << arm << " " << metric);
  return {};
}

}  // namespace

TEST_CASE("csv: a row per cell, arm and metric, with its comparison") {
  report::Result result = sample::result();
  result.cells[0].arms[2].metrics[0].value = 0.1 + 0.2;
  CHECK(report::to_csv(result).starts_with(
      "scenario,cell,arm,backend,variant,twin,status,reason,metric,unit,better,value,low,high,n,baseline,ratio,"
      "ratio_low,ratio_high,limit,verdict,run,description\n"));
  const Named row = row_of(result, "echo", "boringssl", "throughput");
  CHECK(row.at("cell") == "echo/message_size=1KiB");
  CHECK(row.at("unit") == "operations/s");
  CHECK(row.at("better") == "higher");
  CHECK(row.at("value") == "0.30000000000000004");  // the shortest spelling that reads as the same number
  CHECK(std::stod(row.at("ratio")) == 1.083);
  CHECK(std::stod(row.at("ratio_low")) == 1.083 / 1.012);
  CHECK(row.at("limit") == "0.021");
  CHECK(row.at("verdict") == "faster");
  CHECK(row.at("baseline") == "openssl");
  CHECK(row.at("n") == "8");
  CHECK(row.at("twin") == "false");
  CHECK(row_of(result, "echo", "openssl#2", "throughput").at("twin") == "true");
  CHECK(row_of(result, "echo", "openssl", "throughput").at("ratio") == "");
  CHECK(row_of(result, "echo", "openssl", "cpu_client").at("verdict") == "");
  CHECK(row_of(result, "echo", "plaintcp", "throughput").at("verdict") == "");
  CHECK(row_of(result, "echo", "openssl", "service_time_p999").at("value") == "");  // too few samples
  CHECK(named_rows(result).size() == 4 * 7 + 1 + 4 * 3 + 1);
}

TEST_CASE("csv: an arm without a number has one row without numbers") {
  const report::Result result = sample::result();
  const Named row = row_of(result, "echo", "wolfssl", "");
  CHECK(row.at("status") == "failed");
  CHECK(row.at("reason") == "the wire shows TLS_AES_256_GCM_SHA384, the scenario asks for TLS_AES_128_GCM_SHA256");
  for (const char* column :
       {"unit", "value", "low", "high", "n", "ratio", "ratio_low", "ratio_high", "limit", "verdict"})
    CHECK(row.at(column) == "");
  CHECK(report::to_csv(result).find(",999999,") == std::string::npos);
  CHECK(report::to_csv(result).find(",7.113,") == std::string::npos);
}

TEST_CASE("csv: commas, quotes, line breaks and formulas of others stay one entry of text") {
  report::Result result = sample::result();
  for (const auto& [reason, entry] :
       std::vector<std::pair<std::string, std::string>>{{"a, \"b\"\r\nc", "a, \"b\" c"},
                                                        {"=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"},
                                                        {"@SUM(A1)", "'@SUM(A1)"},
                                                        {"-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"},
                                                        {"\t+1", "'+1"},
                                                        {"not = a formula", "not = a formula"},
                                                        {"bad \xff byte", "bad \xEF\xBF\xBD byte"}}) {
    result.cells[0].arms[3].reason = reason;
    CHECK(row_of(result, "echo", "wolfssl", "").at("reason") == entry);
  }
  result.cells[0].arms[2].metrics[0].value = -1.5e-7;  // a number stays one
  CHECK(row_of(result, "echo", "boringssl", "throughput").at("value") == "-1.5e-07");
}

TEST_CASE("csv: nothing measured leaves the heading alone") { CHECK(named_rows(report::Result{}).empty()); }
