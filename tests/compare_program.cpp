// `tlsrig compare` as its users meet it: files in, exit statuses out.
#include <doctest/doctest.h>

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "compare_support.hpp"
#include "support/program.hpp"

using namespace simulated;
using namespace tlsrig::tests;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void write(const Scratch& scratch, const std::string& name, const report::Result& result) {
  report::write_atomically(scratch.path() / name, result);
}

// old.json, equal.json, slow.json and lost.json in a directory.
class Files : public Scratch {
 public:
  Files() {
    Run run;
    write(*this, "old.json", result_of(run, 1));
    run.machine = 0.9;
    auto equal = result_of(run, 2);
    write(*this, "equal.json", equal);
    end_arm(equal, "wolfssl", report::Status::failed, "server: exited");
    write(*this, "lost.json", equal);
    run.rates["wolfssl"] *= 0.8;
    write(*this, "slow.json", result_of(run, 3));
  }
  Ended compare(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "compare");
    return run_program(arguments, path());
  }
};

}  // namespace

TEST_CASE("compare exits 0 when nothing is worse, 1 when something is or was lost") {
  const Files files;
  const auto equal = files.compare({"old.json", "equal.json"});
  CAPTURE(equal.err);
  CHECK(equal.status == 0);
  CHECK(contains(equal.out, "None of 6 ratios lies wholly beyond 5.0 % on the worse side"));
  CHECK(contains(equal.out, "--variant"));
  const auto slow = files.compare({"old.json", "slow.json"});
  CHECK(slow.status == 1);
  CHECK(contains(slow.out, "WORSE: 3 of 6"));
  CHECK(files.compare({"slow.json", "old.json"}).status == 0);
  CHECK(files.compare({"old.json", "slow.json", "--threshold", "50%"}).status == 0);
  CHECK(files.compare({"old.json", "slow.json", "--threshold", "10%"}).status == 1);
  CHECK(files.compare({"old.json", "slow.json", "--reference", "openssl"}).status == 1);
  std::filesystem::create_directory(files.path() / "run");
  std::filesystem::copy(files.path() / "slow.json", files.path() / "run" / "result.json");
  CHECK(files.compare({"old.json", "run"}).status == 1);
  const auto lost = files.compare({"old.json", "lost.json"});
  CHECK(lost.status == 1);
  CHECK(contains(lost.out, "LOST: wolfssl"));
  CHECK(files.compare({"lost.json", "old.json"}).status == 0);
}

TEST_CASE("compare exits 2 in words when it cannot compare") {
  const Files files;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    const auto ended = files.compare(std::move(arguments));
    CAPTURE(part);
    CAPTURE(ended.err);
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, part));
    CHECK(ended.out.empty());
  };
  refused({"old.json", "none.json"}, "none.json");
  files.file("cut.json", read_file(files.path() / "old.json").substr(0, 5000));
  refused({"cut.json", "old.json"}, "cut.json");
  auto edited = read_json(files.path() / "old.json");
  edited["cells"][0]["arms"][0]["blocks"][0]["operations"] = 1;
  files.file("edited.json", edited.dump());
  refused({"old.json", "edited.json"}, "edited.json");
  auto elsewhere = read_json(files.path() / "old.json");
  elsewhere["machine"]["processors"] = 64;
  files.file("elsewhere.json", elsewhere.dump());
  refused({"old.json", "elsewhere.json"}, "processors: 2 in OLD, 64 in NEW");
  CHECK(files.compare({"old.json", "elsewhere.json", "--allow-other-machine"}).status == 0);
  refused({"old.json", "equal.json", "--threshold", "much"}, "--threshold: found \"much\"");
  refused({"old.json", "equal.json", "--threshold", "-5%"}, "--threshold");
  refused({"old.json", "equal.json", "--threshold", "0.05"}, "allowed: a percentage");
  refused({"-", "-"}, "standard input");
  refused({"old.json", "equal.json", "--export-markdown", "."}, ".");
  refused({"old.json", "equal.json", "--export-markdown", "old.json"}, "it is one of the results");
  refused({"old.json"}, "NEW");
  const auto nothing = files.compare({"old.json", "equal.json", "--reference", "gnutls"});
  CHECK(nothing.status == 2);
  CHECK(contains(nothing.out, "gnutls is no arm of either run"));
  CHECK(contains(nothing.err, "nothing could be judged"));
}

