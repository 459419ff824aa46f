#include <tlsrig/rig/prove.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace tlsrig::rig {

namespace {

[[noreturn]] void fail(const std::string& reason) { throw ArmFailure(false, "proof", reason); }

// One field as all sides tell it; a side that does not tell is passed over.
std::optional<std::string> agreed(const std::map<std::string, Json>& sides, const char* field) {
  std::optional<std::string> value;
  std::string teller;
  for (const auto& [side, told] : sides) {
    const auto found = told.find(field);
    if (found == told.end() || found->is_null()) continue;
    const auto text = found->get<std::string>();
    if (value && *value != text)
      fail(fmt::format("the {} says {} \"{}\", the {} \"{}\"", teller, field, *value, side, text));
    value = text;
    teller = side;
  }
  return value;
}

void keep(std::optional<std::string>& kept, const std::optional<std::string>& value, const char* field,
          report::Proof& proof) {
  if (!value) return;
  if (kept && *kept != *value) fail(fmt::format("{} was \"{}\" in an earlier life, now \"{}\"", field, *kept, *value));
  kept = value;
  proof.source[field] = "library";
}

void demand_equal(const std::optional<std::string>& found, const std::string& asked, const char* field) {
  if (!found) fail(fmt::format("asked for {} {}, but neither side tells what was negotiated", field, asked));
  if (*found != asked) fail(fmt::format("asked for {} {}, negotiated {}", field, asked, *found));
}

void take_counts(const std::map<std::string, Json>& sides, const Demand& demand, report::Proof& proof) {
  proof.connections_asked = demand.connections;
  std::uint64_t achieved = demand.connections;
  for (const auto& [side, told] : sides) {
    achieved = std::min(achieved, told.at("connections").at("achieved").get<std::uint64_t>());
    if (const auto resumed = told.find("resumed"); resumed != told.end() && !resumed->is_null()) {
      const auto yes = resumed->at("yes").get<std::uint64_t>();
      proof.resumed_yes = std::max(proof.resumed_yes.value_or(0), yes);
      proof.resumed_no = std::max(proof.resumed_no.value_or(0), resumed->at("no").get<std::uint64_t>());
      proof.source["resumed"] = "library";
    }
  }
  const bool first = proof.connections_achieved == 0;
  proof.connections_achieved = first ? achieved : std::min(proof.connections_achieved, achieved);
  if (achieved != demand.connections)
    fail(fmt::format("{} connections asked, {} achieved", demand.connections, achieved));
}

void take_flag(const std::map<std::string, Json>& sides, const char* field, std::optional<bool>& kept,
               report::Proof& proof) {
  for (const auto& [side, told] : sides) {
    const auto found = told.find(field);
    if (found == told.end() || found->is_null()) continue;
    const bool any = !found->is_boolean() || found->get<bool>();  // connections that disagree are told in words
    kept = kept.value_or(false) || any;
    proof.source[field] = "library";
  }
}

// Each side must have verified if it was told to, and only then: a verification that nobody asked for costs too.
void demand_verified(const std::map<std::string, Json>& sides, const scenario::TlsSettings& tls, report::Proof& proof) {
  using scenario::Verify;
  const auto judge = [&](const char* side, const char* other, bool asked) {
    const auto told = sides.find(side);
    const Json verified = told == sides.end() ? Json() : told->second.value("peer_verified", Json());
    const bool yes = verified.is_boolean() && verified.get<bool>();
    if (asked && !yes)
      fail(fmt::format("the {}'s certificate was to be verified, but the {} does not say that it did", other, side));
    if (!asked && !verified.is_null() && verified != false)
      fail(fmt::format("the {}'s certificate was not to be verified, but the {} says that it did", other, side));
  };
  const bool by_client = tls.verify == Verify::server || tls.verify == Verify::both;
  const bool by_server = tls.verify == Verify::client || tls.verify == Verify::both;
  judge("client", "server", by_client);
  judge("server", "client", by_server);
  proof.peer_verified = by_client || by_server;
  proof.source["peer_verified"] = "library";
}

// A signature's scheme begins with the kind of its key (RFC 8446, 4.2.3).
void demand_certificate_kind(const scenario::TlsSettings& tls, const report::Proof& proof) {
  if (!proof.signature || tls.certificate.empty()) return;
  const char* kind = tls.certificate.starts_with("rsa") ? "rsa_" : "ecdsa_";
  if (!proof.signature->starts_with(kind))
    fail(fmt::format("asked for a certificate of kind {}, the server signed with {}", tls.certificate,
                     *proof.signature));
}

void judge_pinned(const Demand& demand, report::Proof& proof) {
  demand_equal(proof.version, demand.tls.version, "version");
  if (demand.tls.version == "1.3" && !demand.chooses_tls13_cipher && proof.cipher && *proof.cipher != demand.tls.cipher)
    throw ArmFailure(
        true, "unsupported",
        fmt::format("cannot choose TLS 1.3 ciphers: asked for {}, negotiated {}", demand.tls.cipher, *proof.cipher));
  demand_equal(proof.cipher, demand.tls.cipher, "cipher");
  demand_equal(proof.group, demand.tls.group, "group");
  if (!proof.resumed_yes) fail("asked for full handshakes, but neither side tells whether they were resumed");
  if (*proof.resumed_yes > 0) fail(fmt::format("asked for full handshakes, {} were resumed", *proof.resumed_yes));
  if (proof.encrypt_then_mac.value_or(false)) fail("encrypt-then-MAC was negotiated, which is to be off everywhere");
}

}  // namespace

void prove_life(const std::map<std::string, Json>& sides, const Demand& demand, report::Proof& proof) {
  take_counts(sides, demand, proof);
  if (demand.plain) {
    proof.version = "none";
    return;
  }
  keep(proof.version, agreed(sides, "version"), "version", proof);
  keep(proof.cipher, agreed(sides, "cipher"), "cipher", proof);
  keep(proof.group, agreed(sides, "group"), "group", proof);
  // Each side tells its peer's signature: the client's is the server certificate's, the one that always exists.
  if (const auto client = sides.find("client"); client != sides.end())
    keep(proof.signature, agreed({*client}, "signature"), "signature", proof);
  take_flag(sides, "hello_retry", proof.hello_retry, proof);
  take_flag(sides, "encrypt_then_mac", proof.encrypt_then_mac, proof);
  demand_verified(sides, demand.tls, proof);
  demand_certificate_kind(demand.tls, proof);
  if (demand.tls.policy == scenario::Policy::pinned) judge_pinned(demand, proof);
}

}  // namespace tlsrig::rig
