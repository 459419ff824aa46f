// Runs `tlsrig check` on a plugin of the kit and compares what it says with expected.cpp.
//
//   test_kit NAME                   judges that plugin
//   test_kit --shipped NAME PEER..  judges a backend of tlsrig's own, by name; PEER: the other backends with TLS
//   test_kit --itself               what a wrong judgement looks like: this program must find every one of them
//   test_kit --entries NAME..       these are all that are expected: no row of the table is left without a test
#include <elf.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "expected.hpp"
#include "judge.hpp"
#include "support/program.hpp"

namespace {

using namespace tlsrig::tests;
using namespace tlsrig::tests::kit;
namespace fs = std::filesystem;

constexpr int exit_not_built = 77;

const Expected& row_of(const std::string& name) {
  const auto found = std::ranges::find(expected(), name, &Expected::name);
  if (found == expected().end()) throw std::runtime_error("expected.cpp has no row " + name);
  return *found;
}

std::string with_byte(std::string bytes, std::size_t at, unsigned char value) {
  bytes.at(at) = static_cast<char>(value);
  return bytes;
}

// The file that a row is about: built, or a good one that is damaged here.
fs::path file_of(const Expected& row, const Scratch& scratch) {
  if (row.name == "plaintcp") return fs::path(TLSRIG_PLUGINS) / "plaintcp.so";
  const std::string good = read_file(fs::path(KIT_PLUGINS) / "good.so");
  const std::string file = row.name + ".so";
  if (row.name == "longest_names")  // its file has the name that it gives itself
    return scratch.file(std::string(64, 'n') + ".so", read_file(fs::path(KIT_PLUGINS) / file));
  if (row.name == "text_file") return scratch.file(file, "This is no library.\n");
  if (row.name == "empty_file") return scratch.file(file, "");
  if (row.name == "truncated") return scratch.file(file, good.substr(0, 4000));
  if (row.name == "other_machine")
    return scratch.file(file, with_byte(good, offsetof(Elf64_Ehdr, e_machine), EM_AARCH64));
  if (row.name == "thirty_two_bits") return scratch.file(file, with_byte(good, EI_CLASS, ELFCLASS32));
  return fs::path(KIT_PLUGINS) / file;
}

// Processes that have this word in their environment, whoever their parent is by now.
std::vector<std::string> processes_with(const std::string& word) {
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (read_file(entry.path() / "environ").find(word) == std::string::npos) continue;
    if (read_file(entry.path() / "stat").find(") Z ") != std::string::npos) continue;  // dead, and not yet waited for
    found.push_back(fmt::format("{} {}", pid, read_file(entry.path() / "comm")));
  }
  return found;
}

// The program run in a directory of its own, and what of it is still running: its own processes bear a word that no
// other's do.
class Run {
 public:
  explicit Run(const std::vector<std::string>& arguments)
      : word_("KIT_RUN=" + scratch_.path().filename().string()), running_(arguments, scratch_.path(), {word_}) {}

  std::vector<std::string> processes() const { return processes_with(word_); }

  // Waits for the end, and complains of what it has left running.
  Ended ended(Complaints& complaints) {
    const Ended ended = running_.wait(seconds_max);
    std::vector<std::string> left = processes();  // the kernel may still be taking down what has been killed
    for (int i = 0; i < 50 && !left.empty(); ++i, left = processes())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (const std::string& process : left) complaints.push_back("still running after the check: " + process);
    return ended;
  }

  const std::string& word() const { return word_; }

 private:
  static constexpr double seconds_max = 110;
  Scratch scratch_;
  std::string word_;
  Running running_;
};

std::vector<std::string> command_of(const Expected& row, const std::string& plugin) {
  std::vector<std::string> command{"check", plugin, "--seed", "7"};
  command.insert(command.end(), row.arguments.begin(), row.arguments.end());
  return command;
}

Seen seen_of(const Expected& row, const std::string& plugin, Complaints& complaints) {
  std::vector<std::string> command = command_of(row, plugin);
  command.emplace_back("--json");
  const Ended ended = Run(command).ended(complaints);
  try {
    return {ended.status, nlohmann::json::parse(ended.out)};
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("exit {}, and standard output is not one JSON value: {}\n{}\n{}", ended.status,
                                         error.what(), ended.out.substr(0, 500), ended.err.substr(0, 500)));
  }
}

void compare_text(const Expected& row, Run& run, Complaints& complaints) {
  const Ended ended = run.ended(complaints);
  if (ended.status != row.status) complaints.push_back(fmt::format("as text: exit {}", ended.status));
  const Complaints more = complaints_about_text(row, ended.out);
  complaints.insert(complaints.end(), more.begin(), more.end());
}

