// What the reports make of sides: three roles in the order of the path, both sides of an engine, what is counted where
// and in which direction, and a peer that is busier than what is compared.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <tlsrig/report/file/merge.hpp>
#include <tlsrig/report/file/read.hpp>
#include <tlsrig/report/render.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/counted.hpp>
#include <tlsrig/report/words/damping.hpp>
#include <tlsrig/report/words/findings.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/sides.hpp>

#include "report_relay_sample.hpp"
#include "report_support.hpp"

namespace report = tlsrig::report;
using sample::arm_of;
using sample::comparison_of;
using sample::contains;
using sample::line_with;
using sample::lines_of;
using sample::one_cell;
using sample::result_of;
using sample::text_of;

namespace {

using Names = std::vector<std::string>;

const report::Comparison& compared_in(const report::Cell& cell, const std::string& arm, const std::string& metric) {
  return *std::find_if(cell.comparisons.begin(), cell.comparisons.end(),
                       [&](const auto& each) { return each.arm == arm && each.metric == metric; });
}

// Of the stream's cells with a scenario whose client is fixed.
report::Result stream_result() {
  report::Result result = result_of({sample::stream_cell(), sample::stream_cell("to-client")});
  result.scenarios = {sample::scenario_of(result.cells[0], "openssl", "backend")};
  return result;
}

}  // namespace

TEST_CASE("findings: sides stand in the order of the path") {
  CHECK(report::along_path({"server", "engine", "client", "relay", "server"}) ==
        Names{"client", "relay", "server", "engine"});
  CHECK(report::along_path({"zebra", "relay_outbound", "apple", "server", "relay_inbound", "client"}) ==
        Names{"client", "relay_inbound", "relay_outbound", "server", "apple", "zebra"});
  CHECK(report::side_of("cpu_relay") == "relay");
  CHECK(report::side_of("throughput") == "");
  CHECK(report::side_words("relay_outbound") == "relay outbound");
  for (const auto& [part, with, without] : {std::tuple{"client", "relay_inbound", "server"},
                                            {"server", "relay_outbound", "client"},
                                            {"relay_inbound", "client", "client"},
                                            {"relay_outbound", "server", "server"}}) {
    CHECK(report::peer_of(part, true) == with);
    CHECK(report::peer_of(part, false) == without);
  }
}

TEST_CASE("text: three roles from the client to the server, and both sides of an engine before their sum") {
  const std::string pipe = text_of(one_cell(sample::pipe_cell()));
  CHECK(contains(pipe, "client  relay  server\n"));
  CHECK(contains(line_with(pipe, "  per-record "), "600   1200   320"));
  for (const char* side : {"client", "relay", "server"})
    CHECK(contains(pipe, std::string("\n  CPU per operation, ") + side));
  const std::string engine = text_of(one_cell(sample::split_cell()));
  CHECK(contains(engine, "client  server  sum\n"));
  CHECK(contains(line_with(engine, "  openssl "), "310     160  470"));
  CHECK(contains(engine, "\n  CPU per operation, client: boringssl 0.742 x"));
  CHECK_FALSE(contains(engine, "CPU per operation, engine"));  // that is what the throughput has said
  for (const unsigned width : {80U, 120U})
    for (const report::Cell& cell : {sample::pipe_cell(), sample::split_cell(), sample::stream_cell()})
      for (const std::string& line : lines_of(report::to_text(one_cell(cell), {false, true, width})))
        CHECK(report::display_width(line) <= width);
}

TEST_CASE("findings: bars and Markdown's columns stand in that order too") {
  const auto in_order = [](const std::string& text, const Names& parts) {
    std::size_t place = 0;
    for (const std::string& part : parts) {
      place = text.find(part, place);
      if (place == std::string::npos) return "missing or too early: " + part;
    }
    return std::string();
  };
  report::Cell engine = sample::split_cell();
  CHECK(in_order(report::to_html(one_cell(sample::pipe_cell())),
                 {"per-record client: 600.0 ns per operation", "per-record relay: 1.200 µs", "per-record server: "}) ==
        "");
  CHECK(in_order(report::to_html(one_cell(engine)), {"openssl client: 310.0 µs per operation",
                                                     "openssl server: 160.0 µs", "openssl sum: 470.0 µs"}) == "");
  CHECK(in_order(report::to_markdown(one_cell(engine)),
                 {"CPU per operation, client |", "CPU per operation, server |", "CPU per operation, engine |"}) == "");
}

