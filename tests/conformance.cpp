// Every conformance step over one backend, transport and version: one line a step, exit 1 when one failed.
//
//   test_conformance --plugins DIR --backend NAME --transport wire|fd --version 1.2|1.3|none [--step REGEX]
//                    [--seed N] [--tally FILE]
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <regex.h>

#include <fmt/format.h>

#include <tlsrig/check/bench/rules.hpp>
#include <tlsrig/check/bench/settings.hpp>
#include <tlsrig/check/bench/signals.hpp>
#include <tlsrig/check/step.hpp>
#include <tlsrig/check/tally.hpp>

#include "support/contract.hpp"

namespace {

namespace check = tlsrig::check;
namespace host = tlsrig::host;
namespace tests = tlsrig::tests;

// A POSIX extended expression: gcc 12 warns inside its own <regex> when sanitizers are on.
class Pattern {
 public:
  explicit Pattern(const std::string& text) {
    if (regcomp(&expression_, text.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
      throw std::runtime_error("--step is no regular expression: " + text);
  }
  ~Pattern() { regfree(&expression_); }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  bool matches(const std::string& name) const { return regexec(&expression_, name.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t expression_;
};

// What the project promises of its own backends; a backend of someone else's may offer less.
check::Outcome offers_the_common_algorithms(const check::Setup& setup) {
  if (setup.protocol == 0) return {check::Verdict::skip, "not TLS"};
  std::vector<std::string> ciphers = {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
                                      "TLS_CHACHA20_POLY1305_SHA256"};
  if (setup.protocol == TLSRIG_TLS_1_2) {
    ciphers.clear();
    for (const char* const certificate : {"ECDSA", "RSA"})
      for (const char* const cipher : {"AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256"})
        ciphers.push_back(fmt::format("TLS_ECDHE_{}_WITH_{}", certificate, cipher));
  }
  const bool chooses = check::chooses_ciphers(setup);
  for (const std::string& cipher : ciphers)
    if (chooses && !setup.backend->has_cipher(cipher))
      return {check::Verdict::fail, "info.ciphers does not hold " + cipher};
  for (const char* const group : {"x25519", "secp256r1", "secp384r1"})
    if (!setup.backend->has_group(group))
      return {check::Verdict::fail, fmt::format("info.groups does not hold {}", group)};
  return {};
}

std::vector<check::Step> all_steps() {
  std::vector<check::Step> steps = check::steps();
  steps.push_back({"offers-the-common-algorithms", "what every backend of the project offers",
                   offers_the_common_algorithms,
                   "list the three AEAD ciphers of each version and the three groups that the shipped scenarios use"});
  return steps;
}

// Whoever reads a failure needs all three: a name to repeat it by, the law, and what to do.
void require_sentence(const std::string& what, std::string_view words) {
  constexpr std::size_t words_least = 15, words_most = 260;  // a sentence that fits on a screen of the report
  if (words.size() < words_least || words.size() > words_most || words.ends_with('.'))
    throw std::runtime_error(fmt::format("{} has {} characters ({} to {} and no full stop are due)", what, words.size(),
                                         words_least, words_most));
}

void require_well_made(const std::vector<check::Step>& steps) {
  std::set<std::string> names;
  for (const check::Step& step : steps) {
    if (step.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos || step.name.empty())
      throw std::runtime_error(fmt::format("the step {} has a name that --step could not take", step.name));
    if (!names.insert(step.name).second) throw std::runtime_error("two steps have the name " + step.name);
    require_sentence("the law of step " + step.name, step.law);
    require_sentence("the cure of step " + step.name, step.cure);
  }
  namespace rules = check::rules;
  for (const check::Rule& rule : {rules::input_used, rules::output_full, rules::nothing_inside, rules::write_takes,
                                  rules::read_gives, rules::only_lent, rules::wire_members, rules::window_bounds,
                                  rules::struct_bounds, rules::outputs_on_ok, rules::error_words, rules::answers}) {
    require_sentence(fmt::format("the rule \"{}\"", rule.law), rule.law);
    require_sentence(fmt::format("the cure of \"{}\"", rule.law), rule.cure);
  }
}

int run(const tests::Arguments& arguments) {
  const std::string& name = arguments.at("--backend");
  check::Tally tally = tests::tally_of(arguments);
  if (!tests::is_built(arguments, name, tally)) return tests::exit_not_built;
  const check::Signals signals = check::Signals::now();
  const host::Backend backend = host::Backend::load(tests::file_of(arguments, name));
  const std::uint32_t protocol =
      tests::one_of(arguments, "--version", {{"1.2", TLSRIG_TLS_1_2}, {"1.3", TLSRIG_TLS_1_3}, {"none", 0}});
  if (backend.plain() != (protocol == 0))
    throw std::runtime_error(fmt::format(
        "{} {}", name,
        backend.plain() ? "has no TLS: its --version is none" : "is no plain backend: its --version is 1.2 or 1.3"));
  check::Setup setup =
      check::setup_without_backend(protocol, arguments.count("--seed") ? std::stoull(arguments.at("--seed")) : 1);
  setup.backend = &backend;
  setup.signals_before = &signals;
  setup.transport = tests::transport_of(arguments);
  setup.protocol = protocol;

  const std::string pattern = arguments.count("--step") ? arguments.at("--step") : ".*";
  const Pattern wanted(pattern);
  std::size_t ran = 0;
  const std::vector<check::Step> steps = all_steps();
  require_well_made(steps);
  for (const check::Step& step : steps) {
    if (!wanted.matches(step.name)) continue;
    check::Outcome outcome = step.run(setup);
    if (outcome.verdict == check::Verdict::fail)
      outcome.words += fmt::format(" [{}]", outcome.law.empty() ? step.law : outcome.law);
    tally.add(step.name, outcome);
    ++ran;
  }
  if (ran == 0) throw std::runtime_error("no step has a name like " + pattern);
  tally.print_summary();
  return tally.failed() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tests::run_as_main("test_conformance", [&] {
    return run(tests::parsed(argc, argv, 1, {"--plugins", "--backend", "--transport", "--version"}));
  });
}