// The message's own command: in one process, where a crash is a crash.
void repeat(const Expected& row, const Seen& seen, Complaints& complaints) {
  const nlohmann::json* const step = find_step(seen.json, row.steps.front().name);
  if (!step) return;
  std::vector<std::string> command = words_of_command(step->at("repeat"));
  if (command.empty() || command.front() != "tlsrig") {
    complaints.push_back("the command to repeat does not begin with tlsrig");
    return;
  }
  command.erase(command.begin());
  const Ended ended = Run(command).ended(complaints);
  const bool crashes = row.steps.front().verdict == "CRASH";
  if (crashes ? ended.status <= 128 : ended.status != row.status || ended.out.find("FAIL") == std::string::npos)
    complaints.push_back(
        fmt::format("the command to repeat ended with {}:\n{}\n{}", ended.status, ended.out, ended.err));
}

// Complaints first, then one line.
int tell(const Expected& row, const Complaints& complaints, const Seen& seen) {
  for (const std::string& complaint : complaints) fmt::print("{} {}: {}\n", row.number, row.name, complaint);
  if (!complaints.empty()) fmt::print("{}\n", without_passes(seen.json).dump(1));
  fmt::print("{} {} {}: {}, {:.1f} s\n", complaints.empty() ? "right" : "WRONG", row.number, row.name,
             seen.json.at("summary").dump(), seen.json.at("seconds").get<double>());
  return complaints.empty() ? 0 : 1;
}

fs::path shipped_file(const std::string& backend) { return fs::path(TLSRIG_PLUGINS) / (backend + ".so"); }

int judge(const std::string& name) {
  const Expected& row = row_of(name);
  const Scratch scratch;
  const fs::path file = file_of(row, scratch);
  if (!fs::exists(file)) {
    const bool left_out = !row.wraps.empty() && !fs::exists(shipped_file(row.wraps));
    fmt::print("{} {}: {} was not built\n", left_out ? "SKIP" : "WRONG", name,
               left_out ? row.wraps + ", which it is made around," : file.string());
    return left_out ? exit_not_built : 1;
  }
  Complaints complaints;
  std::optional<Run> text;  // beside the other: some take their ten seconds
  if (!row.lines.empty()) text.emplace(command_of(row, file));
  const Seen seen = seen_of(row, file, complaints);
  const Complaints found = complaints_about(row, seen);
  complaints.insert(complaints.end(), found.begin(), found.end());
  if (text) compare_text(row, *text, complaints);
  if (row.repeats) repeat(row, seen, complaints);
  return tell(row, complaints, seen);
}

// What a backend of tlsrig's own is to offer, each with a conversation, by itself and with every other one.
Expected shipped(const std::string& name, const std::vector<std::string>& peers) {
  Expected row{.number = "G", .name = name, .status = 0, .verdict = "PASS", .arguments = {"--strict"}};
  const bool plain = name == "plaintcp";
  if (plain) row.steps.push_back({"interop", "SKIP", "not TLS"});
  for (const std::string transport : {"wire", "fd"})
    for (const std::string& version :
         plain ? std::vector<std::string>{"none"} : std::vector<std::string>{"1.2", "1.3"}) {
      const std::string over = "/" + transport + "/" + version;
      row.steps.push_back({"conversation" + over, "PASS", plain ? "plain" : "TLS " + version});
      if (plain) continue;
      row.steps.push_back({"interop/plaintcp" + over, "SKIP", "plaintcp has no TLS"});
      for (const std::string& peer : peers) row.steps.push_back({"interop/" + peer + over, "PASS", ""});
    }
  return row;
}

int judge_shipped(const std::string& name, const std::vector<std::string>& peers) {
  if (!fs::exists(shipped_file(name))) {
    fmt::print("SKIP {}: it was not built\n", name);
    return exit_not_built;
  }
  const Expected row = shipped(name, peers);
  Complaints complaints;
  const Seen seen = seen_of(row, name, complaints);
  const Complaints found = complaints_about(row, seen);
  complaints.insert(complaints.end(), found.begin(), found.end());
  const std::string path = seen.json.at("plugin").at("path");
  if (!fs::equivalent(path, shipped_file(name))) complaints.push_back("another file was judged: " + path);
  return tell(row, complaints, seen);
}

