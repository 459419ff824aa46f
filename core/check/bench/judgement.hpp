// How a step says what it found: a step throws Failed, Warned or Skipped with its words, and `judged` makes an Outcome
// of it. Inside a step an exception keeps every function free of passing results on; none leaves the step.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/check/bench/rules.hpp>
#include <tlsrig/check/step.hpp>
#include <tlsrig/host/context.hpp>
#include <tlsrig/host/numbers.hpp>

namespace tlsrig::check {

struct Failed : std::runtime_error {
  explicit Failed(const std::string& words, const Rule& broken = {}) : std::runtime_error(words), rule(broken) {}
  Rule rule;  // what was broken, where it is not what the step is about
};

// What works, but should not be as it is.
struct Warned : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Skipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class... Arguments>
[[noreturn]] void fail(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw Failed(fmt::format(text, std::forward<Arguments>(arguments)...));
}

template <class... Arguments>
[[noreturn]] void fail(const Rule& broken, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw Failed(fmt::format(text, std::forward<Arguments>(arguments)...), broken);
}

template <class... Arguments>
[[noreturn]] void skip(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw Skipped(fmt::format(text, std::forward<Arguments>(arguments)...));
}

template <class... Arguments>
[[noreturn]] void warn(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw Warned(fmt::format(text, std::forward<Arguments>(arguments)...));
}

template <class... Arguments>
void require(bool held, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  if (!held) throw Failed(fmt::format(text, std::forward<Arguments>(arguments)...));
}

template <class... Arguments>
void require(bool held, const Rule& rule, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  if (!held) throw Failed(fmt::format(text, std::forward<Arguments>(arguments)...), rule);
}

// The same fault in other words; which law was broken stays with it.
[[noreturn]] void retell(const std::exception& fault, const std::string& words);

// "WANT_READ"; "4711, which is no answer of the contract".
std::string name_of(tlsrig_result result);

// "CERTIFICATE"; an unknown number in words.
std::string name_of_kind(std::int32_t kind);

// "TLS 1.3"; "plain".
std::string name_of_protocol(std::uint32_t protocol);

// "TLS 1.3, TLS_AES_128_GCM_SHA256, x25519"; "plain".
std::string described(const tlsrig_facts& facts);

using host::with_commas;

// "CERTIFICATE, alert 42: hostname mismatch".
std::string words_of(const tlsrig_error& error);

// What is wrong with an error that came with ERROR or UNSUPPORTED (law 8); empty when nothing is.
std::string complaint_about(const tlsrig_error& error);

// FAIL, in its words and with its law.
Outcome outcome_of(const Failed& failed);

// What a body came to. It returns nothing, or the words of its PASS, and throws what it found.
template <class Body>
Outcome outcome_of_body(Body&& body) {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return {};
    } else {
      return {Verdict::pass, body()};
    }
  } catch (const Skipped& skipped) {
    return {Verdict::skip, skipped.what()};
  } catch (const Warned& warned) {
    return {Verdict::warn, warned.what()};
  } catch (const Failed& failed) {
    return outcome_of(failed);
  } catch (const host::Unsupported& unsupported) {
    return {Verdict::fail, fmt::format("UNSUPPORTED where every backend must do it: {}", unsupported.what())};
  } catch (const std::exception& exception) {
    return {Verdict::fail, exception.what()};
  }
}

// A step's body as a plain function. UNSUPPORTED is a failure here: a step about something that a library may lack says
// so with `unless_unsupported`.
template <auto Body>
Outcome judged(const Setup& setup) {
  return outcome_of_body([&] { return Body(setup); });
}

// The same for a pair of backends, either of which may lack what is asked: there UNSUPPORTED skips.
template <class Body>
Outcome judged_pair(Body&& body) {
  try {
    body();
    return {};
  } catch (const Skipped& skipped) {
    return {Verdict::skip, skipped.what()};
  } catch (const host::Unsupported& unsupported) {
    return {Verdict::skip, fmt::format("UNSUPPORTED: {}", unsupported.what())};
  } catch (const Failed& failed) {
    return outcome_of(failed);
  } catch (const std::exception& exception) {
    return {Verdict::fail, exception.what()};
  }
}

// Runs something that a library may be unable to do: UNSUPPORTED skips the step in the backend's own words.
template <class Function>
auto unless_unsupported(Function&& function) {
  try {
    return function();
  } catch (const host::Unsupported& unsupported) {
    throw Skipped(fmt::format("UNSUPPORTED: {}", unsupported.what()));
  }
}

// Skips where the backend lists no cipher of this protocol to choose and another than the asked one was negotiated.
void skip_where_ciphers_are_no_choice(const Setup& setup, const char* negotiated);

void skip_unless_tls(const Setup& setup);
void skip_unless_wire(const Setup& setup, const char* why);
void skip_unless_socket(const Setup& setup, const char* why);

}  // namespace tlsrig::check
