// What the handshakes of a role settled, as its library tells it:
//   {"version": "1.3"|"1.2"|"none", "cipher", "group", "signature", "resumed": {"yes": n, "no": n}, "hello_retry",
//    "peer_verified", "encrypt_then_mac", "connections": {"asked": n, "achieved": n}, "source": {FIELD: "library"}}
// A field that the library does not tell is null and has no source. Where connections disagree the value is the text
// "mixed: A, B". "version" is "none" for a plain backend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::workloads {

class ProofTally {
 public:
  ProofTally(bool plain, std::uint64_t connections_asked) : plain_(plain), asked_(connections_asked) {}

  // Takes in one connection whose handshake is done.
  void add(const tlsrig_facts& facts);

  // Takes in the connections of another tally of the same side.
  void add_all(const ProofTally& other);

  Json to_json() const;

 private:
  // The different values of a field, in the order in which they came; a value not told is an empty optional.
  using Values = std::vector<std::optional<std::string>>;
  static void note(Values& values, std::optional<std::string> value);
  static Json text_of(const Values& values);
  static Json flag_of(const Values& values);

  bool plain_;
  std::uint64_t asked_, achieved_ = 0;
  std::uint64_t resumed_yes_ = 0, resumed_no_ = 0;
  Values version_, cipher_, group_, signature_, hello_retry_, peer_verified_, encrypt_then_mac_;
};

}  // namespace tlsrig::workloads