TEST_CASE("text: calls and records of each part, also of messages that share them") {
  const std::string text = report::to_text(one_cell(sample::pipe_cell()), {false, true, 120});
  Names rows;
  for (const std::string& line : lines_of(text))
    for (const char* part : {"client", "relay inbound", "relay outbound", "server"})
      if (line.starts_with(std::string("  coalesce ") + part + " ")) rows.emplace_back(part);
  CHECK(rows == Names{"client", "relay inbound", "relay outbound", "server"});
  CHECK(contains(line_with(text, "  coalesce relay outbound "), "0.00     0.00410 "));
  CHECK(contains(line_with(text, "  per-record relay outbound "), "0.00     1.00 "));
}

TEST_CASE("findings: what is counted, where and in which direction") {
  const auto counted = [](const report::Cell& cell) { return report::counted_words(cell); };
  CHECK(counted(sample::echo_cell()) == "round trips at the client, over loopback TCP; payload both ways");
  CHECK(counted(sample::stream_cell()) == "messages at the server, one way, client to server, over loopback TCP");
  CHECK(counted(sample::stream_cell("to-client")) ==
        "messages at the client, one way, server to client, over loopback TCP");
  CHECK(counted(sample::pipe_cell()) ==
        "messages at the server, one way, client to relay (TLS) to server (plain), over loopback TCP");
  CHECK(counted(sample::split_cell()) == "full handshakes of a client and a server, in memory");
  CHECK(counted(sample::split_cell("wrap")) == "messages wrapped by the client, in memory; payload one way");
  CHECK(counted(sample::split_cell("context-new")) ==
        "pairs of a server's and a client's context, made and destroyed, in memory");

  report::Cell pipe = sample::pipe_cell();
  for (report::Arm& arm : pipe.arms) arm.settings["traffic"]["direction"] = "to-client";
  CHECK(counted(pipe) == "messages at the client, one way, server to relay (plain) to client (TLS), over loopback TCP");
  pipe.arms[2].settings["relay"]["outbound"] = "tls";
  CHECK(counted(pipe) ==
        "messages at the client, one way, server to relay (plain) to client (TLS) (per-record), "
        "messages at the client, one way, server to relay (TLS) to client (TLS) (coalesce), over loopback TCP");
  for (report::Arm& arm : pipe.arms) {
    arm.settings["relay"]["backend"] = "plaintcp";
    arm.proof.version = "none";
  }
  CHECK(counted(pipe) ==
        "messages at the client, one way, server to relay (plain) to client (plain), over loopback TCP");
  report::Cell echo = sample::echo_cell();
  echo.arms[0].settings = {{"relay", {{"inbound", "tls"}, {"outbound", "tls"}, {"backend", "openssl"}}}};
  CHECK(report::counted_words(echo, echo.arms[0]) ==
        "round trips at the client, client to relay (TLS) to server (TLS) and back, over loopback TCP; payload both "
        "ways");

  // Operations as arms.
  report::Cell engine = sample::split_cell("wrap");
  arm_of(engine, "boringssl").settings["engine"]["operation"] = "unwrap";
  CHECK(
      counted(engine) ==
      "messages wrapped by the client (openssl), messages unwrapped by the server (boringssl), in memory; payload one "
      "way");
  arm_of(engine, "boringssl").settings["engine"]["operation"] = "handshake";
  CHECK(counted(engine) ==
        "messages wrapped by the client, in memory; payload one way (openssl); full handshakes of a client and a "
        "server, in memory (boringssl)");
  CHECK(contains(text_of(one_cell(sample::stream_cell())), "\n  counted: messages at the server, one way, client to "));
}

