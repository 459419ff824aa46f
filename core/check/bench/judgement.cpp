// The words of answers, errors and skips.
#include <tlsrig/check/bench/judgement.hpp>

#include <cctype>
#include <cstring>

#include <tlsrig/host/failure.hpp>

namespace tlsrig::check {

void retell(const std::exception& fault, const std::string& words) {
  const auto* const failed = dynamic_cast<const Failed*>(&fault);
  throw Failed(words, failed ? failed->rule : Rule{});
}

Outcome outcome_of(const Failed& failed) {
  return {Verdict::fail, failed.what(), std::string(failed.rule.law), std::string(failed.rule.cure)};
}

std::string name_of(tlsrig_result result) {
  static constexpr const char* names[] = {"OK", "WANT_READ", "WANT_WRITE", "CLOSED", "ERROR", "UNSUPPORTED"};
  if (result >= TLSRIG_OK && result <= TLSRIG_UNSUPPORTED) return names[result];
  return fmt::format("{}, which is no answer of the contract", result);
}

std::string name_of_kind(std::int32_t kind) {
  if (kind < TLSRIG_ERROR_OTHER || kind > TLSRIG_ERROR_CONFIG)
    return fmt::format("{}, which is no kind of the contract", kind);
  std::string name(host::kind_name(kind));
  for (char& letter : name) letter = static_cast<char>(std::toupper(letter));  // as the contract's header has it
  return name;
}

std::string name_of_protocol(std::uint32_t protocol) {
  if (protocol == TLSRIG_TLS_1_2) return "TLS 1.2";
  if (protocol == TLSRIG_TLS_1_3) return "TLS 1.3";
  return protocol == 0 ? "plain" : fmt::format("protocol {}", protocol);
}

std::string described(const tlsrig_facts& facts) {
  if (facts.protocol == 0 && !facts.cipher) return "plain";
  return fmt::format("{}, {}, {}", name_of_protocol(facts.protocol), facts.cipher ? facts.cipher : "cipher not told",
                     facts.group ? facts.group : "group not told");
}

std::string words_of(const tlsrig_error& error) {
  const std::string text(error.text, strnlen(error.text, sizeof error.text));
  const std::string alert = error.alert >= 0 ? fmt::format(", alert {}", error.alert) : "";
  return fmt::format("{}{}: {}", name_of_kind(error.kind), alert, text.empty() ? "(no text)" : text);
}

std::string complaint_about(const tlsrig_error& error) {
  const std::size_t size = strnlen(error.text, sizeof error.text);
  if (size == sizeof error.text) return "the error's text has no NUL within its 240 bytes";
  if (size == 0) return "the error has no text (law 8: calls report into the error given to open)";
  if (error.kind < TLSRIG_ERROR_OTHER || error.kind > TLSRIG_ERROR_CONFIG)
    return fmt::format("the error's kind is {}", name_of_kind(error.kind));
  if (error.alert < -1 || error.alert > 255)
    return fmt::format("the error's alert is {}, neither -1 nor an alert number", error.alert);
  return {};
}

bool chooses_ciphers(const Setup& setup) {
  for (const char* const* cipher = setup.backend->info().ciphers; cipher && *cipher; ++cipher) {
    const bool tls13 = !std::strstr(*cipher, "_WITH_");
    if (tls13 == (setup.protocol == TLSRIG_TLS_1_3)) return true;
  }
  return false;
}

void skip_where_ciphers_are_no_choice(const Setup& setup, const char* negotiated) {
  if (!chooses_ciphers(setup))
    skip("cannot choose {} ciphers (negotiated {})", name_of_protocol(setup.protocol), negotiated);
}

void skip_unless_tls(const Setup& setup) {
  if (setup.protocol == 0) skip("not TLS");
}

void skip_unless_wire(const Setup& setup, const char* why) {
  if (setup.transport != TLSRIG_WIRE) skip("{}", why);
}

void skip_unless_socket(const Setup& setup, const char* why) {
  if (setup.transport != TLSRIG_FD) skip("{}", why);
}

}  // namespace tlsrig::check
