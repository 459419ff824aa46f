// Runs `tlsrig check` on a plugin of the kit and compares what it says with expected.cpp.
//
//   test_kit NAME             judges that plugin
//   test_kit --itself         what a wrong judgement looks like: this program must find every one of them
//   test_kit --entries NAME.. these are all that are expected: no row of the table is left without a test
#include <elf.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "../support/program.hpp"
#include "expected.hpp"
#include "judge.hpp"

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

// One command, and that nothing of it is left when it has ended.
Ended ended_clean(const std::vector<std::string>& arguments, const Scratch& scratch, Complaints& complaints) {
  const std::string word = "KIT_RUN=" + scratch.path().filename().string();
  const Ended ended = run_program(arguments, scratch.path(), {word}, 110);
  // The kernel may still be taking down what has been killed.
  std::vector<std::string> left = processes_with(word);
  for (int i = 0; i < 50 && !left.empty(); ++i, left = processes_with(word))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  for (const std::string& process : left) complaints.push_back("still running after the check: " + process);
  return ended;
}

std::vector<std::string> command_of(const Expected& row, const fs::path& file) {
  std::vector<std::string> command{"check", file.string(), "--seed", "7"};
  command.insert(command.end(), row.arguments.begin(), row.arguments.end());
  return command;
}

Seen seen_of(const Expected& row, const fs::path& file, const Scratch& scratch, Complaints& complaints) {
  std::vector<std::string> command = command_of(row, file);
  command.emplace_back("--json");
  const Ended ended = ended_clean(command, scratch, complaints);
  try {
    return {ended.status, nlohmann::json::parse(ended.out)};
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("exit {}, and standard output is not one JSON value: {}\n{}\n{}", ended.status,
                                         error.what(), ended.out.substr(0, 500), ended.err.substr(0, 500)));
  }
}

void compare_text(const Expected& row, const fs::path& file, const Scratch& scratch, Complaints& complaints) {
  const Ended ended = ended_clean(command_of(row, file), scratch, complaints);
  if (ended.status != row.status) complaints.push_back(fmt::format("as text: exit {}", ended.status));
  const Complaints more = complaints_about_text(row, ended.out);
  complaints.insert(complaints.end(), more.begin(), more.end());
}

// The message's own command: in one process, where a crash is a crash.
void repeat(const Expected& row, const Seen& seen, const Scratch& scratch, Complaints& complaints) {
  const nlohmann::json* const step = find_step(seen.json, row.steps.front().name);
  if (!step) return;
  std::vector<std::string> command = words_of_command(step->at("repeat"));
  if (command.empty() || command.front() != "tlsrig") {
    complaints.push_back("the command to repeat does not begin with tlsrig");
    return;
  }
  command.erase(command.begin());
  const Ended ended = ended_clean(command, scratch, complaints);
  const bool crashes = row.steps.front().verdict == "CRASH";
  if (crashes ? ended.status <= 128 : ended.status != row.status || ended.out.find("FAIL") == std::string::npos)
    complaints.push_back(fmt::format("the command to repeat ended with {}:\n{}\n{}", ended.status, ended.out, ended.err));
}

int judge(const std::string& name) {
  const Expected& row = row_of(name);
  const Scratch scratch;
  const fs::path file = file_of(row, scratch);
  if (!fs::exists(file)) {
    fmt::print("SKIP {}: {} was not built\n", name, file.string());
    return exit_not_built;
  }
  Complaints complaints;
  const Seen seen = seen_of(row, file, scratch, complaints);
  const Complaints found = complaints_about(row, seen);
  complaints.insert(complaints.end(), found.begin(), found.end());
  if (!row.lines.empty()) compare_text(row, file, scratch, complaints);
  if (row.repeats) repeat(row, seen, scratch, complaints);
  for (const std::string& complaint : complaints) fmt::print("{} {}: {}\n", row.number, name, complaint);
  if (!complaints.empty()) fmt::print("{}\n", without_passes(seen.json).dump(1));
  fmt::print("{} {} {}: {}, {:.1f} s\n", complaints.empty() ? "right" : "WRONG", row.number, name,
             seen.json.at("summary").dump(), seen.json.at("seconds").get<double>());
  return complaints.empty() ? 0 : 1;
}

// A true judgement of two plugins, and what must be found wrong with it when a little of it is other than it should be.
int judge_itself() {
  const Scratch scratch;
  int wrong = 0;
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
  const Seen truth = seen_of(bad, file_of(bad, scratch), scratch, complaints);
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
    return judge(arguments.front());
  } catch (const std::exception& error) {
    fmt::print("test_kit: {}\n", error.what());
    return 1;
  }
}
