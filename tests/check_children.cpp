// The steps of `tlsrig check` in processes of their own: what they tell, how they end, and when they are late.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <doctest/doctest.h>
#include <tlsrig/check/trial/crew.hpp>
#include <tlsrig/host/call_log.hpp>
#include <tlsrig/measure/clock.hpp>

namespace {

namespace check = tlsrig::check;
using check::Told;
using check::Verdict;
using check::Workplace;

check::Job job_of(std::function<check::Told(check::Workplace&)> work) {
  check::Job job;
  job.finding.step = "made-up";
  job.work = std::move(work);
  return job;
}

check::Finding done_in_a_child(check::Job job, const check::Limits& limits = {}) {
  const std::int64_t deadline_ns = tlsrig::measure::now_ns() + 60'000'000'000;
  std::vector<check::Job> jobs;
  jobs.push_back(std::move(job));
  return check::do_in_children(std::move(jobs), {1, deadline_ns, deadline_ns}, limits, [](const check::Finding&) {})
      .front()
      .finding;
}

check::Ended ended_child(const check::Work& work, const check::Limits& limits) {
  check::Child child(work, check::Child::Leaves::at_once, limits);
  for (;;) {
    if (auto ended = child.look()) return *ended;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

constexpr int descriptors_looked_at = 256;

std::set<int> open_descriptors() {
  std::set<int> open;
  for (int fd = 0; fd < descriptors_looked_at; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) open.insert(fd);
  return open;
}

// Some bytes into every descriptor that is not one of these: of a child, those that it shares with its parent.
void write_into_new(const std::set<int>& others) {
  const std::string bytes(16384, 'x');
  for (int fd = 3; fd < descriptors_looked_at; ++fd)
    if (!others.contains(fd) && write(fd, bytes.data(), bytes.size()) < 0) continue;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("A child tells what its work found") {
  SUBCASE("a result") {
    const auto finding = done_in_a_child(job_of([](Workplace&) { return Told{{Verdict::skip, "not offered"}}; }));
    CHECK(finding.outcome.verdict == Verdict::skip);
    CHECK(finding.outcome.words == "not offered");
  }
  SUBCASE("a law of its own in the place of the step's") {
    check::Job job = job_of([](Workplace&) { return Told{{Verdict::fail, "read too much", "law 4", "read less"}}; });
    job.finding.law = "of the step";
    job.finding.cure = "the step's cure";
    const auto finding = done_in_a_child(std::move(job));
    CHECK(finding.outcome.words == "read too much");
    CHECK(finding.law == "law 4");
    CHECK(finding.cure == "read less");
  }
  SUBCASE("without one, the step's") {
    check::Job job = job_of([](Workplace&) { return Told{{Verdict::fail, "no such thing"}}; });
    job.finding.law = "of the step";
    job.finding.cure = "the step's cure";
    const auto finding = done_in_a_child(std::move(job));
    CHECK(finding.law == "of the step");
    CHECK(finding.cure == "the step's cure");
  }
  SUBCASE("an exception of the work is a failure in its words") {
    const auto finding = done_in_a_child(job_of([](Workplace&) -> Told { throw std::runtime_error("no such thing"); }));
    CHECK(finding.outcome.verdict == Verdict::fail);
    CHECK(finding.outcome.words == "no such thing");
  }
  SUBCASE("output is kept") {
    const auto finding = done_in_a_child(job_of([](Workplace&) {
      std::fputs("from the plugin", stderr);
      return Told{};
    }));
    CHECK(finding.output == "from the plugin");
  }
}

TEST_CASE("A child that could not tell a result is no pass, and it is told how it ended") {
  SUBCASE("an end with 0") {
    const auto finding = done_in_a_child(job_of([](Workplace&) -> Told { _exit(0); }));
    CHECK(finding.outcome.verdict == Verdict::exit);
    CHECK(has(finding.outcome.words, "without a whole result"));
    CHECK(has(finding.outcome.words, "exit status 0"));
  }
  SUBCASE("a signal") {
    const auto finding = done_in_a_child(job_of([](Workplace&) -> Told {
      std::raise(SIGKILL);
      std::abort();
    }));
    CHECK(finding.outcome.verdict == Verdict::crash);
    CHECK(has(finding.outcome.words, "SIGKILL"));
  }
  SUBCASE("the end of the thread alone") {
    const auto finding = done_in_a_child(job_of([](Workplace&) -> Told { pthread_exit(nullptr); }));
    CHECK(finding.outcome.verdict == Verdict::crash);
    CHECK(has(finding.outcome.words, "without a whole result"));
  }
  SUBCASE("a crash of an exit handler, after the result") {
    check::Job job = job_of([](Workplace&) {
      std::atexit([] { std::abort(); });
      return Told{};
    });
    job.leaves = check::Child::Leaves::by_exit;
    const auto finding = done_in_a_child(std::move(job));
    CHECK(finding.outcome.verdict == Verdict::crash);
    CHECK(has(finding.outcome.words, "when the step was done"));
  }
  SUBCASE("bytes beside its message, wherever they come from") {
    const auto finding = done_in_a_child(job_of([others = open_descriptors()](Workplace&) {
      for (int i = 0; i < 200; ++i) write_into_new(others);  // more than the parent keeps
      return Told{};
    }));
    CHECK(finding.outcome.verdict == Verdict::exit);
    CHECK(has(finding.outcome.words, "without a whole result"));
  }
}

TEST_CASE("A child that is late is killed, and told whether it waits or is busy") {
  check::Limits limits;
  limits.step = 0.3;
  SUBCASE("one that waits for ever") {
    const auto finding = done_in_a_child(job_of([](Workplace&) -> Told { wait_for_ever(); }), limits);
    CHECK(finding.outcome.verdict == Verdict::hang);
    CHECK(has(finding.outcome.words, "within 0.3 s"));
    CHECK(has(finding.outcome.words, "waiting"));
  }
  SUBCASE("one that is busy for ever") {
    const auto finding = done_in_a_child(job_of([](Workplace&) -> Told {
                                           for (std::atomic<unsigned> i = 0;; ++i) {
                                           }
                                         }),
                                         limits);
    CHECK(finding.outcome.verdict == Verdict::hang);
    CHECK(has(finding.outcome.words, "busy"));
  }
  SUBCASE("one that writes into every descriptor without end") {
    const auto finding = done_in_a_child(job_of([others = open_descriptors()](Workplace&) -> Told {
                                           for (;;) write_into_new(others);
                                         }),
                                         limits);
    CHECK(finding.outcome.verdict == Verdict::hang);
    CHECK(has(finding.outcome.words, "within 0.3 s"));
  }
  SUBCASE("one whose exit handler waits for ever") {
    limits.step = 60;
    limits.exit = 0.3;
    check::Job job = job_of([](Workplace&) {
      std::atexit([] { wait_for_ever(); });
      return Told{};
    });
    job.leaves = check::Child::Leaves::by_exit;
    const auto finding = done_in_a_child(std::move(job), limits);
    CHECK(finding.outcome.verdict == Verdict::hang);
    CHECK(has(finding.outcome.words, "after its step was done within 0.3 s"));
  }
}

TEST_CASE("A call that does not come back has a deadline of its own, by its slot") {
  check::Limits limits;
  const auto ended = [&](const char* slot) {
    return ended_child(
        [slot](tlsrig::host::CallLog& log) -> Told {
          {
            tlsrig::host::LoggedCall before(&log, {"open", "client"});
            before.ends(TLSRIG_OK);
          }
          const tlsrig::host::LoggedCall call(&log, {slot, "client", 100});
          wait_for_ever();
        },
        limits);
  };
  SUBCASE("any call") { limits.call = 0.3; }
  SUBCASE("load") { limits.load = 0.3; }
  SUBCASE("start") { limits.start = 0.3; }
  SUBCASE("handshake") { limits.handshake = 0.3; }
  const char* const slot = limits.call < 1    ? "read"
                           : limits.load < 1  ? "load"
                           : limits.start < 1 ? "start"
                                              : "handshake";
  const check::Ended late = ended(slot);
  CHECK(late.outcome.verdict == Verdict::hang);
  CHECK(has(late.outcome.words, " did not come back within 0.3 s"));
  CHECK(has(late.outcome.words, "waiting"));
  REQUIRE(late.calls.size() == 2);
  CHECK(late.calls.front().came_back());
  CHECK(late.calls.back().slot == std::string(slot));
  CHECK(!late.calls.back().came_back());
  CHECK_MESSAGE(has(late.outcome.words, name_of(late.calls.back())), late.outcome.words);
  CHECK(late.seconds < limits.step / 2);
}

TEST_CASE("Calls that come back leave the deadline to the whole step") {
  check::Limits limits;
  limits.call = 0.2;
  const check::Ended many = ended_child(
      [](tlsrig::host::CallLog& log) {
        for (int i = 0; i < 6; ++i) {
          tlsrig::host::LoggedCall call(&log, {"read", "client", 100});
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          call.ends(TLSRIG_WANT_READ);
        }
        return Told{};
      },
      limits);
  CHECK_MESSAGE(many.outcome.verdict == Verdict::pass, many.outcome.words);
  CHECK(many.seconds > limits.call);
}

TEST_CASE("Children run side by side, and their results come in the order of the jobs") {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  std::vector<check::Job> jobs;
  jobs.push_back(job_of([&](Workplace&) {  // ends after the last one, which sends it a byte
    char byte = 0;
    return read(ends[0], &byte, 1) == 1 ? Told{{Verdict::pass, "0"}} : Told{{Verdict::fail, "no byte came"}};
  }));
  for (const char* const words : {"1", "2", "3"})
    jobs.push_back(job_of([words](Workplace&) { return Told{{Verdict::skip, words}}; }));
  jobs.push_back(job_of([&](Workplace&) {
    return write(ends[1], "x", 1) == 1 ? Told{{Verdict::pass, "4"}} : Told{{Verdict::fail, "no byte went"}};
  }));
  std::vector<std::string> finished;
  const std::int64_t deadline_ns = tlsrig::measure::now_ns() + 30'000'000'000;
  const auto done =
      check::do_in_children(std::move(jobs), {2, deadline_ns, deadline_ns}, {},
                            [&](const check::Finding& finding) { finished.push_back(finding.outcome.words); });
  close(ends[0]);
  close(ends[1]);
  REQUIRE(done.size() == 5);
  for (std::size_t i = 0; i < done.size(); ++i) CHECK(done[i].finding.outcome.words == std::to_string(i));
  CHECK(finished.size() == 5);
  CHECK(std::set<std::string>(finished.begin(), finished.end()).size() == 5);
  CHECK(finished.front() != "0");
}

TEST_CASE("Jobs left over when the time is over are told as not run") {
  std::vector<check::Job> jobs;
  jobs.push_back(job_of([](check::Workplace&) { return check::Told{}; }));
  const auto done = check::do_in_children(std::move(jobs), {1, 0, 0}, {}, [](const check::Finding&) {});
  CHECK(done.front().finding.not_run);
  CHECK(done.front().finding.outcome.verdict == Verdict::fail);
}