TEST_CASE("findings: a description of every metric, by workload, direction and operation") {
  const report::Json stream = sample::stream_settings("openssl", "to-client"),
                     pipe = sample::pipe_settings("spin", "x");
  const auto of = [](const char* metric, const report::Json& settings) {
    return report::metric_description(metric, settings);
  };
  CHECK(of("throughput", stream) == "messages taken in by the client, one way, server to client, per second");
  CHECK(of("throughput", pipe) == "messages taken in by the server, one way, client to relay to server, per second");
  CHECK(of("payload_bytes_per_second", pipe) ==
        "payload bytes of the messages taken in by the server, one way, client to relay to server, per second");
  CHECK(of("cpu_relay", pipe) ==
        "CPU time, user and system, of all threads of the relay's process, per message taken in by the server");
  const report::Json echo = {{"workload", "echo"}};
  CHECK(of("throughput", echo) ==
        "round trips, a request of the client and its reply, finished at the client, per second");
  CHECK(contains(of("payload_bytes_per_second", echo), "requests and replies, both ways"));
  CHECK(contains(of("cpu_server", echo), "of the server's process, per round trip"));
  CHECK(contains(of("service_time_p999", echo), "taken at the client, "));
  CHECK(contains(of("service_time_p999", echo), "that 99.9 % of them did not exceed"));
  CHECK(contains(of("service_time_p50", echo), "that 50 % of them"));
  const auto engine = [](const char* operation) {
    return report::Json{{"workload", "engine"}, {"engine", {{"operation", operation}}}};
  };
  CHECK(
      of("cpu_client", engine("handshake")) ==
      "the client's part of the engine's CPU time, by the time taken at the borders between the sides, per handshake");
  CHECK(of("cpu_engine", engine("session-new")) ==
        "CPU time, user and system, of the process that plays both sides, per session pair");
  CHECK(of("payload_bytes_per_second", engine("wrap")) == "payload bytes wrapped by the client, one way, per second");
  CHECK(contains(of("throughput", engine("unwrap")), "unwrapped by the server"));
  CHECK(of("power", echo) == "");
}

TEST_CASE("findings: descriptions in every form, and read back and put together with others") {
  report::Result result = stream_result();
  for (const report::Result& read : {report::result_from_json(report::to_json(result)),
                                     report::merge({{"a.json", result}, {"b.json", [&] {
                                                                           report::Result other = result;
                                                                           other.seed = 1;
                                                                           return other;
                                                                         }()}})})
    CHECK(read.cells[0].arms[0].metrics[0].description == result.cells[0].arms[0].metrics[0].description);
  const report::Json json = report::to_json(result);
  CHECK(json["cells"][0]["arms"][0]["metrics"]["throughput"]["description"] ==
        "messages taken in by the server, one way, client to server, per second");

  const std::vector<report::Meaning> meanings = report::meanings(result);
  REQUIRE(meanings.size() == 8);  // four metrics, each in two directions
  CHECK(meanings[0].metric == "throughput");
  CHECK(meanings[1].metric == "throughput");
  CHECK(report::where_words(meanings[0]) == "(stream/direction=to-server)");
  CHECK(report::where_words(report::meanings(one_cell(sample::stream_cell())).front()) == "");

  const std::string verbose = report::to_text(result, {false, true, 200});
  CHECK(contains(verbose, "\nWhat the numbers count\n"));
  CHECK(contains(verbose, "per message taken in by the client (stream/direction=to-client).\n"));
  CHECK_FALSE(contains(text_of(result), "\nWhat the numbers count\n"));
  const std::string markdown = report::to_markdown(result);
  CHECK(contains(markdown, "\nCounted: messages at the client, one way, server to client, over loopback TCP. ("));
  CHECK(contains(markdown, "<summary>What the numbers count</summary>"));
  const std::string page = report::to_html(result);
  CHECK(contains(page, "What each number counts, at which side and in which direction"));
  CHECK(contains(page, "Counted: messages at the server, one way, client to server, over loopback TCP."));
  CHECK(contains(report::to_csv(result),
                 ",\"messages taken in by the client, one way, server to client, per second\"\n"));

  // A file of an earlier version says nothing of them.
  for (report::Cell& cell : result.cells)
    for (report::Arm& arm : cell.arms)
      for (report::Metric& metric : arm.metrics) metric.description.clear();
  const report::Json earlier = report::to_json(result);
  CHECK_FALSE(earlier["cells"][0]["arms"][0]["metrics"]["throughput"].contains("description"));
  CHECK(report::result_from_json(earlier).cells[0].arms[0].metrics[0].description == "");
  CHECK_FALSE(contains(report::to_html(result), "What each number counts"));
}

TEST_CASE("google_benchmark: an entry says what an iteration is, and an engine's CPU time counts once") {
  const auto first = [](report::Cell cell) {
    return report::Json::parse(report::to_google_benchmark(one_cell(std::move(cell))))["benchmarks"][0];
  };
  const report::Json stream = first(sample::stream_cell()), engine = first(sample::split_cell());
  CHECK(stream["label"] == "messages at the server, one way, client to server, over loopback TCP");
  CHECK(stream["cpu_time"].get<double>() == doctest::Approx(6400));
  CHECK(engine["cpu_time"].get<double>() == doctest::Approx(470e3));
}

