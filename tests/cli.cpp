// How a run's time is forecast, shared out and told, and what the machine's load is worth saying.
#include <doctest/doctest.h>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/dry_run.hpp>
#include <tlsrig/cli/environment.hpp>
#include <tlsrig/cli/load_warning.hpp>
#include <tlsrig/cli/progress.hpp>
#include <tlsrig/cli/time_words.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/rig/pace.hpp>

using namespace tlsrig;

namespace {

constexpr std::int64_t second = 1'000'000'000;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

cli::Standing standing() {
  cli::Standing where;
  where.cell = "quick-echo/message_size=1KiB/cipher=TLS_AES_128_GCM_SHA256";
  where.number = 3;
  where.count = 6;
  where.blocks = 3;
  where.blocks_min = 8;
  where.blocks_max = 40;
  where.done_seconds = 60;
  where.left = {120, 300};
  return where;
}

}  // namespace

TEST_CASE("an estimate is that of all arms, and dry-run tells what a limit changes") {
  scenario::ScenarioPlan plan;
  plan.name = "one";
  scenario::CellPlan cell;
  cell.id = cell.baseline = "one";
  for (const char* id : {"openssl", "wolfssl"}) {
    scenario::ArmPlan arm{id, id, false, {}};
    arm.settings.measure.warmup_ns = second / 2;
    arm.settings.measure.block_ns = second;
    arm.settings.measure.blocks_min = 10;
    arm.settings.measure.blocks_max = 100;
    cell.arms.push_back(arm);
  }
  plan.cells.push_back(cell);
  const rig::Span time = cli::expected_time({plan});
  CHECK(time.least == doctest::Approx(10 * 2 * 1.6));
  CHECK(time.most == doctest::Approx(100 * 2 * 1.6));
  CHECK(contains(cli::describe_plan({plan}, 7, {}), "1 cell; about 32 s to 5 min 20 s; seed 7"));
  CHECK(contains(cli::describe_plan({plan}, 7, 60 * second),
                 "about 32 s to 1 min 0 s (without the time limit 5 min 20 s)"));
  CHECK_NOTHROW(cli::require_fit({plan}, 32 * second));
  CHECK_THROWS_WITH_AS(cli::require_fit({plan}, 31 * second), doctest::Contains("about 32 s, which is more than 31 s"),
                       cli::Unusable);
}

TEST_CASE("what blocks took decides what is left") {
  rig::Pace pace({{2, 5, 10}, {1, 5, 5}});
  CHECK(pace.left().least == doctest::Approx(15));
  CHECK(pace.left().most == doctest::Approx(25));
  pace.begin_cell(0);
  pace.block_took(4);  // twice the estimate: so are the others, for all that is known
  CHECK(pace.left().least == doctest::Approx(4 * 4 + 5 * 2));
  CHECK(pace.left().most == doctest::Approx(9 * 4 + 5 * 2));
  pace.begin_cell(1);
  CHECK(pace.left().least == doctest::Approx(10));
  for (int block = 0; block < 7; ++block) pace.block_took(1);  // more than its most: nothing is left, not less
  CHECK(pace.left().most == 0);
}

TEST_CASE("a limit is shared out by what each cell could use, its fewest blocks first") {
  rig::Pace pace({{1, 10, 30}, {1, 10, 30}, {1, 10, 10}});
  pace.begin_cell(0);
  CHECK(pace.share(30) == doctest::Approx(10));
  CHECK(pace.share(50) == doctest::Approx(20));
  CHECK(pace.share(1000) == doctest::Approx(30));
  CHECK(pace.share(5) == doctest::Approx(10));  // too little for all: the first get what they need
  pace.begin_cell(1);
  CHECK(pace.share(40) == doctest::Approx(30));
  pace.begin_cell(2);
  CHECK(pace.share(100) == doctest::Approx(10));
}

