// What tests of the workloads share: the backend under test, settings, and a run of both roles of a workload over
// sockets in two threads of this process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::tests {

// The backend that TLSRIG_TEST_BACKEND names, loaded once.
const host::Backend& backend_under_test();

// The plain backend whose faults TLSRIG_FAULT asks for.
const host::Backend& faulty_backend();

// Credentials of this kind from the cache of the tests, with so many roots in the trust file.
workloads::CertificatePaths certificates(const std::string& kind = "ecdsa-p256", unsigned trust_anchors = 1);

// An assignment for both sides of `backend`: TLS 1.3, AES-128-GCM, x25519, the server verified.
workloads::Assignment assignment_for(const host::Backend& backend, scenario::Workload workload);

void pin(workloads::Assignment& assignment, const std::string& version, const std::string& cipher,
         const std::string& group);

// What became of one role.
struct RoleRun {
  workloads::Json prepared, connected, warmed, settled, finished;
  std::uint64_t operations = 0;
  double seconds = 0;
  std::vector<double> client_shares;  // of an engine, of each slice
  bool unsupported = false;
  std::string kind, failure;  // of a StepError; empty when all steps were done
};

struct PairRun {
  RoleRun server, client;
};
using EchoRun = PairRun;

// Runs both roles of echo: a short warm-up, a few short slices, the end.
EchoRun run_echo(const workloads::Assignment& assignment, unsigned slices = 3);

// Runs source and sink of a one-way workload likewise, step by step as the rig does.
PairRun run_one_way(const workloads::Assignment& assignment, unsigned slices = 3);

// Runs an engine likewise.
RoleRun run_engine(const workloads::Assignment& assignment, unsigned slices = 2);

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// The StepError that a step throws: "kind: text".
template <class Step>
std::string failure_of(Step&& step) {
  try {
    step();
  } catch (const workloads::StepError& error) {
    return error.kind + ": " + error.what();
  }
  return "no failure";
}

// An eventfd, for what a role is told by.
class Control {
 public:
  Control();
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  int fd() const { return fd_; }
  void signal() const;

 private:
  int fd_;
};

}  // namespace tlsrig::tests