TEST_CASE("findings: reasons at each part of a relay") {
  report::Cell cell = sample::pipe_cell();
  const report::Comparison& coalesce = compared_in(cell, "coalesce", "throughput");
  const auto why = [&] { return report::why(cell, coalesce); };
  CHECK(why() == "244 x fewer writes per message (relay outbound), 244 x fewer reads per message (server)");

  // A part receives what the other end of its own leg has sent, and no other.
  auto& parts = arm_of(cell, "coalesce").proof.roles;
  parts["relay_outbound"].writes = parts["server"].reads = std::nullopt;
  parts["client"].bytes_out = parts["relay_inbound"].bytes_in = 64'000'000;
  CHECK(why() == "2.1 x more bytes sent per message (client)");
  parts["client"].bytes_out = std::nullopt;
  CHECK(why() == "2.1 x more bytes received per message (relay inbound)");
  parts["relay_inbound"].bytes_in = 31'000'000;

  // Where small messages may share a record, records are a likely cause; beside nothing else they are none of echo.
  parts["client"].records_out = parts["relay_inbound"].records_in = 130;
  CHECK(why() == "7692 x fewer records sent per message (client)");
  CHECK(report::also_differs(cell, coalesce) == "");
  cell.workload = "echo";
  CHECK(why() == "");
  CHECK(contains(report::also_differs(cell, coalesce), "fewer records sent per message (client)"));
}

TEST_CASE("findings: what is next to nothing per small message is much per record") {
  report::Cell cell = sample::pipe_cell();
  for (const char* id : {"per-record", "coalesce"}) {
    auto& parts = arm_of(cell, id).proof.roles;
    parts.erase("server");
    parts["relay_outbound"].writes = std::string(id) == "coalesce" ? 120 : 480;  // of a million messages of 2 bytes
  }
  const report::Comparison& coalesce = compared_in(cell, "coalesce", "throughput");
  CHECK(report::why(cell, coalesce) == "4.0 x fewer writes per message (relay outbound)");
  for (report::Arm& arm : cell.arms)
    for (report::Metric& metric : arm.metrics)
      if (metric.name == "payload_bytes_per_second") metric.value = *arm.metrics[0].value * 16384;
  CHECK(report::why(cell, coalesce) == "");
}

TEST_CASE("findings: a pair of contexts or sessions is what an operation makes") {
  for (const auto& [name, words] :
       {std::pair{"context-new", "per context pair"}, {"session-new", "per session pair"}}) {
    report::Cell cell = sample::split_cell(name);
    arm_of(cell, "openssl").proof.roles["client"] = {0, 1000, {}, {}, {}, {}, 1000, 0};
    arm_of(cell, "boringssl").proof.roles["client"] = {0, 3000, {}, {}, {}, {}, 1000, 0};
    CHECK(contains(report::also_differs(cell, comparison_of(cell, "boringssl")), words));
  }
}

TEST_CASE("findings: a fixed peer that is busier than what is compared damps differences") {
  report::Result result = stream_result();
  const auto damping = report::damping_of(result, result.cells[0]);
  REQUIRE(damping);
  CHECK(
      report::damping_sentence(result.cells[0], *damping) ==
      "In 2 of 3 arms the client (openssl in every arm) is busier than the server, which is compared: 4.000 µs of CPU "
      "per message against 2.100 µs with boringssl. Differences are damped.");
  CHECK(contains(text_of(result), "\n  In 2 of 3 arms the client (openssl in every arm) is busier than the server"));
  CHECK(
      contains(report::to_html(result), "In 2 of 3 arms the client (openssl in every arm) is busier than the server"));
  const auto warnings = [&] {
    std::string text;
    for (const report::Warning& warning : report::warnings_of(result))
      if (contains(warning.text, "damped")) text += warning.subject + ": " + warning.text + "\n";
    return text;
  };
  CHECK(warnings() ==
        "stream: in all 2 cells the client (openssl in every arm) is busier than the server, which is compared (up to "
        "1.905 x the CPU time, in stream/direction=to-server with boringssl): differences there are damped.\n");
  for (report::Arm& arm : result.cells[1].arms) arm.roles["client"] = "gnutls";
  CHECK(contains(warnings(), "the client (the same in all arms of a cell) is busier than the server"));
  result.cells.pop_back();
  CHECK(warnings() ==
        "stream: the client (openssl in every arm) is busier than the server, which is compared (1.905 x the CPU time, "
        "with boringssl): differences are damped.\n");

  // Less busy than every arm's server: nothing is damped.
  for (report::Arm& arm : result.cells[0].arms)
    for (report::Metric& metric : arm.metrics)
      if (metric.name == "cpu_client") metric.value = 1e-6;
  CHECK_FALSE(report::damping_of(result, result.cells[0]));
  CHECK(warnings() == "");
}

