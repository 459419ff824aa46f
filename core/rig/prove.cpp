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
    if (found == told.end() || !found->is_boolean()) continue;
    kept = kept.value_or(false) || found->get<bool>();
    proof.source[field] = "library";
  }
}

void demand_verified(const std::map<std::string, Json>& sides, const scenario::TlsSettings& tls, report::Proof& proof) {
  using scenario::Verify;
  const auto demand_side = [&](const char* side, const char* other) {
    const auto told = sides.find(side);
    const Json verified = told == sides.end() ? Json() : told->second.value("peer_verified", Json());
    if (!verified.is_boolean() || !verified.get<bool>())
      fail(fmt::format("the {}'s certificate was to be verified, but the {} does not say that it did", other, side));
    proof.peer_verified = true;
    proof.source["peer_verified"] = "library";
  };
  if (tls.verify == Verify::server || tls.verify == Verify::both) demand_side("client", "server");
  if (tls.verify == Verify::client || tls.verify == Verify::both) demand_side("server", "client");
  if (tls.verify == Verify::none) proof.peer_verified = false;
}

void judge_pinned(const Demand& demand, report::Proof& proof) {
  demand_equal(proof.version, demand.tls.version, "version");
  if (demand.tls.version == "1.3" && !demand.chooses_tls13_cipher && proof.cipher && *proof.cipher != demand.tls.cipher)
    throw ArmFailure(
        true, "unsupported",
        fmt::format("cannot choose TLS 1.3 ciphers: asked for {}, negotiated {}", demand.tls.cipher, *proof.cipher));
  demand_equal(proof.cipher, demand.tls.cipher, "cipher");
  demand_equal(proof.group, demand.tls.group, "group");
  if (demand.tls.resumption == scenario::Resumption::off && proof.resumed_yes.value_or(0) > 0)
    fail(fmt::format("asked for full handshakes, {} were resumed", *proof.resumed_yes));
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
  if (demand.tls.policy == scenario::Policy::pinned) judge_pinned(demand, proof);
}

}  // namespace tlsrig::rig