// A check that is killed: its processes are seen while they live, and none of them outlives it.
int wrong_with_processes() {
  std::string word;
  {
    Run run({"check", (fs::path(KIT_PLUGINS) / "hang_in_read.so").string(), "--step", "conversation/wire/none"});
    word = run.word();
    std::size_t most = 0;
    for (int i = 0; i < 150 && most < 2; ++i) {
      most = std::max(most, run.processes().size());
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    fmt::print("{} the program and its child: {} processes\n", most >= 2 ? "found" : "NOT FOUND", most);
    if (most < 2) return 1;
  }  // killed
  for (int i = 0; i < 100 && !processes_with(word).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (const std::string& process : processes_with(word)) fmt::print("outlives a killed check: {}\n", process);
  return processes_with(word).empty() ? 0 : 1;
}

// A true judgement, and what must be found wrong with it when a little of it is other than it should be.
int judge_itself() {
  const Scratch scratch;
  int wrong = wrong_with_processes();
  const auto must_complain = [&](const std::string& how, const Expected& row, const Seen& seen,
                                 const std::string& about) {
    const Complaints complaints = complaints_about(row, seen);
    const bool found = std::ranges::any_of(
        complaints, [&](const std::string& words) { return words.find(about) != std::string::npos; });
    fmt::print("{} {}: {}\n", found ? "found" : "NOT FOUND", how, complaints.empty() ? "nothing" : complaints.front());
    if (!found) ++wrong;
  };
  Complaints complaints;
  const Expected& bad = row_of("read_says_one_more");
  const Seen truth = seen_of(bad, file_of(bad, scratch), complaints);
  const std::string step = bad.steps.front().name;
  for (const std::string& words : complaints_about(bad, truth)) {
    fmt::print("the judgement to start from is wrong itself: {}\n", words);
    ++wrong;
  }
  for (auto [how, about, change] : std::vector<std::tuple<const char*, const char*, void (*)(Expected&)>>{
           {"another function", "where", [](Expected& row) { row.steps.front().where = "write\\(\\)"; }},
           {"other words", "what", [](Expected& row) { row.steps.front().what = "hangs"; }},
           {"another verdict", "verdict", [](Expected& row) { row.steps.front().verdict = "CRASH"; }},
           {"a step that is not there", "no step", [](Expected& row) { row.steps.front().name = "none"; }},
           {"another exit status", "exit", [](Expected& row) { row.status = 0; }},
           {"another verdict of the whole", "the whole", [](Expected& row) { row.verdict = "PASS"; }},
           {"a bad plugin taken for a control", "is a control", [](Expected& row) { row.number = "G1"; }}}) {
    Expected row = bad;
    change(row);
    must_complain(how, row, truth, about);
  }
  for (const char* const part : {"what", "where", "contract", "cure", "repeat"}) {
    Seen changed = truth;
    for (nlohmann::json& entry : changed.json.at("steps"))
      if (entry.at("name") == step) entry[part] = "";
    must_complain(fmt::format("an empty {}", part), bad, changed, part);
  }
  Seen miscounted = truth;
  miscounted.json.at("summary")["PASS"] = 1000;
  must_complain("a wrong count", bad, miscounted, "summary");
  if (complaints_about_text({.number = "", .name = "", .lines = {"^first$", "^second$"}}, "second\nfirst\n").empty()) {
    fmt::print("NOT FOUND lines in another order\n");
    ++wrong;
  }
  return wrong == 0 && complaints.empty() ? 0 : 1;
}

int compare_entries(const std::set<std::string>& entries) {
  std::set<std::string> rows;
  for (const Expected& row : expected())
    if (!rows.insert(row.name).second) throw std::runtime_error("expected.cpp has two rows " + row.name);
  std::vector<std::string> differ;
  std::ranges::set_symmetric_difference(entries, rows, std::back_inserter(differ));
  for (const std::string& name : differ)
    fmt::print("{} is in {}\n", name, rows.contains(name) ? "expected.cpp alone" : "kit.cmake alone");
  std::set<std::string> numbers;
  for (const Expected& row : expected()) numbers.insert(row.number);
  for (int i = 1; i <= 21; ++i)
    if (!numbers.contains(fmt::format("P{}", i))) differ.push_back(fmt::format("P{}", i));
  return differ.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.empty()) throw std::runtime_error("which plugin?");
    if (arguments.front() == "--itself") return judge_itself();
    if (arguments.front() == "--entries") return compare_entries({arguments.begin() + 1, arguments.end()});
    if (arguments.front() == "--shipped")
      return judge_shipped(arguments.at(1), {arguments.begin() + 2, arguments.end()});
    return judge(arguments.front());
  } catch (const std::exception& error) {
    fmt::print("test_kit: {}\n", error.what());
    return 1;
  }
}
