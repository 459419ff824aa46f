// What the handshakes of a role settled.
#include <tlsrig/workloads/proof.hpp>

#include <algorithm>

#include <tlsrig/records/names.hpp>

namespace tlsrig::workloads {

namespace {

using Values = std::vector<std::optional<std::string>>;

std::optional<std::string> told(const char* text) {
  if (!text || !*text) return std::nullopt;
  return text;
}

std::string word(bool flag) { return flag ? "yes" : "no"; }

std::optional<std::string> told(std::uint32_t flag) {
  if (flag == TLSRIG_UNKNOWN) return std::nullopt;
  return word(flag == TLSRIG_YES);
}

std::optional<std::string> version_told(std::uint32_t protocol) {
  if (protocol == TLSRIG_TLS_1_3) return "1.3";
  if (protocol == TLSRIG_TLS_1_2) return "1.2";
  return std::nullopt;
}

void note(Values& values, const std::optional<std::string>& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

void note_all(Values& values, const Values& more) {
  for (const auto& value : more) note(values, value);
}

Json text_of(const Values& values) {
  if (values.empty()) return nullptr;
  if (values.size() == 1) return values.front() ? Json(*values.front()) : Json(nullptr);
  std::string mixed = "mixed: ";
  for (const auto& value : values) {
    if (&value != values.data()) mixed += ", ";
    mixed += value.value_or("not told");
  }
  return mixed;
}

Json flag_of(const Values& values) {
  const Json text = text_of(values);
  if (text == "yes") return true;
  if (text == "no") return false;
  return text;
}

}  // namespace

ProofTally::Facts ProofTally::told_by(const tlsrig_facts& facts) {
  return {version_told(facts.protocol), told(facts.cipher),           told(facts.group),   told(facts.signature),
          told(facts.hello_retry),      told(facts.encrypt_then_mac), told(facts.resumed), told(facts.peer_verified)};
}

ProofTally::Facts ProofTally::shown_by(const records::Flight& flight) {
  Facts facts;
  facts.version = records::version_name(flight.version);
  facts.cipher = records::cipher_name(flight.cipher);
  if (flight.group) facts.group = records::group_name(*flight.group);
  if (flight.without_group) facts.group = "none";
  if (flight.signature) facts.signature = records::signature_name(*flight.signature);
  facts.hello_retry = word(flight.hello_retry);
  facts.encrypt_then_mac = word(flight.encrypt_then_mac);
  facts.resumed = word(flight.resumed);
  return facts;
}

void ProofTally::compare(const Facts& told, const Facts& shown) {
  const auto judge = [&](const char* field, std::optional<std::string> Facts::*member) {
    const auto& said = told.*member;
    const auto& seen = shown.*member;
    if (!said || !seen || *said == *seen) return;
    const bool known = std::any_of(contradictions_.begin(), contradictions_.end(),
                                   [&](const Contradiction& one) { return std::string_view(one.field) == field; });
    if (!known) contradictions_.push_back({field, achieved_, *said, *seen});
  };
  judge("version", &Facts::version);
  judge("cipher", &Facts::cipher);
  judge("group", &Facts::group);
  // Each side tells its peer's, and the wire shows the server's.
  if (role_ == TLSRIG_CLIENT) judge("signature", &Facts::signature);
  judge("hello_retry", &Facts::hello_retry);
  judge("encrypt_then_mac", &Facts::encrypt_then_mac);
  judge("resumed", &Facts::resumed);
}

void ProofTally::Tally::add(const Facts& facts) {
  note(version, facts.version);
  note(cipher, facts.cipher);
  note(group, facts.group);
  note(signature, facts.signature);
  note(hello_retry, facts.hello_retry);
  note(encrypt_then_mac, facts.encrypt_then_mac);
  note(peer_verified, facts.peer_verified);
  resumed_yes += facts.resumed == "yes";
  resumed_no += facts.resumed == "no";
}

void ProofTally::Tally::add_all(const Tally& other) {
  note_all(version, other.version);
  note_all(cipher, other.cipher);
  note_all(group, other.group);
  note_all(signature, other.signature);
  note_all(hello_retry, other.hello_retry);
  note_all(encrypt_then_mac, other.encrypt_then_mac);
  note_all(peer_verified, other.peer_verified);
  resumed_yes += other.resumed_yes;
  resumed_no += other.resumed_no;
}

Json ProofTally::Tally::to_json() const {
  Json json{{"version", text_of(version)},
            {"cipher", text_of(cipher)},
            {"group", text_of(group)},
            {"signature", text_of(signature)},
            {"resumed", nullptr},
            {"hello_retry", flag_of(hello_retry)},
            {"peer_verified", flag_of(peer_verified)},
            {"encrypt_then_mac", flag_of(encrypt_then_mac)}};
  if (resumed_yes + resumed_no) json["resumed"] = {{"yes", resumed_yes}, {"no", resumed_no}};
  return json;
}

void ProofTally::add(const tlsrig_facts& facts, const WireReader* reader) {
  if (!plain_) {
    const Facts told = told_by(facts);
    library_.add(told);
    if (const auto flight = reader ? reader->flight() : std::nullopt) {
      const Facts shown = shown_by(*flight);
      wire_.add(shown);
      compare(told, shown);
      ++read_;
    } else if (reader && reader->saw_server()) {
      ++unreadable_;
    }
  }
  ++achieved_;
}

void ProofTally::add_all(const ProofTally& other) {
  library_.add_all(other.library_);
  wire_.add_all(other.wire_);
  for (Contradiction one : other.contradictions_) {
    one.connection += achieved_;
    contradictions_.push_back(one);
  }
  achieved_ += other.achieved_;
  read_ += other.read_;
  unreadable_ += other.unreadable_;
}

Json ProofTally::to_json() const {
  Json proof = library_.to_json();
  if (plain_) proof["version"] = "none";
  proof["connections"] = {{"asked", asked_}, {"achieved", achieved_}};
  proof["wire"] = nullptr;
  if (!plain_) {
    Json wire = wire_.to_json();
    wire.erase("peer_verified");  // only the library can tell
    wire["read"] = read_;
    wire["unreadable"] = unreadable_;
    proof["wire"] = std::move(wire);
  }
  proof["contradictions"] = Json::array();
  for (const Contradiction& one : contradictions_)
    proof["contradictions"].push_back(
        {{"field", one.field}, {"connection", one.connection}, {"told", one.told}, {"shown", one.shown}});
  return proof;
}

}  // namespace tlsrig::workloads
