// Run control as users meet it: thresholds, --strict, time limits, variables, progress on a terminal.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>

#include "support/program.hpp"

using namespace tlsrig::tests;

namespace {

// Six blocks of three slices: as little as gives an interval.
std::string scenario(const std::string& rest, const std::string& backends = "\"openssl\", \"plaintcp\"",
                     bool self_check = false) {
  return "schema = 1\nname = \"small\"\nworkload = \"echo\"\nbackends = [" + backends +
         "]\n[traffic]\nconnections = 2\n" + rest +
         "[measure]\nwarmup = \"10ms\"\nblock = \"60ms\"\nblocks = { min = 6, max = 6 }\nself_check = " +
         (self_check ? "true" : "false") + "\n";
}

std::string ratio(const std::string& expr) {
  return "[thresholds]\nratio = [{ backend = \"plaintcp\", metric = \"throughput\", expr = \"" + expr + "\" }]\n";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string last_line(const std::string& text) {
  const std::string whole = text.substr(0, text.find_last_not_of('\n') + 1);
  return whole.substr(whole.rfind('\n') + 1);
}

struct OnTerminal {
  int status = 0;
  std::string text;  // what the program wrote to the terminal
};

// Runs the program with a terminal of so many columns as its stderr; stdout is a file, as with "> report.txt".
OnTerminal run_on_terminal(std::vector<std::string> arguments, const Scratch& scratch, std::size_t columns,
                           const std::vector<std::pair<std::string, std::string>>& environment = {}) {
  winsize size{24, static_cast<unsigned short>(columns), 0, 0};
  int terminal = -1, other = -1;
  REQUIRE(openpty(&terminal, &other, nullptr, nullptr, &size) == 0);
  arguments.insert(arguments.begin(), TLSRIG_PROGRAM);
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const std::string directory = scratch.path().string(), out = directory + "/report.txt";
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(other, STDERR_FILENO);
    close(terminal);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    if (chdir(directory.c_str()) == 0) execv(TLSRIG_PROGRAM, pointers.data());
    _exit(127);
  }
  close(other);
  OnTerminal seen;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = read(terminal, part.data(), part.size())) > 0;)  // EIO: the other end is closed
    seen.text.append(part.data(), static_cast<std::size_t>(count));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  seen.status = WEXITSTATUS(status);
  return seen;
}

// What stands in the line once everything has been written over, and the longest that ever did.
struct Screen {
  std::string left;
  std::size_t longest = 0;
};

Screen screen_of(const std::string& text) {
  Screen screen;
  const std::string plain = std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] == '\r') continue;
    if (plain.compare(i, 3, "\x1b[K") == 0) {
      screen.left.clear();
      i += 2;
      continue;
    }
    screen.left += plain[i];
    screen.longest = std::max(screen.longest, screen.left.size());
  }
  return screen;
}

}  // namespace

TEST_CASE("the values of a key are arms: ciphers of one library are compared to verdicts") {
  Scratch scratch;
  const auto ended = run_program(
      {"run", "engine", "-b", "openssl", "-P", "tls.cipher=TLS_AES_128_GCM_SHA256,TLS_CHACHA20_POLY1305_SHA256", "-s",
       "arms=\"tls.cipher\"", "--filter", "operation=wrap/.*=16KiB", "-r", "6", "-s", "measure.block=40ms", "-s",
       "measure.warmup=10ms", "-o", "out"},
      scratch.path());
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  const auto cell = read_json(scratch.path() / "out/result.json").at("cells").at(0);
  CHECK(cell.at("baseline") == "TLS_AES_128_GCM_SHA256");
  bool judged = false;
  for (const auto& comparison : cell.at("comparisons"))
    if (comparison.at("arm") == "TLS_CHACHA20_POLY1305_SHA256" && comparison.at("metric") == "throughput") {
      judged = comparison.at("verdict").is_string();
      CHECK(comparison.at("low") < comparison.at("high"));
    }
  CHECK(judged);
  CHECK(contains(ended.out, "TLS_CHACHA20_POLY1305_SHA256"));
}

