// The tests of counting: what they share, the driver that strace looks at, and the way in.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include <tlsrig/abi/resumption.h>
#include <tlsrig/credentials/credentials.hpp>
#include <tlsrig/host/session.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/net/epoll.hpp>
#include <tlsrig/workloads/sockets/sockets.hpp>
#include <tlsrig/workloads/sockets/transport.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

#include "counting_support.hpp"
#include "support/temporary.hpp"

namespace tlsrig::tests {

const host::Backend* backend(const std::string& name) {
  static std::map<std::string, host::Backend> loaded;
  const bool fixture = name == "lying" || name == "raw_calls";
  const auto file = std::filesystem::path(fixture ? TLSRIG_TEST_FIXTURES : TLSRIG_TEST_PLUGINS) / (name + ".so");
  if (!exists(file)) return nullptr;
  auto found = loaded.find(name);
  if (found == loaded.end()) found = loaded.emplace(name, host::Backend::load(file)).first;
  return &found->second;
}

workloads::CertificatePaths certificates(const std::string& kind) {
  const credentials::Credentials made = credentials::ensure(kind);
  return {made.server_chain, made.server_key, made.client_chain, made.client_key, made.trust, credentials::server_name};
}

workloads::Assignment assignment_for(const host::Backend& backend, scenario::Workload workload) {
  workloads::Assignment assignment;
  assignment.settings.workload = workload;
  assignment.client = assignment.server = &backend;
  if (!backend.plain()) assignment.certificates = certificates();
  assignment.placement_seed = 20;
  assignment.settings.tls.cipher = "TLS_AES_128_GCM_SHA256";
  return assignment;
}

namespace {

// Two sessions whose windows are buffers that only grow: nothing is lost to look at.
class FlatWires {
 public:
  static constexpr std::size_t size = 1 << 18;
  FlatWires() {
    client.out = to_server.data();
    server.out = to_client.data();
    client.out_size = server.out_size = size;
    client.in = to_client.data();
    server.in = to_server.data();
  }
  void carry() {
    client.in_size = server.out_used;
    server.in_size = client.out_used;
  }
  std::vector<std::uint8_t> to_server = std::vector<std::uint8_t>(size), to_client = std::vector<std::uint8_t>(size);
  tlsrig_wire client{}, server{};
};

struct Ends {
  FlatWires wires;
  tlsrig_error client_error{}, server_error{};
  tlsrig_session* client = nullptr;
  std::optional<host::Session> server;
};

[[noreturn]] void fail(const char* what, const Ends& ends) {
  throw std::runtime_error(
      fmt::format("{}: client: {}; server: {}", what, ends.client_error.text, ends.server_error.text));
}

void converse_once(const tlsrig_backend& table, Ends& ends) {
  bool client_done = false, server_done = false;
  for (int turn = 0; turn < 20 && !(client_done && server_done); ++turn) {
    const auto step = [&](bool& done, tlsrig_result result) {
      done = result == TLSRIG_OK;
      if (!done && result != TLSRIG_WANT_READ) fail("handshake", ends);
      ends.wires.carry();
    };
    if (!client_done) step(client_done, table.handshake(ends.client));
    if (!server_done) step(server_done, ends.server->handshake());
  }
  if (!client_done || !server_done) fail("handshake without end", ends);
  std::uint8_t byte = 1;
  std::size_t size = 0;
  if (table.write(ends.client, &byte, 1, &size) != TLSRIG_OK) fail("client write", ends);
  ends.wires.carry();
  if (ends.server->read(&byte, 1, size) != TLSRIG_OK) fail("server read", ends);
  if (ends.server->write(&byte, 1, size) != TLSRIG_OK) fail("server write", ends);
  ends.wires.carry();
  if (table.read(ends.client, &byte, 1, &size) != TLSRIG_OK) fail("client read", ends);
}

}  // namespace

Capture converse(const host::Backend& backend, const host::ContextOptions& client, const host::ContextOptions& server,
                 bool resume) {
  const tlsrig_backend& table = backend.table();
  const auto* const resumption = backend.extension<tlsrig_resumption>(TLSRIG_RESUMPTION);
  const host::Context client_context(backend, client), server_context(backend, server);
  tlsrig_ticket* ticket = nullptr;
  for (const bool again : resume ? std::vector<bool>{false, true} : std::vector<bool>{false}) {
    Ends ends;
    const tlsrig_transport transport{TLSRIG_WIRE, -1, &ends.wires.client};
    const tlsrig_result opened =
        again ? resumption->open(client_context.get(), &transport, nullptr, ticket, &ends.client, &ends.client_error)
              : table.open(client_context.get(), &transport, nullptr, &ends.client, &ends.client_error);
    if (opened != TLSRIG_OK) fail("open", ends);
    const std::unique_ptr<tlsrig_session, void (*)(tlsrig_session*)> closing(ends.client, table.close);
    ends.server.emplace(server_context, tlsrig_transport{TLSRIG_WIRE, -1, &ends.wires.server}, nullptr,
                        ends.server_error);
    converse_once(table, ends);
    if (resume && !again) {
      if (resumption->take(ends.client, &ticket) != TLSRIG_OK) fail("take", ends);
      continue;
    }
    tlsrig_facts facts{};
    facts.struct_size = sizeof facts;
    table.describe(ends.client, &facts);
    const auto sent = [](const std::vector<std::uint8_t>& buffer, std::size_t used) {
      return std::vector<std::uint8_t>(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(used));
    };
    return {sent(ends.wires.to_server, ends.wires.client.out_used),
            sent(ends.wires.to_client, ends.wires.server.out_used), facts.resumed == TLSRIG_YES};
  }
  throw std::logic_error("converse");
}

EchoRun run_echo(const workloads::Assignment& assignment) {
  EchoRun run;
  const int control = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  workloads::Assignment server = assignment, client = assignment;
  server.role = "server";
  client.role = "client";
  server.control_fd = client.control_fd = control;
  const auto server_role = workloads::make_participant(server), client_role = workloads::make_participant(client);
  const workloads::Json port = server_role->prepare();
  client_role->prepare();
  // Step by step, as the rig does: no step begins before both have done the one before.
  const auto both = [](auto&& server_step, auto&& client_step) {
    auto serving = std::async(std::launch::async, server_step);
    client_step();
    serving.get();
  };
  both([&] { run.server_connected = server_role->connect({}); },
       [&] {
         run.client_connected = client_role->connect({{"port", port.at("port")}});
       });
  both([&] { server_role->warm_up({}); },
       [&] {
         const std::int64_t now = measure::now_ns();
         client_role->warm_up({now, now + 5'000'000});
         ::eventfd_write(control, 1);
       });
  for (int i = 0; i < 2; ++i) {
    const std::int64_t begin = measure::now_ns() + 2'000'000;
    both(
        [&] {
          server_role->slice({begin, begin + 5'000'000});
        },
        [&] {
          client_role->slice({begin, begin + 5'000'000});
        });
  }
  both([&] { run.server_finished = server_role->finish(); }, [&] { run.client_finished = client_role->finish(); });
  ::close(control);
  return run;
}

namespace {

using workloads::complete;
using workloads::End;

template <class Transport>
void send_all(Transport& transport, const End& end, const std::uint8_t* data, std::size_t size) {
  for (std::size_t sent = 0; sent < size;) {
    std::size_t written = 0;
    complete(transport, end, "write", [&] { return transport.write(data + sent, size - sent, written); });
    sent += written;
  }
  workloads::complete_flush(transport, end, "write");
}

template <class Transport>
void receive_all(Transport& transport, const End& end, std::uint8_t* data, std::size_t size) {
  for (std::size_t got = 0; got < size;) {
    std::size_t part = 0;
    complete(transport, end, "read", [&] { return transport.read(data + got, size - got, part); });
    got += part;
  }
}

// Both ends of one connection, from handshake to close, with this many messages of 1 KiB and their replies.
template <class Transport>
net::SocketCounts drive_over(const host::Backend& backend, std::uint64_t messages) {
  const auto assignment = assignment_for(backend, scenario::Workload::echo);
  workloads::TransportOptions options;
  options.plain = backend.plain();
  options.read_size = options.write_size = 65536;
  const host::Context client_context = workloads::make_context(assignment, TLSRIG_CLIENT);
  const host::Context server_context = workloads::make_context(assignment, TLSRIG_SERVER);
  net::Listener listener({});
  net::SocketCounts counts;
  auto serving = std::async(std::launch::async, [&] {
    workloads::TransportOptions server_options = options;
    server_options.role = TLSRIG_SERVER;
    workloads::wait_for_socket(listener.fd(), TLSRIG_WANT_READ);
    Transport transport(server_context, listener.accept(), server_options);
    const End end{backend.name(), "server", 0};
    std::uint8_t message[1024];
    workloads::complete_handshake(transport, end);
    for (std::uint64_t i = 0; i < messages; ++i) {
      receive_all(transport, end, message, sizeof message);
      send_all(transport, end, message, sizeof message);
    }
    std::size_t size = 0;
    complete(transport, end, "close", [&] { return transport.read(message, sizeof message, size); });
    complete(transport, end, "shutdown", [&] { return transport.shutdown(); });
    workloads::complete_flush(transport, end, "shutdown");
    const workloads::WireCounts wire = transport.socket().counts(0, 0);
    net::end_output(transport.fd());
    if (!wire.complete) throw std::runtime_error("server: the kernel counted other bytes");
    return wire.calls;
  });
  options.server_name = workloads::server_name_for(assignment, TLSRIG_CLIENT);
  Transport transport(client_context, net::connect_local(listener.port(), {}), options);
  const End end{backend.name(), "client", 0};
  std::uint8_t message[1024] = {};
  workloads::complete_handshake(transport, end);
  for (std::uint64_t i = 0; i < messages; ++i) {
    send_all(transport, end, message, sizeof message);
    receive_all(transport, end, message, sizeof message);
  }
  workloads::close_in_order(transport, end);
  counts = transport.socket().counts(0, 0).calls;
  counts += serving.get();
  return counts;
}

// Calls that read, and calls that write.
struct Calls {
  std::uint64_t reads = 0, writes = 0;
};

// "calls name" lines, as strace -c -U calls,name prints them.
Calls parsed(const std::filesystem::path& file) {
  static const std::set<std::string> reads = {"read", "readv", "recvfrom", "recvmsg"};
  static const std::set<std::string> writes = {"write", "writev", "sendto", "sendmsg"};
  Calls calls;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::uint64_t count = 0;
    std::string name;
    if (!(words >> count >> name)) continue;
    if (reads.contains(name)) calls.reads += count;
    if (writes.contains(name)) calls.writes += count;
  }
  return calls;
}

struct Traced {
  Calls by_strace, by_us;
};

Traced traced(const std::string& backend, const std::string& transport, int messages) {
  const TemporaryDirectory directory;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      fmt::format("strace -f -qq -c -U calls,name -o '{}' '{}' --drive {} {} {} >'{}'", (directory / "strace").string(),
                  program, backend, transport, messages, (directory / "own").string());
  if (std::system(command.c_str()) != 0) throw std::runtime_error(command + " failed");
  Traced traced;
  traced.by_strace = parsed(directory / "strace");
  std::ifstream(directory / "own") >> traced.by_us.reads >> traced.by_us.writes;
  return traced;
}

}  // namespace

