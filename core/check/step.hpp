// The conformance steps: the laws of the contract, each as a plain function over one backend.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tlsrig/credentials/credentials.hpp>
#include <tlsrig/host/backend.hpp>

namespace tlsrig::check {

enum class Verdict { pass, fail, skip };

struct Outcome {
  Verdict verdict = Verdict::pass;
  std::string words;  // fail: what happened and what the contract says; skip: what is not offered
};

// What a step is run with.
struct Setup {
  const host::Backend* backend = nullptr;
  std::uint32_t protocol = 0;    // TLSRIG_TLS_1_2, TLSRIG_TLS_1_3; 0 for a plain backend
  std::uint32_t transport = 0;   // TLSRIG_WIRE or TLSRIG_FD
  credentials::Credentials credentials, untrusted;
};

struct Step {
  std::string name;      // "handshake-in-pieces-of-1"
  std::string law;       // what of the contract it proves, in a sentence
  Outcome (*run)(const Setup&);
};

// Every step that applies to a backend over any transport, in order. A step that does not apply answers SKIP.
const std::vector<Step>& steps();

// One client x server pair: handshake, data both ways, orderly end, facts equal on both sides.
struct Pair {
  const host::Backend* client = nullptr;
  const host::Backend* server = nullptr;
  std::uint32_t protocol = 0, transport = 0;
  std::string cipher, group;             // IANA names
  credentials::Credentials credentials;
};

Outcome interoperate(const Pair& pair);

}  // namespace tlsrig::check