TEST_CASE("arms of a block have processors of their own all, or none") {
  Scratch scratch;
  const auto file =
      scratch.file("threads.toml",
                   "schema = 1\nname = \"threads\"\nworkload = \"echo\"\nbackends = [\"plaintcp\"]\n"
                   "arms = \"traffic.threads\"\n[traffic]\nconnections = 4\n[matrix]\n\"traffic.threads\" = [1, 2]\n");
  const auto ended = run_program(
      {"run", file, "-r", "2", "-s", "measure.block=60ms", "-s", "measure.warmup=10ms", "-o", "out"}, scratch.path());
  INFO(ended.err << ended.out);
  CHECK(ended.status == 0);
  const auto arms = read_json(scratch.path() / "out/result.json").at("cells").at(0).at("arms");
  CHECK(arms.size() == 3);
  const auto placed = [](const nlohmann::json& arm, const char* role) {
    return arm.at("blocks").at(0).at("layout").at(role).at("processors").is_array();
  };
  for (const auto& arm : arms)
    for (const char* role : {"client", "server"}) CHECK(placed(arm, role) == placed(arms.at(0), "client"));
}

TEST_CASE("a threshold that holds is 0, one that does not is 1 and says so last") {
  Scratch scratch;
  const auto good =
      run_program({"run", scratch.file("good.toml", scenario(ratio("low > 0.0001"))), "-o", "good"}, scratch.path());
  INFO(good.err << good.out);
  CHECK(good.status == 0);
  CHECK(contains(good.out, "Thresholds: 1 held, 0 not held, 0 not judged"));
  const auto held = read_json(scratch.path() / "good/result.json").at("thresholds").at(0);
  CHECK(held.at("held") == true);
  CHECK(held.at("value") > 0.0001);
  const auto bad =
      run_program({"run", scratch.file("bad.toml", scenario(ratio("low > 100"))), "-o", "bad", "-q"}, scratch.path());
  INFO(bad.err << bad.out);
  CHECK(bad.status == 1);
  CHECK(contains(last_line(bad.err), "small: plaintcp: ratio of throughput: low > 100 is not held: "));
  const auto result = read_json(scratch.path() / "bad/result.json");
  CHECK(result.at("thresholds").at(0).at("held") == false);
  CHECK(result.at("scenarios").at(0).at("effective").at("thresholds").at("ratio").size() == 1);
}

TEST_CASE("a threshold that cannot be judged is 4 with --strict alone, as is A/A that is not resolved") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", scenario(ratio("low > 0.0001")));
  const auto lax = run_program({"run", file, "-o", "out", "-r", "2"}, scratch.path());
  CHECK(lax.status == 0);
  CHECK(contains(lax.out, "2 blocks give no interval; 6 are needed"));
  const auto strict = run_program({"run", file, "-o", "out", "-r", "2", "--strict"}, scratch.path());
  INFO(strict.err);
  CHECK(strict.status == 4);
  CHECK(contains(last_line(strict.err), "is not judged"));
  const auto twin = scratch.file("twin.toml", scenario("", "\"openssl\"", true));
  const std::vector<std::string> run{"run", twin, "-o", "out", "-s", "measure.equivalence=0.01%"};
  CHECK(run_program(run, scratch.path()).status == 0);
  const auto unresolved = run_program(run, scratch.path(), {"TLSRIG_STRICT=1"});
  INFO(unresolved.err);
  CHECK(unresolved.status == 4);
  CHECK(contains(last_line(unresolved.err), "A/A not resolved"));
}

TEST_CASE("a time limit that cannot be kept is refused, one that is reached keeps what there is") {
  Scratch scratch;
  const std::string sizes = "[matrix]\n\"traffic.message_size\" = [\"64B\", \"1KiB\", \"2KiB\"]\n";
  const auto file = scratch.file("s.toml", scenario(sizes));
  const std::vector<std::string> slow{"run", file, "-o", "out", "-s", "measure.block=200ms", "--time-limit", "1s"};
  const auto refused = run_program(slow, scratch.path());
  INFO(refused.err);
  CHECK(refused.status == 2);
  CHECK(contains(refused.err, "--time-limit: the fewest blocks of all cells take about 11 s, which is more than 1 s"));
  CHECK_FALSE(std::filesystem::exists(scratch.path() / "out"));
  auto dry = slow;
  dry.push_back("--dry-run");
  const auto shown = run_program(dry, scratch.path());
  CHECK(shown.status == 2);
  CHECK(contains(shown.out, "3 cells; about 1 s (without the time limit 11 s)"));
  CHECK(run_program({"run", file, "--time-limit", "10"}, scratch.path()).status == 2);
  CHECK(contains(run_program({"run", file, "--time-limit", "1 sec"}, scratch.path()).err, "did you mean \"1s\""));

  // What a worker costs to start is in the estimate, the handshakes of a thousand connections are not.
  const auto reached = run_program({"run", file, "-o", "out", "-r", "3", "-s", "traffic.connections=1000", "-s",
                                    "tls.certificate=rsa-3072", "--time-limit", "4s"},
                                   scratch.path());
  INFO(reached.err);
  CHECK(reached.status == 3);
  CHECK(contains(last_line(reached.err), "the time limit of 4s was reached after "));
  const auto result = read_json(scratch.path() / "out/result.json");
  CHECK(result.at("complete") == false);
  REQUIRE(result.at("cells").size() == 3);
  const auto last = result.at("cells").at(2).at("arms").at(0);
  CHECK(last.at("status") == "incomplete");
  CHECK(last.at("reason") == "the time limit of 4s was reached after 0 of at least 3 blocks");
}

