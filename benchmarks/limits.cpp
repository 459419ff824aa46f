// How near the rig comes to the same work written by hand. The two alternate in slices within one process life; several
// lives, each with its own address layout and buffer placement, give the median of their ratios.
#include <sys/types.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/mix.hpp>

#include "contestant.hpp"

namespace {

using namespace tlsrig::benchmarks;

struct Case {
  const char* name;
  const char* what;
  double target;
  Task task;
  std::unique_ptr<Contestant> (*rig)(const Task&);
  std::unique_ptr<Contestant> (*bare)(const Task&);
  std::int64_t slice_ns;
};

const std::vector<Case>& cases() {
  constexpr std::int64_t ms = 1'000'000;
  static const std::vector<Case> all{
      {"wrap-unwrap-64",
       "openssl, wrap-unwrap of 64 B",
       0.95,
       {"wrap-unwrap", 64},
       make_rig_engine,
       make_bare_engine,
       10 * ms},
      {"wrap-unwrap-1k",
       "openssl, wrap-unwrap of 1 KiB",
       0.95,
       {"wrap-unwrap", 1024},
       make_rig_engine,
       make_bare_engine,
       10 * ms},
      {"wrap-unwrap-16k",
       "openssl, wrap-unwrap of 16 KiB",
       0.95,
       {"wrap-unwrap", 16384},
       make_rig_engine,
       make_bare_engine,
       10 * ms},
      {"handshake", "openssl, full handshake", 0.97, {"handshake"}, make_rig_engine, make_bare_engine, 30 * ms},
      {"echo-1k",
       "plaintcp, echo of 1 KiB, 16 connections",
       0.95,
       {"echo", 1024, 16},
       make_rig_over_sockets,
       make_bare_echo,
       20 * ms},
      {"stream-64", "plaintcp, stream of 64 B", 0.95, {"stream", 64}, make_rig_over_sockets, make_bare_stream, 20 * ms},
      {"stream-16k",
       "plaintcp, stream of 16 KiB",
       0.95,
       {"stream", 16384},
       make_rig_over_sockets,
       make_bare_stream,
       20 * ms},
  };
  return all;
}

const Case& find_case(const std::string& name) {
  for (const Case& one : cases())
    if (name == one.name) return one;
  throw std::runtime_error("unknown case " + name);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// A slice is announced this long before it begins, so that both ends of a connection know of it.
constexpr std::int64_t lead_ns = 300'000;

// One life: prints the two rates. Who comes first changes from slice to slice, so that drift meets both alike.
void live(const Case& one, double seconds, std::uint64_t seed) {
  Task task = one.task;
  task.placement_seed = seed;
  const auto rig = one.rig(task), bare = one.bare(task);
  const auto turns = std::max(1, static_cast<int>(seconds * 1e9 / static_cast<double>(2 * one.slice_ns)));
  double rig_sum = 0, bare_sum = 0;
  for (int turn = -1; turn < turns; ++turn) {  // the first is warm-up
    double rates[2] = {};
    for (int place = 0; place < 2; ++place) {
      const bool rig_now = (place == 0) == (turn % 2 == 0);
      const std::int64_t begin_ns = tlsrig::measure::now_ns() + lead_ns;
      rates[rig_now] = (rig_now ? *rig : *bare).run(begin_ns, begin_ns + one.slice_ns);
    }
    if (turn < 0) continue;
    rig_sum += rates[1];
    bare_sum += rates[0];
  }
  fmt::print("{:.3f} {:.3f}\n", rig_sum / turns, bare_sum / turns);
}

// A life in a process of its own.
double ratio_of_life(const std::string& program, const Case& one, double seconds, std::uint64_t seed) {
  const std::string command = fmt::format("'{}' --life {} --seconds {} --seed {}", program, one.name, seconds, seed);
  FILE* output = ::popen(command.c_str(), "r");
  double rig = 0, bare = 0;
  const int read = output ? std::fscanf(output, "%lf %lf", &rig, &bare) : 0;
  const int status = output ? ::pclose(output) : -1;
  if (read != 2 || status != 0 || bare <= 0) throw std::runtime_error(command + " failed");
  return rig / bare;
}

void compare(const std::string& program, const Case& one, double seconds, unsigned lives, std::uint64_t seed) {
  std::vector<double> ratios;
  for (unsigned life = 0; life < lives; ++life)
    ratios.push_back(ratio_of_life(program, one, seconds, tlsrig::measure::mix(seed + life)));
  std::sort(ratios.begin(), ratios.end());
  fmt::print("{:<42} {:>6.3f}  {:.3f} .. {:.3f}  {:>6.2f}\n", one.what, median(ratios), ratios[ratios.size() / 4],
             ratios[ratios.size() * 3 / 4], one.target);
  std::fflush(stdout);
}

std::string own_path() {
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size < 0) throw std::runtime_error("/proc/self/exe cannot be read");
  return {path, static_cast<std::size_t>(size)};
}

}  // namespace

int main(int count, char** arguments) try {
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app("Compares the rig's loops with the same work written by hand. A ratio of 1: the rig costs nothing.");
  std::vector<std::string> names;
  std::string life;
  double seconds = 2;
  unsigned lives = 9;
  std::uint64_t seed = 1;
  std::vector<std::string> known;
  for (const Case& one : cases()) known.emplace_back(one.name);
  app.add_option("CASE", names, "What to compare; all when none is named")->check(CLI::IsMember(known));
  app.add_option("--seconds", seconds, "Time of one life")->capture_default_str();
  app.add_option("--lives", lives, "Lives of a case")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--seed", seed, "Of the buffers' places")->capture_default_str();
  app.add_option("--life", life)->group("");
  CLI11_PARSE(app, count, arguments);
  if (!life.empty()) {
    live(find_case(life), seconds, seed);
    return 0;
  }
  if (names.empty()) names = known;
  fmt::print("{:<42} {:>6}  {:>14}  {:>6}\n", fmt::format("rig / by hand, median of {} lives", lives), "ratio",
             "quartiles", "target");
  for (const auto& name : names) compare(own_path(), find_case(name), seconds, lives, seed);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "limits: {}\n", error.what());
  return 1;
}
