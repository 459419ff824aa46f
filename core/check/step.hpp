// The conformance steps: the laws of the contract, each as a plain function over one backend.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/credentials/credentials.hpp>
#include <tlsrig/host/backend.hpp>

namespace tlsrig::check {

class Signals;

// warn: it works, but its users may meet trouble. crash, exit, hang: the step's process ended by a signal, ended
// itself, or did not come to an end; a step's own function never answers these.
enum class Verdict { pass, warn, fail, crash, exit, hang, skip };

inline constexpr Verdict verdicts[] = {Verdict::pass, Verdict::warn, Verdict::fail, Verdict::crash,
                                       Verdict::exit, Verdict::hang, Verdict::skip};

// "PASS", as every report spells it.
std::string_view name_of(Verdict verdict);

struct Outcome {
  Verdict verdict = Verdict::pass;
  std::string words;  // pass: what was seen, if that is of interest; skip: what is not offered; else what happened
  std::string law = {},
              cure = {};  // of the law that was broken, where it is another than the step's; empty: the step's
};

// What a step is run with.
struct Setup {
  const host::Backend* backend = nullptr;
  std::uint32_t protocol = 0;                // TLSRIG_TLS_1_2, TLSRIG_TLS_1_3; 0 for a plain backend
  std::uint32_t transport = 0;               // TLSRIG_WIRE or TLSRIG_FD
  credentials::Credentials credentials;      // "ecdsa-p256"
  credentials::Credentials rsa_credentials;  // "rsa-2048"
  credentials::Credentials untrusted;        // "ecdsa-p256" under a root that no trust file holds
  credentials::Credentials expired;          // "ecdsa-p256" past its end
  credentials::Credentials large;            // "ecdsa-p256" with a server chain of more than 40 KiB
  std::uint64_t seed = 1;                    // of what a step draws at random
  const Signals* signals_before = nullptr;   // taken before the plugin was loaded; nullptr: only later calls are judged
};

struct Step {
  std::string name;  // "pieces-of-1"
  std::string law;   // what of the contract it proves, in a sentence
  Outcome (*run)(const Setup&);
  std::string cure = {};  // what the backend's writer is to do when it fails, in a sentence
};

// Every step, in order. One that does not apply answers SKIP; none throws. The caller ignores SIGPIPE, as every runner
// of backends does.
const std::vector<Step>& steps();

// One client x server pair: handshake, data both ways, orderly end, facts equal on both sides.
struct Pair {
  const host::Backend* client = nullptr;
  const host::Backend* server = nullptr;
  std::uint32_t protocol = 0, transport = 0;
  std::string cipher, group;  // IANA names
  credentials::Credentials credentials;
};

Outcome interoperate(const Pair& pair);

// Whether info.ciphers lists any cipher of this protocol: a backend that cannot choose among them lists none.
bool chooses_ciphers(const Setup& setup);

}  // namespace tlsrig::check
