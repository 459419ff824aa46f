// Backends with each other: every client x server pair in one process, and every order of loading.
//
//   test_interop pairs --plugins DIR --backends a,b,c --transport wire|fd
//   test_interop load-order --plugins DIR --backends a,b,c
#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tlsrig/check/conversation.hpp>
#include <tlsrig/check/step.hpp>
#include <tlsrig/check/tally.hpp>

#include "support/contract.hpp"

namespace {

namespace check = tlsrig::check;
namespace credentials = tlsrig::credentials;
namespace host = tlsrig::host;
namespace tests = tlsrig::tests;
using tests::Arguments;
using tests::file_of;

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

struct Case {
  std::uint32_t protocol;
  const char* cipher;
  const char* group;
  const char* certificate;
};

constexpr Case cases[] = {
    {TLSRIG_TLS_1_2, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "x25519", "ecdsa-p256"},
    {TLSRIG_TLS_1_2, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "x25519", "rsa-2048"},
    {TLSRIG_TLS_1_2, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "secp256r1", "rsa-2048"},
    {TLSRIG_TLS_1_3, "TLS_AES_128_GCM_SHA256", "x25519", "ecdsa-p256"},
    {TLSRIG_TLS_1_3, "TLS_AES_128_GCM_SHA256", "x25519", "rsa-2048"},
    {TLSRIG_TLS_1_3, "TLS_AES_128_GCM_SHA256", "secp256r1", "ecdsa-p256"},
};

const char* words(check::Verdict verdict) {
  return verdict == check::Verdict::pass ? "pass" : verdict == check::Verdict::fail ? "FAIL" : "skip";
}

// One table per case: clients down, servers across.
bool run_pairs(const Arguments& arguments, const std::vector<std::string>& names) {
  check::Pair pair;
  pair.transport = tests::transport_of(arguments);
  std::vector<host::Backend> backends;
  for (const std::string& name : names) backends.push_back(host::Backend::load(file_of(arguments, name)));

  check::Tally tally;
  std::string tables;
  for (const Case& now : cases) {
    const std::string title =
        fmt::format("{} {} {}", now.cipher, now.group, now.protocol == TLSRIG_TLS_1_3 ? now.certificate : "TLS 1.2");
    tables += fmt::format("\n{}\n{:<18}", title, "client \\ server");
    for (const host::Backend& server : backends) tables += fmt::format("{:<12}", server.name());
    pair.protocol = now.protocol;
    pair.cipher = now.cipher;
    pair.group = now.group;
    pair.credentials = credentials::ensure(now.certificate);
    for (const host::Backend& client : backends) {
      tables += fmt::format("\n{:<18}", client.name());
      for (const host::Backend& server : backends) {
        pair.client = &client;
        pair.server = &server;
        const check::Outcome outcome = check::interoperate(pair);
        tally.add(fmt::format("{} -> {} {}", client.name(), server.name(), title), outcome);
        tables += fmt::format("{:<12}", words(outcome.verdict));
      }
    }
    tables += '\n';
  }
  fmt::print("{}\n", tables);
  tally.print_summary();
  return !tally.failed();
}

// What a backend is and negotiates with itself: the same whatever else is loaded.
std::string portrait(const host::Backend& backend, const credentials::Credentials& trusted) {
  std::string text = fmt::format("{} ({})", backend.name(), backend.info().library);
  for (const host::LibraryFile& file : backend.files())
    text += fmt::format("\n  {} {}", file.path.string(), file.build_id);
  check::Setup setup;
  setup.backend = &backend;
  setup.transport = TLSRIG_WIRE;
  for (const std::uint32_t protocol : {TLSRIG_TLS_1_2, TLSRIG_TLS_1_3}) {
    check::Established stand(setup, check::as_shipped(protocol, trusted), check::both_over(TLSRIG_WIRE));
    check::exchange(stand.bench, 1000);
    const tlsrig_facts facts = stand.client().describe();
    text += fmt::format("\n  {} {}", facts.cipher ? facts.cipher : "?", facts.group ? facts.group : "?");
    check::end_orderly(stand.bench);
  }
  return text;
}

// Loads backends in this order in a process of their own; returns their portraits, in the order of their names.
std::map<std::string, std::string> portraits_in_a_process(const Arguments& arguments,
                                                          const std::vector<std::string>& order) {
  const credentials::Credentials trusted = credentials::ensure("ecdsa-p256");
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    close(ends[0]);
    std::string text;
    try {
      std::vector<host::Backend> backends;
      for (const std::string& name : order) backends.push_back(host::Backend::load(file_of(arguments, name)));
      for (const host::Backend& backend : backends)
        text += std::string(backend.name()) + '\1' + portrait(backend, trusted) + '\1';
    } catch (const std::exception& exception) {
      text += std::string("failed") + '\1' + exception.what() + '\1';
    }
    const bool written = write(ends[1], text.data(), text.size()) == ssize_t(text.size());
    _exit(written ? 0 : 1);  // no handlers of the libraries: they are the business of another test
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, std::size_t(size));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  std::map<std::string, std::string> portraits;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t middle = text.find('\1', at), end = text.find('\1', middle + 1);
    portraits[text.substr(at, middle - at)] = text.substr(middle + 1, end - middle - 1);
    at = end + 1;
  }
  if (WIFSIGNALED(status)) portraits["failed"] = fmt::format("the process ended by signal {}", WTERMSIG(status));
  return portraits;
}

bool run_load_order(const Arguments& arguments, const std::vector<std::string>& names) {
  std::map<std::string, std::string> alone;
  for (const std::string& name : names)
    for (const auto& [key, text] : portraits_in_a_process(arguments, {name})) {
      fmt::print("alone: {}\n", text);
      if (key == "failed") return false;
      alone[key] = text;
    }

  check::Tally tally;
  std::vector<std::string> order = names;
  std::sort(order.begin(), order.end());
  do {
    check::Outcome outcome;
    for (const auto& [key, text] : portraits_in_a_process(arguments, order))
      if (key == "failed" || text != alone[key])
        outcome = {check::Verdict::fail, fmt::format("{}\n differs from alone:\n{}", text, alone[key])};
    tally.add(fmt::format("{}", fmt::join(order, ", ")), outcome);
  } while (std::next_permutation(order.begin(), order.end()));
  tally.print_summary();
  return !tally.failed();
}

int run(const std::string& mode, const Arguments& arguments) {
  const std::vector<std::string> names = split(arguments.at("--backends"));
  if (names.size() < 2) throw std::runtime_error("--backends needs at least two names");
  for (const std::string& name : names)
    if (!tests::is_built(arguments, name)) return tests::exit_not_built;
  if (mode == "pairs") return run_pairs(arguments, names) ? 0 : 1;
  if (mode == "load-order") return run_load_order(arguments, names) ? 0 : 1;
  throw std::runtime_error("neither pairs nor load-order: " + mode);
}

}  // namespace

int main(int argc, char** argv) {
  return tests::run_as_main("test_interop", [&] {
    return run(argc > 1 ? argv[1] : "", tests::parsed(argc, argv, 2, {"--plugins", "--backends"}));
  });
}
