// Scenario files for tests: written to a directory of their own, read, and told apart by their diagnostics.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tlsrig/scenario/plan.hpp>

#include "support/temporary.hpp"

namespace scenario_test {

using namespace tlsrig::scenario;

class Directory : public tlsrig::tests::TemporaryDirectory {
 public:
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    const auto file = *this / name;
    std::ofstream stream(file, std::ios::binary);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.flush()) {
      throw std::runtime_error("cannot write " + file.string());
    }
    return file;
  }
};

inline const KnownBackends& known() {
  static const KnownBackends names{{"openssl", "boringssl", "wolfssl", "gnutls", "plaintcp"}};
  return names;
}

inline Outcome read(std::string_view text, const Overrides& overrides = {}, const std::string& name = "test.toml") {
  const Directory directory;
  return read_scenario(directory.write(name, text), overrides, known());
}

// Three lines that every scenario begins with.
inline std::string echo_head() { return "schema = 1\nworkload = \"echo\"\nbackends = [\"openssl\", \"plaintcp\"]\n"; }
inline std::string stream_head() {
  return "schema = 1\nworkload = \"stream\"\nbackends = [\"openssl\", \"plaintcp\"]\n";
}
inline std::string pipe_head() { return "schema = 1\nworkload = \"pipe\"\nbackends = [\"openssl\", \"plaintcp\"]\n"; }
inline std::string engine_head() {
  return "schema = 1\nworkload = \"engine\"\nbackends = [\"openssl\", \"plaintcp\"]\n";
}

inline std::string all_text(const Outcome& outcome) {
  std::string out;
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    out += diagnostic.what() + "\n";
  }
  return out;
}

inline std::vector<std::string> cell_ids(const ScenarioPlan& plan) {
  std::vector<std::string> ids;
  for (const CellPlan& cell : plan.cells) {
    ids.push_back(cell.id);
  }
  return ids;
}

inline std::vector<std::string> arm_ids(const CellPlan& cell) {
  std::vector<std::string> ids;
  for (const ArmPlan& arm : cell.arms) {
    ids.push_back(arm.id);
  }
  return ids;
}

// The plan of a scenario without faults.
inline ScenarioPlan plan_of(const std::string& text, const Overrides& overrides = {}) {
  Outcome outcome = read(text, overrides);
  const std::string told = all_text(outcome);
  CAPTURE(text);
  CAPTURE(told);
  REQUIRE(outcome.plan.has_value());
  CHECK(outcome.diagnostics.empty());
  return std::move(*outcome.plan);
}

// A scenario that says every key of echo.
inline const std::string full_echo = R"(schema      = 1
name        = "full"
description = "Everything."
workload    = "echo"
backends    = ["openssl", "wolfssl", "plaintcp"]
arms        = "backends"
baseline    = "wolfssl"

[roles]
client = "backend"
server = { backend = "openssl", transport = "wire" }

[socket]
nodelay        = false
send_buffer    = "256KiB"
receive_buffer = 131072
read_size      = "16KiB"

[tls]
policy      = "pinned"
version     = "1.2"
cipher      = "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"
group       = "secp384r1"
certificate = "rsa-2048"
verify      = "both"
resumption  = "off"
tickets     = 1

[traffic]
connections  = 100
message_size = "16MiB"
reply_size   = 1
pipeline     = 1024
write        = "per-message"
rate         = "closed"
threads      = 64

[measure]
warmup = "10ms"
block  = "10min"
slice  = "20ms"
blocks = { min = 1, max = 1000 }
target_precision = "0.5%"
equivalence      = "0%"
self_check = false
seed   = 9223372036854775807
)";

}  // namespace scenario_test