TEST_CASE("a time limit is shared out: no cell takes what the next one needs") {
  Scratch scratch;
  const std::string sizes = "[matrix]\n\"traffic.message_size\" = [\"64B\", \"1KiB\"]\n";
  const auto file = scratch.file("s.toml", scenario(sizes));
  const auto ended = run_program({"run", file, "-o", "out", "-s", "measure.blocks={min=2, max=1000}", "--precision",
                                  "0.01%", "--time-limit", "5s"},
                                 scratch.path());
  INFO(ended.err);
  CHECK(ended.status == 0);
  const auto result = read_json(scratch.path() / "out/result.json");
  CHECK(result.at("complete") == true);
  for (const auto& cell : result.at("cells")) {
    const std::size_t blocks = cell.at("arms").at(0).at("blocks").size();
    CHECK(blocks >= 2);
    CHECK(blocks < 1000);
  }
}

TEST_CASE("every flag of every command has its variable, named in the help") {
  Scratch scratch;
  const std::regex command("^  ([a-z]+) ", std::regex::multiline);
  const auto help = run_program({"--help"}, scratch.path()).out;
  std::set<std::string> commands;
  const std::string list = help.substr(help.find("Subcommands:"));
  for (std::sregex_iterator at(list.begin(), list.end(), command), end; at != end; ++at) commands.insert((*at)[1]);
  CHECK(commands.contains("run"));
  CHECK(commands.contains("validate"));
  for (const auto& name : commands) {
    const auto text = run_program({name, "--help"}, scratch.path()).out;
    const std::string options = text.substr(text.find("\nOptions:\n") + 10);
    std::istringstream lines(options);
    std::string flags;  // of the option whose text goes on
    std::size_t seen = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  -")) flags = line;
      if (flags.find("--help") != std::string::npos || line.empty()) continue;
      std::smatch match;
      CAPTURE(name);
      CAPTURE(flags);
      REQUIRE(std::regex_search(flags, match, std::regex("--([a-z-]+)")));
      if (line.find('[') == std::string::npos) continue;
      std::string variable = "TLSRIG_" + match[1].str();
      for (char& letter : variable)
        letter = letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
      CHECK(contains(line, "[" + variable + "]"));
      ++seen;
    }
    const std::regex option("^  -", std::regex::multiline);
    const auto count = std::distance(std::sregex_iterator(options.begin(), options.end(), option), {});
    CHECK(seen == static_cast<std::size_t>(count) - 1);  // all but --help
  }
}

TEST_CASE("variables stand in for flags, flags win, and the command that is recorded names them") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", scenario(""));
  const std::vector<std::string> set{"TLSRIG_BACKENDS=openssl,plaintcp",
                                     "TLSRIG_BLOCKS=2",
                                     "TLSRIG_QUIET=yes",
                                     "TLSRIG_SET=traffic.connections=3\nmeasure.warmup=11ms",
                                     "TLSRIG_QUICK=0",
                                     "TLSRIG_SEED=5",
                                     std::string("TLSRIG_BACKEND_PATH=") + TLSRIG_PLUGINS};
  const auto ended = run_program({"run", file, "-o", "out", "--seed", "6"}, scratch.path(), set);
  INFO(ended.err);
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  const auto result = read_json(scratch.path() / "out/result.json");
  CHECK(result.at("seed") == 6);
  CHECK(result.at("cells").at(0).at("arms").at(0).at("blocks").size() == 2);
  const auto effective = result.at("scenarios").at(0).at("effective");
  CHECK(effective.at("traffic").at("connections") == 3);
  CHECK(effective.at("measure").at("warmup") == "11ms");
  const auto command = result.at("command").get<std::vector<std::string>>();
  const std::set<std::string> words(command.begin(), command.end());
  CHECK(command.front() == "env");
  for (const auto& variable : set) {
    CAPTURE(variable);
    const bool in_force = !variable.starts_with("TLSRIG_SEED") && !variable.starts_with("TLSRIG_QUICK");
    CHECK(words.contains(variable) == in_force);
  }
}

