// What the handshakes of a role settled, as its library tells it and as the wire shows it:
//   {"version": "1.3"|"1.2"|"none", "cipher", "group", "signature", "resumed": {"yes": n, "no": n}, "hello_retry",
//    "peer_verified", "encrypt_then_mac", "connections": {"asked": n, "achieved": n},
//    "wire": {"version", "cipher", "group", "signature", "resumed", "hello_retry", "encrypt_then_mac", "read": n,
//             "unreadable": n} or null, "contradictions": [{"field", "connection", "told", "shown"}, ...]}
// A field that the library does not tell, or the wire does not show, is null. Where connections disagree the value is
// the text "mixed: A, B". "version" is "none" for a plain backend, which has no "wire". A group shown as "none" is one
// that the key exchange does not have. "read" counts the connections whose flight was read, "unreadable" those whose
// bytes were no handshake; connections whose calls went round the counted ones are in neither. Of every field the first
// connection that contradicts the wire is named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/workloads/participant.hpp>
#include <tlsrig/workloads/wire_reader.hpp>

namespace tlsrig::workloads {

class ProofTally {
 public:
  // role: which side tells, TLSRIG_CLIENT or TLSRIG_SERVER.
  ProofTally(std::int32_t role, bool plain, std::uint64_t connections_asked)
      : role_(role), plain_(plain), asked_(connections_asked) {}

  // Takes in one connection whose handshake is done. reader: what came by on its wire; nullptr: nobody looked.
  void add(const tlsrig_facts& facts, const WireReader* reader);

  // Takes in the connections of another tally of the same side.
  void add_all(const ProofTally& other);

  Json to_json() const;

 private:
  // The different values of a field, in the order in which they came; a value not told is an empty optional.
  using Values = std::vector<std::optional<std::string>>;

  // Both tellers tell these of one connection; flags as "yes" and "no".
  struct Facts {
    std::optional<std::string> version, cipher, group, signature, hello_retry, encrypt_then_mac, resumed, peer_verified;
  };
  struct Tally {
    Values version, cipher, group, signature, hello_retry, encrypt_then_mac, peer_verified;
    std::uint64_t resumed_yes = 0, resumed_no = 0;
    void add(const Facts& facts);
    void add_all(const Tally& other);
    Json to_json() const;
  };
  struct Contradiction {
    const char* field;
    std::uint64_t connection;
    std::string told, shown;
  };

  static Facts told_by(const tlsrig_facts& facts);
  static Facts shown_by(const records::Flight& flight);
  void compare(const Facts& told, const Facts& shown);

  std::int32_t role_;
  bool plain_;
  std::uint64_t asked_, achieved_ = 0;
  Tally library_, wire_;
  std::uint64_t read_ = 0, unreadable_ = 0;
  std::vector<Contradiction> contradictions_;
};

}  // namespace tlsrig::workloads
