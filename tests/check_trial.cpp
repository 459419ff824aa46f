// The machinery of `tlsrig check` around its steps: messages, outputs, traces, and what people read.
#include <string>

#include <unistd.h>

#include <doctest/doctest.h>
#include <tlsrig/check/trial/check_plugin.hpp>
#include <tlsrig/check/trial/message.hpp>
#include <tlsrig/check/trial/output.hpp>
#include <tlsrig/cli/check_report.hpp>

namespace {

namespace check = tlsrig::check;
namespace cli = tlsrig::cli;
using check::Verdict;

std::string sent(const check::Json& message) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(check::send_message(ends[1], message));
  close(ends[1]);
  std::string bytes(65536, '\0');
  bytes.resize(std::size_t(read(ends[0], bytes.data(), bytes.size())));
  close(ends[0]);
  return bytes;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("A message that is not whole is no result") {
  const std::string bytes = sent({{"verdict", 0}});
  CHECK(check::received_message(bytes) == check::Json{{"verdict", 0}});
  CHECK(!check::received_message(""));
  CHECK(!check::received_message(bytes.substr(0, bytes.size() - 1)));
  CHECK(!check::received_message(bytes + "x"));
  CHECK(!check::received_message("a plugin wrote here" + bytes));
  std::string changed = bytes;
  changed.back() ^= 1;
  CHECK(!check::received_message(changed));
}

TEST_CASE("Of a long output both ends are kept, and what lies between is counted") {
  check::KeptOutput output;
  CHECK(output.empty());
  output.add("first words\n");
  for (int i = 0; i < 1000; ++i) output.add(std::string(1024, 'x'));
  output.add("\nlast words");
  CHECK(output.total() == 12 + 1000 * 1024 + 11);
  CHECK(output.text().starts_with("first words"));
  CHECK(output.text().ends_with("last words"));
  CHECK(has(output.text(), "1024023 bytes in all, 1019927 left out"));
}

TEST_CASE("A trace keeps the latest calls, with what they were given and what came of them") {
  check::CallRing ring;
  check::CallTrace trace(ring);
  tlsrig_wire wire{};
  wire.in_size = 517;
  wire.out_size = 100;
  for (int i = 0; i < 100; ++i) {
    const auto call = trace.begin({"read", "client", 16384, &wire});
    if (i == 99) break;  // the last one does not come back
    wire.in_used = 5;
    trace.end(call, TLSRIG_OK, 17, &wire);
    wire.in_used = 0;
  }
  const auto calls = check::latest_calls(ring);
  REQUIRE(calls.size() == 100);
  CHECK(calls.back().number == 100);
  CHECK(!calls.back().came_back());
  CHECK(name_of(calls.back()) == "client read(), call 100");
  CHECK(has(line_of(calls.back()), "has not come back"));
  CHECK(check::call_under_way(ring)->number == 100);
  CHECK(has(line_of(calls.front()), "16384 bytes in 0 of 517, out 0 of 100 -> OK, 17 bytes; in 5, out 0"));
}

TEST_CASE("Calls repeated in vain are one line of a trace") {
  check::CallRing ring;
  check::CallTrace trace(ring);
  tlsrig_wire wire{};
  wire.out_size = 100;
  for (int i = 0; i < 50; ++i)
    for (const char* const who : {"client", "server"})
      trace.end(trace.begin({"read", who, 100, &wire}), TLSRIG_WANT_READ, 0, &wire);
  trace.end(trace.begin({"write", "client", 5, &wire}), TLSRIG_OK, 5, &wire);
  const auto calls = check::latest_calls(ring);
  REQUIRE(calls.size() == 3);
  CHECK(calls[1].repeated == 49);
  CHECK(has(line_of(calls[1]), "(49 more times)"));
}

TEST_CASE("While a trace is paused its calls are not told") {
  check::CallRing ring;
  check::CallTrace trace(ring);
  trace.pause(true);
  trace.end(trace.begin({"read"}), TLSRIG_OK, 1, nullptr);
  CHECK(check::latest_calls(ring).empty());
  trace.pause(false);
  trace.end(trace.begin({"read"}), TLSRIG_OK, 1, nullptr);
  CHECK(check::latest_calls(ring).size() == 1);
}

TEST_CASE("A fault is told in five parts, and the worst verdict is the plugin's") {
  check::Judged judged;
  judged.plugin = {{"path", "a dir/x.so"}};
  check::Finding finding;
  finding.step = "pieces-of-1";
  finding.transport = "wire";
  finding.version = "1.3";
  finding.outcome = {Verdict::fail, "it stood still"};
  finding.where = "client handshake(), call 3 (TLS 1.3, wire)";
  finding.law = "law 1";
  finding.cure = "call the library again";
  judged.findings = {finding};
  const cli::CheckRequest request{"a dir/x.so", {"peers"}, 7};
  const std::string text = check_text(judged, request, {});
  for (const char* const part :
       {"FAIL  pieces-of-1/wire/1.3", "what      it stood still", "where     client handshake(), call 3",
        "contract  law 1", "cure      call the library again",
        "repeat    tlsrig check 'a dir/x.so' -B peers --step pieces-of-1/wire/1.3 --seed 7 --in-process"})
    CHECK_MESSAGE(has(text, part), part, " is not in\n", text);
  CHECK(cli::verdict_of(judged) == Verdict::fail);
  judged.findings.front().outcome.verdict = Verdict::warn;
  CHECK(cli::verdict_of(judged) == Verdict::warn);
  CHECK(check_json(judged, request, false).at("summary").at("WARN") == 1);
}

TEST_CASE("A step's name that stands for nothing is refused before anything runs") {
  check::CheckOptions options;
  options.plugin = "/nowhere/x.so";
  const auto nobody = [](const check::CheckProgress&) {};
  for (const char* const name : {"peices-of-1", "interop/openssl", "", "pieces-of-1x/wire/1.3"}) {
    options.steps = {name};
    CHECK_THROWS_AS(check::check_plugin(options, nobody), check::UnknownStep);
  }
}