TEST_CASE("findings: who is compared where the relay is, and where no side's own settings are") {
  report::Result pipe = one_cell(sample::pipe_cell());
  const auto relay = report::damping_of(pipe, pipe.cells[0]);
  REQUIRE(relay);
  CHECK(relay->side == "client");
  CHECK(relay->compared == "relay");
  CHECK(relay->arms == 1);
  CHECK(relay->worst->id == "coalesce");

  // All play what is compared: nobody is a peer.
  report::Result all = one_cell(sample::stream_cell());
  for (report::Arm& arm : all.cells[0].arms) arm.settings["roles"]["client"]["backend"] = arm.backend;
  CHECK_FALSE(report::damping_of(all, all.cells[0]));

  // Ciphers as arms: the sides that the scenario gives to the backend. It must tell which.
  report::Result ciphers = stream_result();
  ciphers.cells.pop_back();
  report::Cell& cell = ciphers.cells[0];
  cell.arms.resize(3);
  for (report::Arm& arm : cell.arms) arm.settings = sample::stream_settings("boringssl", "to-server");
  const auto fixed = report::damping_of(ciphers, cell);
  REQUIRE(fixed);
  CHECK(fixed->side == "client");
  CHECK(fixed->arms == 2);
  ciphers.scenarios[0].effective["roles"]["client"]["backend"] = "backend";
  CHECK_FALSE(report::damping_of(ciphers, cell));
  ciphers.scenarios[0].effective["roles"]["client"]["backend"] = "backend";
  cell.params.emplace_back("roles.client.backend", "openssl");  // a list in [roles]: fixed in each of its cells
  CHECK(report::damping_of(ciphers, cell));
  ciphers.scenarios.clear();
  CHECK_FALSE(report::damping_of(ciphers, cell));

  // One arm alone beside the yardstick: there are no differences.
  report::Result alone = one_cell(sample::stream_cell());
  alone.cells[0].arms.erase(alone.cells[0].arms.begin() + 1, alone.cells[0].arms.begin() + 4);
  CHECK_FALSE(report::damping_of(alone, alone.cells[0]));
}

TEST_CASE("findings: values of a key are concluded backend by backend: each has a baseline of its own") {
  const auto with = [](const std::string& backend, double coalesce, double drain) {
    report::Cell cell = sample::pipe_cell();
    cell.id += "/" + backend;
    cell.arms.push_back(cell.arms[2]);
    cell.arms[3].id = "drain";
    for (report::Arm& arm : cell.arms) arm.backend = backend;
    comparison_of(cell, "per-record#2").ratio = 1;
    cell.comparisons = {sample::compared_with("per-record", "coalesce", "throughput", coalesce, "faster"),
                        sample::compared_with("per-record", "drain", "throughput", drain, "faster")};
    return cell;
  };
  std::string order;
  for (const auto& conclusion : report::conclusions(result_of({with("openssl", 2.1, 2.5), with("gnutls", 4.1, 1.9)})))
    order += conclusion.sentence.substr(0, conclusion.sentence.find(':')) + "\n";
  CHECK(order == "drain with openssl\ncoalesce with openssl\ncoalesce with gnutls\ndrain with gnutls\n");
}

TEST_CASE("findings: plaintcp at the end of a plain leg is no yardstick, a path without TLS is one") {
  report::Cell cell = sample::pipe_cell();
  for (const report::Arm& arm : cell.arms) CHECK_FALSE(report::is_yardstick(cell, arm));

  // The relay's legs as arms: without TLS on both there is nothing to rank, whichever library plays.
  report::Arm& plain = arm_of(cell, "coalesce");
  plain.proof.version = "none";
  plain.settings["relay"]["inbound"] = "plain";
  CHECK(report::is_yardstick(cell, plain));
  arm_of(cell, "per-record").proof.version.reset();  // failed before it proved anything
  CHECK_FALSE(report::is_yardstick(cell, arm_of(cell, "per-record")));
  plain.proof.version.reset();
  CHECK(report::is_yardstick(cell, plain));

  // Where all are plain they are arms like any others.
  for (report::Arm& arm : cell.arms) arm.proof.version = "none";
  for (const report::Arm& arm : cell.arms) CHECK_FALSE(report::is_yardstick(cell, arm));

  // A backend that another arm has proved to have no TLS.
  report::Cell stream = sample::stream_cell();
  report::Arm failed = arm_of(stream, "plaintcp");
  failed.id = "plaintcp-too";
  failed.proof.version.reset();
  stream.arms.push_back(failed);
  CHECK(report::is_yardstick(stream, stream.arms.back()));
}
