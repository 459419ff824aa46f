// What the handshakes of a role settled.
#include <tlsrig/workloads/proof.hpp>

#include <algorithm>

namespace tlsrig::workloads {

namespace {

std::optional<std::string> told(const char* text) {
  if (!text || !*text) return std::nullopt;
  return text;
}

std::optional<std::string> told(std::uint32_t flag) {
  if (flag == TLSRIG_UNKNOWN) return std::nullopt;
  return flag == TLSRIG_YES ? "yes" : "no";
}

std::optional<std::string> version_told(std::uint32_t protocol) {
  if (protocol == TLSRIG_TLS_1_3) return "1.3";
  if (protocol == TLSRIG_TLS_1_2) return "1.2";
  return std::nullopt;
}

}  // namespace

void ProofTally::note(Values& values, std::optional<std::string> value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
}

void ProofTally::add(const tlsrig_facts& facts) {
  ++achieved_;
  if (plain_) return;
  note(version_, version_told(facts.protocol));
  note(cipher_, told(facts.cipher));
  note(group_, told(facts.group));
  note(signature_, told(facts.signature));
  note(hello_retry_, told(facts.hello_retry));
  note(peer_verified_, told(facts.peer_verified));
  note(encrypt_then_mac_, told(facts.encrypt_then_mac));
  resumed_yes_ += facts.resumed == TLSRIG_YES;
  resumed_no_ += facts.resumed == TLSRIG_NO;
}

void ProofTally::add_all(const ProofTally& other) {
  const auto note_all = [](Values& values, const Values& more) {
    for (const auto& value : more) note(values, value);
  };
  note_all(version_, other.version_);
  note_all(cipher_, other.cipher_);
  note_all(group_, other.group_);
  note_all(signature_, other.signature_);
  note_all(hello_retry_, other.hello_retry_);
  note_all(peer_verified_, other.peer_verified_);
  note_all(encrypt_then_mac_, other.encrypt_then_mac_);
  resumed_yes_ += other.resumed_yes_;
  resumed_no_ += other.resumed_no_;
  achieved_ += other.achieved_;
}

Json ProofTally::text_of(const Values& values) {
  if (values.empty()) return nullptr;
  if (values.size() == 1) return values.front() ? Json(*values.front()) : Json(nullptr);
  std::string mixed = "mixed: ";
  for (const auto& value : values) {
    if (&value != values.data()) mixed += ", ";
    mixed += value.value_or("not told");
  }
  return mixed;
}

Json ProofTally::flag_of(const Values& values) {
  const Json text = text_of(values);
  if (text == "yes") return true;
  if (text == "no") return false;
  return text;
}

Json ProofTally::to_json() const {
  Json proof{{"version", plain_ ? Json("none") : text_of(version_)},
             {"cipher", text_of(cipher_)},
             {"group", text_of(group_)},
             {"signature", text_of(signature_)},
             {"resumed", nullptr},
             {"hello_retry", flag_of(hello_retry_)},
             {"peer_verified", flag_of(peer_verified_)},
             {"encrypt_then_mac", flag_of(encrypt_then_mac_)}};
  if (resumed_yes_ + resumed_no_) proof["resumed"] = {{"yes", resumed_yes_}, {"no", resumed_no_}};
  Json source = Json::object();
  for (const auto& [field, value] : proof.items())
    if (!value.is_null()) source[field] = "library";
  proof["connections"] = {{"asked", asked_}, {"achieved", achieved_}};
  proof["source"] = std::move(source);
  return proof;
}

}  // namespace tlsrig::workloads
