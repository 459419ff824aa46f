// Backends with each other: every client x server pair in one process, and every order of loading.
//
//   test_interop pairs --plugins DIR --backends a,b,c --transport wire|fd [--tally FILE]
//   test_interop resumption --plugins DIR --backends a,b,c --transport wire|fd [--tally FILE]
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

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/resumption.hpp>
#include <tlsrig/check/step.hpp>
#include <tlsrig/check/tally.hpp>
#include <tlsrig/scenario/suites.hpp>

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

constexpr const char* groups[] = {"x25519", "secp256r1", "secp384r1"};

struct Case {
  std::uint32_t protocol;
  std::string cipher, group, certificate;

  std::string title() const {
    return fmt::format("{} {}{}", cipher, tlsrig::scenario::has_group(cipher) ? group + " " : "", certificate);
  }
};

credentials::Credentials made(const std::string& certificate) {
  return certificate == "40-kib" ? credentials::ensure_large("ecdsa-p256") : credentials::ensure(certificate);
}

// Every suite that a scenario may name with every group, under the certificate that fits. A TLS 1.3 suite does not say
// which: ECDSA with every group, RSA with the first. RSA-3072 and the certificates of 40 KiB once in each version, as
// they are a matter of the handshake's certificates alone. Static RSA has no group.
std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const tlsrig::scenario::Suite& suite : tlsrig::scenario::suites) {
    const std::uint32_t protocol = suite.version == "1.3" ? TLSRIG_TLS_1_3 : TLSRIG_TLS_1_2;
    const std::string cipher(suite.name);
    const bool rsa = suite.key == tlsrig::scenario::KeyKind::rsa, first = cipher.find("AES_128_GCM") != cipher.npos;
    for (const char* const group : groups)
      if (suite.has_group || group == groups[0])
        cases.push_back({protocol, cipher, group, rsa ? "rsa-2048" : "ecdsa-p256"});
    if (protocol == TLSRIG_TLS_1_3) cases.push_back({protocol, cipher, groups[0], "rsa-2048"});
    if (first && suite.has_group && (rsa || protocol == TLSRIG_TLS_1_3))
      cases.push_back({protocol, cipher, groups[0], "rsa-3072"});
    if (first && !rsa) cases.push_back({protocol, cipher, groups[0], "40-kib"});
  }
  return cases;
}

// Over sockets the records are the same and their way is another: one suite for each version.
std::vector<Case> one_case_each() {
  return {{TLSRIG_TLS_1_2, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", groups[0], "ecdsa-p256"},
          {TLSRIG_TLS_1_3, "TLS_AES_128_GCM_SHA256", groups[0], "ecdsa-p256"}};
}

using Count = std::map<check::Verdict, unsigned>;

// Clients down, servers across: passes, failures and skips of a version.
std::string table(const std::vector<host::Backend>& backends, const std::map<std::string, Count>& counts,
                  const char* version) {
  std::string text = fmt::format("{:<22}", fmt::format("TLS {} client \\ server", version));
  for (const host::Backend& server : backends) text += fmt::format("{:>24}", server.name());
  for (const host::Backend& client : backends) {
    text += fmt::format("\n{:<22}", client.name());
    for (const host::Backend& server : backends) {
      const Count& count = counts.at(fmt::format("{} {} {}", client.name(), server.name(), version));
      const auto of = [&](check::Verdict verdict) { return count.contains(verdict) ? count.at(verdict) : 0; };
      text += fmt::format("{:>24}", fmt::format("{} pass {} fail {} skip", of(check::Verdict::pass),
                                                of(check::Verdict::fail), of(check::Verdict::skip)));
    }
  }
  return text + '\n';
}

// One line a cell, and a table for each version.
bool run_pairs(const Arguments& arguments, const std::vector<std::string>& names, check::Tally& tally) {
  check::Pair pair;
  pair.transport = tests::transport_of(arguments);
  std::vector<host::Backend> backends;
  for (const std::string& name : names) backends.push_back(host::Backend::load(file_of(arguments, name)));

  std::map<std::string, Count> counts;
  for (const Case& now : pair.transport == TLSRIG_WIRE ? every_case() : one_case_each()) {
    pair.protocol = now.protocol;
    pair.cipher = now.cipher;
    pair.group = now.group;
    pair.credentials = made(now.certificate);
    const char* const version = now.protocol == TLSRIG_TLS_1_3 ? "1.3" : "1.2";
    for (const host::Backend& client : backends)
      for (const host::Backend& server : backends) {
        pair.client = &client;
        pair.server = &server;
        const check::Outcome outcome = check::interoperate(pair);
        tally.add(fmt::format("{} -> {} {}", client.name(), server.name(), now.title()), outcome);
        ++counts[fmt::format("{} {} {}", client.name(), server.name(), version)][outcome.verdict];
      }
  }
  fmt::print("\n{}\n{}\n", table(backends, counts, "1.2"), table(backends, counts, "1.3"));
  tally.print_summary();
  return !tally.failed();
}

// A session of every client resumed by every server, in each of the three ways there are.
bool run_resumption(const Arguments& arguments, const std::vector<std::string>& names, check::Tally& tally) {
  struct Way {
    const char* title;
    check::Means means;
    Case pinned;
  };
  const std::vector<Case> cases = one_case_each();
  const Way ways[] = {{"TLS 1.2 session id", check::Means::session_id, cases[0]},
                      {"TLS 1.2 ticket", check::Means::ticket, cases[0]},
                      {"TLS 1.3 ticket", check::Means::ticket, cases[1]}};
  std::vector<host::Backend> backends;
  for (const std::string& name : names) backends.push_back(host::Backend::load(file_of(arguments, name)));
  check::Pair pair;
  pair.transport = tests::transport_of(arguments);
  for (const Way& way : ways)
    for (const host::Backend& client : backends)
      for (const host::Backend& server : backends) {
        pair = {&client,           &server,          way.pinned.protocol,         pair.transport,
                way.pinned.cipher, way.pinned.group, made(way.pinned.certificate)};
        tally.add(fmt::format("{} -> {} {}", client.name(), server.name(), way.title), check::resume(pair, way.means));
      }
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

bool run_load_order(const Arguments& arguments, const std::vector<std::string>& names, check::Tally& tally) {
  std::map<std::string, std::string> alone;
  for (const std::string& name : names)
    for (const auto& [key, text] : portraits_in_a_process(arguments, {name})) {
      fmt::print("alone: {}\n", text);
      if (key == "failed") return false;
      alone[key] = text;
    }

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
  check::Tally tally = tests::tally_of(arguments);
  for (const std::string& name : names)
    if (!tests::is_built(arguments, name, tally)) return tests::exit_not_built;
  if (mode == "pairs") return run_pairs(arguments, names, tally) ? 0 : 1;
  if (mode == "resumption") return run_resumption(arguments, names, tally) ? 0 : 1;
  if (mode == "load-order") return run_load_order(arguments, names, tally) ? 0 : 1;
  throw std::runtime_error("neither pairs, resumption nor load-order: " + mode);
}

}  // namespace

int main(int argc, char** argv) {
  return tests::run_as_main("test_interop", [&] {
    return run(argc > 1 ? argv[1] : "", tests::parsed(argc, argv, 2, {"--plugins", "--backends"}));
  });
}
