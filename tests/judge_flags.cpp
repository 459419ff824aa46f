// Which blocks are flagged, against the arm's own median.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tlsrig/judge/flags.hpp>

namespace report = tlsrig::report;

namespace {

struct Counts {
  std::uint64_t operations, client_switches, server_switches;
};

report::Arm arm_of(const std::vector<Counts>& blocks) {
  report::Arm arm;
  for (const auto& [operations, client, server] : blocks) {
    report::Block block;
    block.seconds = 0.5;
    block.operations = operations;
    block.roles = {{"client", {0.2, 0.1, client}}, {"server", {0.2, 0.1, server}}};
    arm.blocks.push_back(block);
  }
  return arm;
}

using Flags = std::vector<std::string>;

// The flags of each block.
std::vector<Flags> flags_of(report::Arm arm) {
  tlsrig::judge::flag_blocks(arm);
  std::vector<Flags> flags;
  for (const auto& block : arm.blocks) flags.push_back(block.flags);
  return flags;
}

const Flags none;

}  // namespace

TEST_CASE("flags: a role that lost its processor far more often than usual") {
  const auto flags = flags_of(arm_of({{1000, 5, 3}, {1010, 50, 3}, {990, 51, 3}, {1005, 5, 3}, {995, 4, 31}}));
  CHECK(flags == std::vector<Flags>{none, none, {"switches"}, none, {"switches"}});  // 50 is 10 times 5, not more
}

TEST_CASE("flags: one or two switches where there is usually none are not worth a flag") {
  const auto flags = flags_of(arm_of({{1000, 0, 0}, {1010, 1, 0}, {990, 2, 10}, {1005, 0, 0}, {995, 11, 0}}));
  CHECK(flags == std::vector<Flags>{none, none, none, none, {"switches"}});
}

TEST_CASE("flags: a throughput far from the arm's median, to either side") {
  const auto flags =
      flags_of(arm_of({{1000, 0, 0}, {1010, 0, 0}, {990, 0, 0}, {1005, 0, 0}, {995, 0, 0}, {850, 0, 0}, {1120, 0, 0}}));
  // Median 1000, distances 0 10 10 5 5 150 120: their median is 10.
  CHECK(flags == std::vector<Flags>{none, none, none, none, none, {"outlier"}, {"outlier"}});
}

TEST_CASE("flags: blocks as alike as clocks can tell have no outlier within 1 %") {
  const auto flags =
      flags_of(arm_of({{100'000, 0, 0}, {100'000, 0, 0}, {100'000, 0, 0}, {100'990, 0, 0}, {101'010, 0, 0}}));
  CHECK(flags == std::vector<Flags>{none, none, none, none, {"outlier"}});
}

TEST_CASE("flags: those set before stay, none is set twice, and nothing is dropped") {
  auto arm = arm_of({{1000, 1, 0}, {1010, 1, 0}, {990, 1, 0}, {400, 90, 90}});
  arm.blocks[3].flags = {"steal"};
  tlsrig::judge::flag_blocks(arm);
  tlsrig::judge::flag_blocks(arm);
  CHECK(arm.blocks.size() == 4);
  CHECK(arm.blocks[3].flags == Flags{"steal", "switches", "outlier"});
}

TEST_CASE("flags: an arm without blocks, or with one, has none") {
  CHECK(flags_of(report::Arm{}).empty());
  CHECK(flags_of(arm_of({{1000, 7, 7}})) == std::vector<Flags>{none});
}