TEST_CASE("a bad variable is named and ends in exit 2, an unknown one is warned of with the nearest") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", scenario(""));
  const auto refused = [&](const std::string& variable, const std::string& words) {
    const auto ended = run_program({"run", file, "-o", "out"}, scratch.path(), {variable});
    CAPTURE(variable);
    INFO(ended.err);
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, variable.substr(0, variable.find('='))));
    CHECK(contains(ended.err, words));
    CHECK_FALSE(std::filesystem::exists(scratch.path() / "out"));
  };
  refused("TLSRIG_QUICK=maybe", "allowed: 1, true, yes or on");
  refused("TLSRIG_COLOR=blue", "auto");
  refused("TLSRIG_BLOCKS=none", "from 1 to 1000");
  refused("TLSRIG_PRECISION=1", "--precision");
  refused("TLSRIG_TIME_LIMIT=soon", "--time-limit comes from TLSRIG_TIME_LIMIT=soon");
  refused("TLSRIG_BACKENDS=opnssl", "openssl");
  const auto warned = run_program({"validate", file}, scratch.path(), {"TLSRIG_QIUET=1"});
  CHECK(warned.status == 0);
  CHECK(contains(warned.err, "the variable TLSRIG_QIUET has no meaning; did you mean \"TLSRIG_QUIET\"?"));
}

TEST_CASE("on a terminal one line tells the progress, fits into it, and nothing of it is left") {
  Scratch scratch;
  const auto file = scratch.file("s.toml", scenario("[matrix]\n\"traffic.message_size\" = [\"64B\", \"1KiB\"]\n"));
  const std::vector<std::string> run{"run", file, "-o", "out"};
  for (const std::size_t width : {120U, 60U}) {
    const auto seen = run_on_terminal(run, scratch, width);
    INFO(seen.text);
    CHECK(seen.status == 0);
    CHECK(contains(seen.text, "block 3 of 6, "));
    CHECK(contains(seen.text, " left"));
    CHECK(contains(seen.text, "2/2 "));
    CHECK(contains(seen.text, "[#") == (width == 120));
    CHECK_FALSE(contains(seen.text, "[1/2]"));
    std::istringstream lines(seen.text);
    std::string first;
    for (std::string line; std::getline(lines, line);)
      if (contains(line, "block ")) first = line;
    CHECK(screen_of(first).longest < width);
    CHECK(contains(screen_of(first).left, "Result: out/result.json"));  // in the place of the bar
    CHECK_FALSE(contains(screen_of(first).left, "block"));
  }
  const std::vector<std::string> brief{"run", file, "-o", "out", "-r", "1"};
  CHECK(contains(run_on_terminal(brief, scratch, 120).text, "\x1b[36m"));
  CHECK_FALSE(contains(run_on_terminal(brief, scratch, 120, {{"NO_COLOR", "1"}}).text, "\x1b[36m"));
  CHECK_FALSE(contains(run_on_terminal(brief, scratch, 120, {{"TERM", "dumb"}}).text, "\x1b"));
  auto quiet = brief;
  quiet.push_back("-q");
  CHECK(run_on_terminal(quiet, scratch, 120).text.empty());
  const auto piped = run_program(brief, scratch.path());
  CHECK(contains(piped.err, "[1/2] small/message_size=64B: "));
  CHECK_FALSE(contains(piped.err, "\x1b"));
}

TEST_CASE("a scenario's name in the place of a command, and a misspelt command, are helped") {
  Scratch scratch;
  const auto hint = [&](const std::string& word) {
    const auto ended = run_program({word}, scratch.path());
    CHECK(ended.status == 2);
    return ended.err;
  };
  CHECK(contains(hint("echo"), "\"echo\" is a scenario: tlsrig run echo"));
  CHECK(contains(hint("ehco"), "did you mean tlsrig run echo?"));
  CHECK(contains(hint("vaildate"), "did you mean tlsrig validate?"));
  const auto file = scratch.file("s.toml", scenario("", "\"openssl\", \"mine\""));
  CHECK(run_program({"validate", file}, scratch.path()).status == 2);
  const auto good = run_program({"validate", file, "--variant", "mine=openssl:."}, scratch.path());
  INFO(good.err);
  CHECK(good.status == 0);
  CHECK(contains(good.out, "good: 1 cell, 2 arms\n"));
}