TEST_CASE("compare writes Markdown to a file beside the text, or to standard output in its place") {
  const Files files;
  const auto both = files.compare({"old.json", "slow.json", "--export-markdown", "change.md"});
  CHECK(both.status == 1);
  CHECK(contains(both.out, "WORSE"));
  const std::string markdown = read_file(files.path() / "change.md");
  CHECK(markdown.starts_with("### tlsrig compare"));
  CHECK(contains(markdown, "old.json"));
  const auto alone = files.compare({"old.json", "slow.json", "--export-markdown", "-"});
  CHECK(alone.status == 1);
  CHECK(alone.out == markdown);
  if (std::ifstream("/dev/full")) {
    const auto full = files.compare({"old.json", "equal.json", "--export-markdown", "/dev/full"});
    CHECK(full.status != 0);
    CHECK(contains(full.err, "/dev/full"));
  }
}

// The script on a program that prints what it is told to: its counts, its demands and its exit statuses.
TEST_CASE("scripts/self-check counts twins, and says when they are told apart") {
  const Scratch scratch;
  const auto checked = [&](const std::string& twins) {
    scratch.file("rows.csv", "cell,metric,reason,twin,ratio,ratio_low,ratio_high\n" + twins);
    // The argument behind --export-csv is where the rows are wanted.
    const std::string program =
        scratch.file("program", "#!/bin/sh\nwhile [ \"$1\" != --export-csv ]; do shift; done\ncp '" +
                                    (scratch.path() / "rows.csv").string() + "' \"$2\"\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const std::string out = (scratch.path() / "out").string();
    const int status = std::system((std::string(TLSRIG_SOURCE "/scripts/self-check 2 --program ") + program + " -o " +
                                    (scratch.path() / "runs").string() + " >" + out + " 2>&1")
                                       .c_str());
    return Ended{WEXITSTATUS(status), read_file(out), ""};
  };
  const std::string equal = "a,throughput,,true,1,0.99,1.01\na,cpu_engine,,true,1,0.9,1.1\n";
  const std::string other_arm = "a,throughput,\"no, \"\"not\"\" a twin\",false,2,1.9,2.1\n";
  const auto met = checked(equal + other_arm);
  CAPTURE(met.out);
  CHECK(met.status == 0);
  CHECK(contains(met.out,
                 "run 2: throughput 1 equivalent, 0 inconclusive, 0 likely, 0 faster or slower; cpu_engine 0 "
                 "equivalent, 1 inconclusive"));
  CHECK(contains(met.out, "Met: "));
  const auto decided = checked(equal + "\"b, c\",throughput,,true,1,1.021,1.05\n");
  CHECK(decided.status == 1);
  CHECK(contains(decided.out, "FASTER OR SLOWER: b, c throughput: 1.021 .. 1.050"));
  CHECK(contains(decided.out, "NOT MET: throughput: the twin was faster or slower in 2 of 4 cells."));
  const auto likely = checked(equal + "b,throughput,,true,1,0.97,0.999\n");
  CHECK(likely.status == 1);
  CHECK(contains(likely.out, "NOT MET: throughput: likely in 2 of 4 cells"));
  CHECK(checked(other_arm).status == 2);
}

TEST_CASE("compare's help says how to compare two builds") {
  const Files files;
  const auto help = files.compare({"--help"});
  CHECK(help.status == 0);
  CHECK(contains(help.out, "--variant NAME=PLUGIN:DIR"));
  CHECK(contains(help.out, "several times sharper"));
}