int drive(const std::string& name, const std::string& transport, std::uint64_t messages) {
  const host::Backend* const loaded = backend(name);
  if (!loaded) return 1;
  const net::SocketCounts counts = transport == "fd" ? drive_over<workloads::FdTransport>(*loaded, messages)
                                                     : drive_over<workloads::WireTransport>(*loaded, messages);
  std::printf("%llu %llu\n", static_cast<unsigned long long>(counts.reads),
              static_cast<unsigned long long>(counts.writes));
  return 0;
}

// The same conversation with N and 2N messages: what the process does besides is the same in both, so the differences
// are those of the connection.
int compare_with_strace(const std::string& name, const std::string& transport) {
  constexpr int messages = 100;
  if (!backend(name)) {
    std::printf("skipped: the backend %s was not built\n", name.c_str());
    return 77;
  }
  if (std::system("strace -o /dev/null true >/dev/null 2>&1") != 0) {
    std::printf("skipped: strace is missing or may not trace here (ptrace is not permitted)\n");
    return 77;
  }
  if (!backend(name)->plain()) certificates();  // made before: the making would be traced
  const Traced once = traced(name, transport, messages), twice = traced(name, transport, 2 * messages);
  const auto difference = [](std::uint64_t more, std::uint64_t less) {
    return static_cast<long long>(more) - static_cast<long long>(less);
  };
  const long long strace_reads = difference(twice.by_strace.reads, once.by_strace.reads),
                  strace_writes = difference(twice.by_strace.writes, once.by_strace.writes),
                  own_reads = difference(twice.by_us.reads, once.by_us.reads),
                  own_writes = difference(twice.by_us.writes, once.by_us.writes);
  std::printf("%s over %s, %d messages more: strace counts %lld reads and %lld writes more, tlsrig %lld and %lld\n",
              name.c_str(), transport.c_str(), messages, strace_reads, strace_writes, own_reads, own_writes);
  return strace_reads == own_reads && strace_writes == own_writes && own_writes >= 2 * messages ? 0 : 1;
}

