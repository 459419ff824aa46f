// What has no number shows none: of an arm that failed, is unsupported or incomplete, and of every ratio where the
// baseline is one of those, nothing that was measured reaches any form of the report, whatever the model holds.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include <tlsrig/report/render.hpp>

#include "report_support.hpp"

namespace report = tlsrig::report;
using report::Status;

namespace {

struct Form {
  const char* name;
  std::function<std::string(const report::Result&)> render;
  bool is_file;  // it keeps all blocks, and of an incomplete arm what they gave so far; no report shows those
};

const std::vector<Form> forms = {
    {"text",
     [](const report::Result& result) {
       return report::to_text(result, {false, true, 120});
     },
     false},
    {"csv", report::to_csv, false},
    {"markdown", [](const report::Result& result) { return report::to_markdown(result); }, false},
    {"html", report::to_html, false},
    {"google_benchmark", report::to_google_benchmark, false},
    {"json", report::to_json_text, true}};

void vary_metrics(report::Arm& arm) {
  for (report::Metric& metric : arm.metrics) {
    if (!metric.value) continue;
    metric.value = *metric.value * 1.37;
    metric.low = *metric.value * 0.8;
    metric.high = *metric.value * 1.3;
  }
}

void vary_blocks(report::Arm& arm) {
  for (report::Block& block : arm.blocks) {
    block.operations *= 2;
    block.seconds *= 1.1;
    for (auto& [role, use] : block.roles) use.cpu_user *= 3;
    block.histogram = report::Json::array({report::Json::array({900000, 7})});
    block.flags = {"outlier"};
  }
}

void vary(report::Comparison& comparison) {
  comparison.ratio = *comparison.ratio * 0.31;
  comparison.low = *comparison.ratio * 0.9;
  comparison.high = *comparison.ratio * 1.2;
  comparison.limit = 0.4;
  comparison.verdict = "slower";
  comparison.blocks_needed = 33;
}

// Every arm with metrics and blocks, and compared by two metrics.
report::Cell full_cell() {
  report::Cell cell = sample::echo_cell();
  report::Arm& wolfssl = cell.arms[3];
  wolfssl.status = Status::ok;
  wolfssl.reason.reset();
  sample::add_echo_metrics(wolfssl, 9e-6, 9.5e-6, 300e-6);
  for (const char* arm : {"boringssl", "wolfssl"}) {
    cell.comparisons.push_back(sample::compared(arm, 0.83, "faster"));
    cell.comparisons.back().metric = "cpu_client";
  }
  return cell;
}

report::Cell with_status(const std::string& arm, Status status) {
  report::Cell cell = full_cell();
  sample::arm_of(cell, arm).status = status;
  sample::arm_of(cell, arm).reason = "a reason";
  return cell;
}

enum class What { ratios, ratios_and_metrics, all };

// The same with other numbers for the arm and for whatever is compared with it.
report::Cell varied(report::Cell cell, const std::string& arm, What what) {
  if (what != What::ratios) vary_metrics(sample::arm_of(cell, arm));
  if (what == What::all) vary_blocks(sample::arm_of(cell, arm));
  for (report::Comparison& comparison : cell.comparisons) {
    if (comparison.arm == arm || comparison.baseline == arm) vary(comparison);
  }
  return cell;
}

}  // namespace

TEST_CASE("withheld: nothing that was measured of an arm without a number reaches a report") {
  for (const Form& form : forms) {
    for (const char* arm : {"wolfssl", "boringssl", "openssl#2", "openssl", "plaintcp"}) {
      CAPTURE(form.name);
      CAPTURE(arm);
      const auto changes = [&](Status status) {
        const What what = !form.is_file                  ? What::all
                          : status == Status::incomplete ? What::ratios
                                                         : What::ratios_and_metrics;
        const report::Cell cell = with_status(arm, status);
        return form.render(sample::one_cell(cell)) != form.render(sample::one_cell(varied(cell, arm, what)));
      };
      CHECK(changes(Status::ok));  // or this test would see nothing
      CHECK_FALSE(changes(Status::failed));
      CHECK_FALSE(changes(Status::unsupported));
      CHECK_FALSE(changes(Status::incomplete));
    }
  }
}