TEST_CASE("a cell's share ends before the block that would go beyond it, the limit at its time") {
  rig::TimeBudget budget({{1, 2, 10}, {1, 2, 10}}, 12 * second);
  budget.begin_cell(0, 0);
  CHECK_FALSE(budget.share_used_up(0));
  for (int block = 1; block <= 5; ++block) {
    budget.block_took(1);
    CHECK_FALSE(budget.share_used_up(block * second));
  }
  budget.block_took(1);
  CHECK(budget.share_used_up(6 * second));
  CHECK_FALSE(budget.used_up(6 * second));
  budget.begin_cell(1, 6 * second);
  CHECK_FALSE(budget.share_used_up(11 * second));
  CHECK(budget.share_used_up(11 * second + 1));
  CHECK(budget.used_up(12 * second));
  const rig::TimeBudget endless({{1, 2, 10}}, {});
  CHECK_FALSE(endless.used_up(1000 * second));
  CHECK_FALSE(endless.share_used_up(1000 * second));
}

TEST_CASE("forecasts are no more exact than they can be") {
  CHECK(cli::forecast({120, 300}) == "2 to 5 min");
  CHECK(cli::forecast({40, 180}) == "40 s to 3 min");
  CHECK(cli::forecast({0, 290}) == "up to 5 min");
  CHECK(cli::forecast({89, 90}) == "about 90 s");
  CHECK(cli::forecast({0.2, 3.1}) == "1 to 4 s");
  CHECK(cli::forecast({3600, 7200}) == "60 min to 2.0 h");
  CHECK(cli::exact_time(260) == "4 min 20 s");
  CHECK(cli::exact_time(59.4) == "59 s");
}

TEST_CASE("the line of progress fits, and what matters least gives way first") {
  const std::string wide = cli::progress_line(standing(), 160);
  CHECK(
      wide ==
      "[#####...................] 3/6 quick-echo/message_size=1KiB/cipher=TLS_AES_128_GCM_SHA256, block 4 of 8 to 40, "
      "2 to 5 min left");
  const std::string narrow = cli::progress_line(standing(), 79);
  CHECK(narrow.size() <= 79);
  CHECK(contains(narrow, "block 4 of 8 to 40, 2 to 5 min left"));
  CHECK(contains(narrow, "3/6 quick"));
  CHECK(contains(narrow, "..."));
  for (std::size_t width = 1; width < 200; ++width) {
    CAPTURE(width);
    CHECK(report::display_width(cli::progress_line(standing(), width)) <= width);
  }
  cli::Standing exact = standing();
  exact.blocks_min = exact.blocks_max = 8;
  exact.blocks = 8;
  exact.left = {0, 0};
  CHECK(contains(cli::progress_line(exact, 160), "block 8 of 8, up to 1 s left"));
}

TEST_CASE("a busy machine is told with its figures, an idle one not") {
  CHECK(cli::load_warning("0.50 0.40 0.30 1/100 1234", 2).empty());
  CHECK(cli::load_warning("2.00 0.40 0.30 3/100 1234", 2).empty());
  const std::string loaded = cli::load_warning("5.21 4.00 3.00 2/100 1234", 2);
  CHECK(contains(loaded, "load average 5.2"));
  CHECK(contains(loaded, "1 other process running now, 2 processors"));
  CHECK(contains(cli::load_warning("0.10 0.10 0.10 4/100 1234", 2), "3 other processes"));
  CHECK(cli::load_warning("", 2).empty());
}

TEST_CASE("a variable has the name of its flag, and a command is told with those in force") {
  CHECK(cli::variable_of("backend-path") == "TLSRIG_BACKEND_PATH");
  CHECK(cli::variable_of("quick") == "TLSRIG_QUICK");
  const cli::CommandLine plain{{"tlsrig", "run", "s.toml"}, {}};
  CHECK(cli::repeatable(plain) == plain.arguments);
  const cli::CommandLine helped{{"tlsrig", "run", "s.toml"}, {{"TLSRIG_BLOCKS", "6", "-r"}}};
  CHECK(cli::repeatable(helped) == std::vector<std::string>{"env", "TLSRIG_BLOCKS=6", "tlsrig", "run", "s.toml"});
}