// Reads 64 bytes into a buffer of 8, for a sanitizer to see.
int overflow() {
  std::array<int, 2> ends{};
  std::array<char, 64> bytes{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return 1;
  const net::Watch watch(ends[0], nullptr);
  if (::send(ends[1], bytes.data(), bytes.size(), 0) != 64) return 1;
  const std::unique_ptr<void, void (*)(void*)> small(std::malloc(8), std::free);
  std::printf("%zd bytes were read into 8, and nobody has seen it\n", ::recv(ends[0], small.get(), bytes.size(), 0));
  return 0;
}

}  // namespace tlsrig::tests

int main(int argc, char** argv) {
  namespace tests = tlsrig::tests;
  std::signal(SIGPIPE, SIG_IGN);  // as workers do
  ::setenv("TLSRIG_INNER_PLUGIN", TLSRIG_TEST_PLUGINS "/openssl.so", 1);
  const std::string mode = argc > 1 ? argv[1] : "";
  try {
    if (mode == "--drive" && argc == 5) return tests::drive(argv[2], argv[3], std::stoull(argv[4]));
    if (mode == "--overflow") return tests::overflow();
    if (mode == "--strace" && argc == 4) return tests::compare_with_strace(argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", mode.c_str(), error.what());
    return 1;
  }
  return doctest::Context(argc, argv).run();
}
