// The tests of core/workloads: what they share, and the way in.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <thread>

#include <tlsrig/credentials/credentials.hpp>
#include <tlsrig/measure/clock.hpp>

#include "workloads_support.hpp"

namespace tlsrig::tests {

namespace {

using workloads::Slice;

std::filesystem::path plugin_under_test() {
  const char* const name = std::getenv("TLSRIG_TEST_BACKEND");
  return std::filesystem::path(TLSRIG_TEST_PLUGINS) / (std::string(name ? name : "") + ".so");
}

// Runs the steps of a role and keeps what it threw.
void keep_failure(RoleRun& run, const std::function<void()>& steps) {
  try {
    steps();
  } catch (const workloads::StepError& error) {
    run.kind = error.kind;
    run.failure = error.what();
  } catch (const host::Unsupported& error) {
    run.unsupported = true;
    run.failure = error.what();
  } catch (const std::exception& error) {
    run.kind = "another exception";
    run.failure = error.what();
  }
}

void count(RoleRun& run, const workloads::SliceCount& count) {
  run.operations += count.operations;
  run.seconds += count.seconds;
  if (count.client_share) run.client_shares.push_back(*count.client_share);
}

std::vector<Slice> next_slices(unsigned slices) {
  std::vector<Slice> intervals;
  std::int64_t begin = measure::now_ns() + 3'000'000;
  for (unsigned i = 0; i < slices; ++i, begin += 12'000'000) intervals.push_back({begin, begin + 8'000'000});
  return intervals;
}

}  // namespace

const host::Backend& backend_under_test() {
  static const host::Backend backend = host::Backend::load(plugin_under_test());
  return backend;
}

const host::Backend& faulty_backend() {
  static const host::Backend backend = host::Backend::load(TLSRIG_TEST_FAULTY);
  return backend;
}

workloads::CertificatePaths certificates(const std::string& kind, unsigned trust_anchors) {
  const credentials::Credentials made = credentials::ensure(kind, trust_anchors);
  return {made.server_chain, made.server_key, made.client_chain, made.client_key, made.trust, credentials::server_name};
}

workloads::Assignment assignment_for(const host::Backend& backend, scenario::Workload workload) {
  workloads::Assignment assignment;
  assignment.role = "engine";
  assignment.settings.workload = workload;
  assignment.client = assignment.server = &backend;
  if (!backend.plain()) assignment.certificates = certificates();
  assignment.placement_seed = 20;
  pin(assignment, "1.3", "TLS_AES_128_GCM_SHA256", "x25519");
  return assignment;
}

void pin(workloads::Assignment& assignment, const std::string& version, const std::string& cipher,
         const std::string& group) {
  assignment.settings.tls.version = version;
  assignment.settings.tls.cipher = cipher;
  assignment.settings.tls.group = group;
}

EchoRun run_echo(const workloads::Assignment& assignment, unsigned slices) {
  EchoRun run;
  const Control control;
  std::promise<std::uint16_t> port;
  std::promise<std::vector<Slice>> intervals;
  std::promise<void> measured;  // the rig asks for the end when both have done their slices
  workloads::Assignment server = assignment, client = assignment;
  server.role = "server";
  client.role = "client";
  server.control_fd = client.control_fd = control.fd();

  // Both live until both have come to their end, as workers do: a step that fails must end the other side by itself.
  std::unique_ptr<workloads::Participant> server_role, client_role;
  std::thread thread([&] {
    bool told = false, done = false;
    keep_failure(run.server, [&] {
      server_role = workloads::make_participant(server);
      auto& role = server_role;
      run.server.prepared = role->prepare();
      told = true;
      port.set_value(run.server.prepared.at("port").get<std::uint16_t>());
      run.server.connected = role->connect({});
      run.server.warmed = role->warm_up({});
      for (const Slice& slice : intervals.get_future().get()) count(run.server, role->slice(slice));
      done = true;
      measured.set_value();
      run.server.finished = role->finish();
    });
    if (!told) port.set_value(0);
    if (!done) measured.set_value();
  });
  bool told = false;
  keep_failure(run.client, [&] {
    client_role = workloads::make_participant(client);
    auto& role = client_role;
    run.client.prepared = role->prepare();
    run.client.connected = role->connect({{"port", port.get_future().get()}});
    const std::int64_t now = measure::now_ns();
    run.client.warmed = role->warm_up({now, now + 10'000'000});
    const std::vector<Slice> agreed = next_slices(slices);
    told = true;
    intervals.set_value(agreed);
    control.signal();
    for (const Slice& slice : agreed) count(run.client, role->slice(slice));
    measured.get_future().wait();
    run.client.finished = role->finish();
  });
  if (!told) intervals.set_value({});
  control.signal();
  thread.join();
  return run;
}

PairRun run_one_way(const workloads::Assignment& assignment, unsigned slices) {
  PairRun run;
  const Control control;
  workloads::Assignment server = assignment, client = assignment;
  server.role = "server";
  client.role = "client";
  server.control_fd = client.control_fd = control.fd();
  const bool client_sends = scenario::is_source(assignment.settings, "client");
  RoleRun& source = client_sends ? run.client : run.server;
  RoleRun& sink = client_sends ? run.server : run.client;
  std::unique_ptr<workloads::Participant> server_role, client_role;

  // One step of both at once; each comes to its end by itself, whatever becomes of the other.
  const auto both = [&](auto&& at_server, auto&& at_client) {
    std::thread thread([&] { keep_failure(run.server, at_server); });
    keep_failure(run.client, at_client);
    thread.join();
    return run.server.failure.empty() && run.client.failure.empty();
  };
  const auto step = [&](auto&& part) {
    return both([&] { part(*server_role, run.server); }, [&] { part(*client_role, run.client); });
  };
  const auto made = both(
      [&] {
        server_role = workloads::make_participant(server);
        run.server.prepared = server_role->prepare();
      },
      [&] {
        client_role = workloads::make_participant(client);
        run.client.prepared = client_role->prepare();
      });
  if (!made) return run;
  const workloads::Json found{{"port", run.server.prepared.at("port")}};
  if (!step([&](auto& role, RoleRun& of) { of.connected = role.connect(found); })) return run;

  const std::int64_t now = measure::now_ns();
  const bool warm = step([&](auto& role, RoleRun& of) {
    keep_failure(of, [&] { of.warmed = role.warm_up({now, now + 10'000'000}); });
    if (&of == &source) control.signal();
  });
  if (!warm) return run;
  const auto sent = source.warmed.at("bytes_sent").template get<std::uint64_t>();
  keep_failure(sink, [&] { sink.settled = (client_sends ? server_role : client_role)->settle(sent); });
  if (!sink.failure.empty()) return run;

  const std::vector<Slice> agreed = next_slices(slices);
  const bool measured = step([&](auto& role, RoleRun& of) {
    for (const Slice& slice : agreed) count(of, role.slice(slice));
  });
  if (measured) step([&](auto& role, RoleRun& of) { of.finished = role.finish(); });
  return run;
}

RoleRun run_engine(const workloads::Assignment& assignment, unsigned slices) {
  RoleRun run;
  keep_failure(run, [&] {
    const auto role = workloads::make_participant(assignment);
    run.prepared = role->prepare();
    run.connected = role->connect({});
    run.warmed = role->warm_up({0, measure::now_ns() + 3'000'000});
    for (unsigned i = 0; i < slices; ++i) {
      const std::int64_t now = measure::now_ns();
      count(run, role->slice({now, now + 3'000'000}));
    }
    run.finished = role->finish();
  });
  return run;
}

Control::Control() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
Control::~Control() { ::close(fd_); }
void Control::signal() const { ::eventfd_write(fd_, 1); }

}  // namespace tlsrig::tests

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // as workers do
  const char* const backend = std::getenv("TLSRIG_TEST_BACKEND");
  if (backend && *backend && !std::filesystem::exists(tlsrig::tests::plugin_under_test())) {
    std::printf("skipped: the backend %s is not built\n", backend);
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
