// Who tells a field, and what is demanded of it.
#include <tlsrig/rig/prove.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tlsrig::rig {

namespace {

[[noreturn]] void fail(const std::string& reason) { throw ArmFailure(false, "proof", reason); }

using Sides = std::map<std::string, Json>;

// A member that is there and not null; else nullptr.
const Json* member(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

// What the wire of a side shows, when every connection's handshake could be read there.
const Json* wire_of(const Json& side) {
  const Json* const wire = member(side, "wire");
  return wire && wire->at("read") == side.at("connections").at("achieved") ? wire : nullptr;
}

// What tells a field: "wire" where it stands in clear there, whatever the libraries say; else "library".
struct Teller {
  const char* source;
  std::string side;
  const Json* told;
};

std::vector<Teller> tellers(const Sides& sides, const char* field) {
  std::vector<Teller> by_wire, by_library;
  for (const auto& [side, told] : sides) {
    const Json* const wire = wire_of(told);
    if (const Json* const shown = wire ? member(*wire, field) : nullptr) by_wire.push_back({"wire", side, shown});
    if (const Json* const value = member(told, field)) by_library.push_back({"library", side, value});
  }
  return by_wire.empty() ? by_library : by_wire;
}

// A backend that contradicts the wire is not believed in anything.
void demand_truth(const Sides& sides) {
  for (const auto& [side, told] : sides) {
    if (const Json* const wire = member(told, "wire"); wire && wire->at("unreadable") != 0)
      fail(fmt::format("what the wire of the {} shows is no TLS handshake, on {} of {} connections", side,
                       wire->at("unreadable").get<std::uint64_t>(),
                       told.at("connections").at("achieved").get<std::uint64_t>()));
    const Json* const contradictions = member(told, "contradictions");
    if (!contradictions || contradictions->empty()) continue;
    const Json& first = contradictions->front();
    fail(fmt::format("the {} says {} \"{}\", the wire shows \"{}\" (connection {})", side,
                     first.at("field").get<std::string>(), first.at("told").get<std::string>(),
                     first.at("shown").get<std::string>(), first.at("connection").get<std::uint64_t>()));
  }
}

// What both sides of a leg settled, in words.
struct Settled {
  const char* field;
  std::optional<std::string> report::Proof::*text;
};

constexpr std::array<Settled, 4> settled = {{{"version", &report::Proof::version},
                                             {"cipher", &report::Proof::cipher},
                                             {"group", &report::Proof::group},
                                             {"signature", &report::Proof::signature}}};

void take(const Settled& what, const Sides& sides, report::Proof& proof) {
  std::optional<std::string>& value = proof.*what.text;
  std::string first;
  for (const auto& [source, side, told] : tellers(sides, what.field)) {
    const auto text = told->get<std::string>();
    if (value && *value != text)
      fail(fmt::format("the {} says {} \"{}\", the {} \"{}\"", first, what.field, *value, side, text));
    value = text;
    first = side;
    proof.source[what.field] = source;
  }
}

void demand_equal(const std::optional<std::string>& found, const std::string& asked, const char* field) {
  if (!found) fail(fmt::format("asked for {} {}, but neither side tells what was negotiated", field, asked));
  if (*found != asked) fail(fmt::format("asked for {} {}, negotiated {}", field, asked, *found));
}

void take_connections(const Sides& sides, const Demand& demand, report::Proof& proof) {
  proof.connections_asked = demand.connections;
  std::uint64_t achieved = demand.connections;
  for (const auto& [side, told] : sides)
    achieved = std::min(achieved, told.at("connections").at("achieved").get<std::uint64_t>());
  const bool first = proof.connections_achieved == 0;
  proof.connections_achieved = first ? achieved : std::min(proof.connections_achieved, achieved);
  if (achieved != demand.connections)
    fail(fmt::format("{} connections asked, {} achieved", demand.connections, achieved));
}

void take_resumed(const Sides& sides, report::Proof& proof) {
  for (const auto& [source, side, told] : tellers(sides, "resumed")) {
    proof.resumed_yes = std::max(proof.resumed_yes.value_or(0), told->at("yes").get<std::uint64_t>());
    proof.resumed_no = std::max(proof.resumed_no.value_or(0), told->at("no").get<std::uint64_t>());
    proof.source["resumed"] = source;
  }
}

void take_flag(const Sides& sides, const char* field, std::optional<bool>& kept, report::Proof& proof) {
  for (const auto& [source, side, told] : tellers(sides, field)) {
    const bool any = !told->is_boolean() || told->get<bool>();  // connections that disagree are told in words
    kept = kept.value_or(false) || any;
    proof.source[field] = source;
  }
}

// Each side must have verified if it was told to, and only then: a verification that nobody asked for costs too.
void demand_verified(const Sides& sides, const Demand& demand, report::Proof& proof) {
  using scenario::Verify;
  const scenario::TlsSettings& tls = demand.tls;
  const auto judge = [&](const char* side, const char* other, bool asked) {
    const auto told = sides.find(side);
    const Json verified = told == sides.end() ? Json() : told->second.value("peer_verified", Json());
    const bool yes = verified.is_boolean() && verified.get<bool>();
    if (asked && !yes && demand.resumed)
      throw ArmFailure(true, "unsupported",
                       fmt::format("the {} does not keep over resumption that it has verified the {}", side, other));
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

// A suite that agrees on keys by RSA has no group, whatever group other cells of the scenario ask for, and TLS 1.2
// resumes without a key exchange (RFC 5246, 7.3).
void demand_group(const Demand& demand, const report::Proof& proof) {
  const scenario::TlsSettings& tls = demand.tls;
  const bool by_rsa = tls.cipher.starts_with("TLS_RSA_WITH_");
  if (!by_rsa && !(demand.resumed && tls.version == "1.2")) return demand_equal(proof.group, tls.group, "group");
  if (proof.group && *proof.group != "none")
    fail(fmt::format("{} has no group, but {} was negotiated", by_rsa ? tls.cipher : "resumption in TLS 1.2",
                     *proof.group));
}

void demand_resumed(bool resumed, const report::Proof& proof) {
  const char* asked = resumed ? "resumed" : "full";
  if (!proof.resumed_yes)
    fail(fmt::format("asked for {} handshakes, but neither side tells whether they were resumed", asked));
  if (!resumed && *proof.resumed_yes > 0)
    fail(fmt::format("asked for full handshakes, {} were resumed", *proof.resumed_yes));
  if (resumed && proof.resumed_no.value_or(0) > 0)
    fail(fmt::format("asked for resumed handshakes, {} were full", *proof.resumed_no));
}

void judge_pinned(const Demand& demand, report::Proof& proof) {
  demand_equal(proof.version, demand.tls.version, "version");
  if (demand.tls.version == "1.3" && !demand.chooses_tls13_cipher && proof.cipher && *proof.cipher != demand.tls.cipher)
    throw ArmFailure(
        true, "unsupported",
        fmt::format("cannot choose TLS 1.3 ciphers: asked for {}, negotiated {}", demand.tls.cipher, *proof.cipher));
  demand_equal(proof.cipher, demand.tls.cipher, "cipher");
  demand_group(demand, proof);
  if (proof.encrypt_then_mac.value_or(false)) fail("encrypt-then-MAC was negotiated, which is to be off everywhere");
}

void prove_leg(const Sides& sides, const Demand& demand, report::Proof& proof) {
  take_connections(sides, demand, proof);
  if (demand.plain) return;
  demand_truth(sides);
  // Each side tells its peer's signature: the client's is the server certificate's, the one that always exists.
  Sides client_alone = sides;
  client_alone.erase("server");
  for (const Settled& what : settled) take(what, what.text == &report::Proof::signature ? client_alone : sides, proof);
  take_resumed(sides, proof);
  take_flag(sides, "hello_retry", proof.hello_retry, proof);
  take_flag(sides, "encrypt_then_mac", proof.encrypt_then_mac, proof);
  demand_verified(sides, demand, proof);
  demand_certificate_kind(demand.tls, proof);
  demand_resumed(demand.resumed, proof);
  if (demand.tls.policy == scenario::Policy::pinned) judge_pinned(demand, proof);
}

// Adds what a leg settled to what the legs before it did. They may differ where nothing was asked: in the signature,
// which each pair of libraries chooses, and in all of it where libraries are as shipped. What was asked was demanded of
// each.
void join(const report::Proof& leg, const Demand& demand, report::Proof& life) {
  for (const auto& [field, text] : settled) {
    const auto& told = leg.*text;
    auto& joined = life.*text;
    if (told && joined != told) joined = joined ? fmt::format("{}, {} {}", *joined, demand.leg, *told) : *told;
  }
}

void prove_parts(const std::map<std::string, Json>& parts, const Demand& demand, report::Proof& proof,
                 report::Proof& life) {
  Sides sides;
  for (const auto& [side, part] : {std::pair{"client", demand.client}, std::pair{"server", demand.server}})
    if (const auto told = parts.find(part); told != parts.end()) sides[side] = told->second;
  for (const Settled& what : settled) (proof.*what.text).reset();
  try {
    prove_leg(sides, demand, proof);
    join(proof, demand, life);
  } catch (const ArmFailure& failure) {
    if (demand.leg.empty()) throw;
    throw ArmFailure(failure.unsupported, failure.kind, fmt::format("{} leg: {}", demand.leg, failure.what()));
  }
}

}  // namespace

void prove_life(const std::map<std::string, Json>& parts, const std::vector<Demand>& demands, report::Proof& proof) {
  const report::Proof before = proof;
  report::Proof life;
  for (const Demand& demand : demands) prove_parts(parts, demand, proof, life);
  for (const auto& [field, text] : settled) {
    if (before.*text && life.*text && before.*text != life.*text)
      fail(fmt::format("{} was \"{}\" in an earlier life, now \"{}\"", field, *(before.*text), *(life.*text)));
    proof.*text = life.*text ? life.*text : before.*text;
  }
  const bool all_plain = std::all_of(demands.begin(), demands.end(), [](const Demand& demand) { return demand.plain; });
  if (all_plain) proof.version = "none";
}

}  // namespace tlsrig::rig
