// What was proved of each arm: fields as rows, arms as columns, since arms of one cell mostly agree.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include <tlsrig/report/html/sections.hpp>
#include <tlsrig/report/ranking.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/terminal/counts_table.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

struct Item {
  const char* words;
  const char* source;                             // its name in Proof::source
  std::function<std::string(const Proof&)> told;  // empty: not told
  bool speaks_for_itself = false;                 // its value says what it is
};

std::string yes_or_no(const std::optional<bool>& value) { return !value ? "" : *value ? "yes" : "no"; }

std::string version_words(const Proof& proof) {
  if (!proof.version) return "";
  return *proof.version == "none" ? "no TLS" : "TLS " + *proof.version;
}

std::string resumed_words(const Proof& proof) {
  if (!proof.resumed_yes && !proof.resumed_no) return "";
  return fmt::format("{} yes, {} no", proof.resumed_yes.value_or(0), proof.resumed_no.value_or(0));
}

std::string error_words(const Proof& proof) {
  std::vector<std::string> words;
  for (const auto& [kind, count] : proof.errors) words.push_back(fmt::format("{} {}", count, with_spaces(kind)));
  return words.empty() ? "none" : joined(words, ", ");
}

const std::vector<Item>& items() {
  static const std::vector<Item> all = {
      {"version", "version", version_words, true},
      {"cipher", "cipher", [](const Proof& proof) { return proof.cipher.value_or(""); }, true},
      {"group", "group", [](const Proof& proof) { return proof.group.value_or(""); }},
      {"signature", "signature", [](const Proof& proof) { return proof.signature.value_or(""); }},
      {"peer verified", "peer_verified", [](const Proof& proof) { return yes_or_no(proof.peer_verified); }},
      {"resumed", "resumed", resumed_words},
      {"HelloRetryRequest", "hello_retry", [](const Proof& proof) { return yes_or_no(proof.hello_retry); }},
      {"encrypt-then-MAC", "encrypt_then_mac", [](const Proof& proof) { return yes_or_no(proof.encrypt_then_mac); }},
      {"tickets read", "tickets",
       [](const Proof& proof) { return proof.tickets ? std::to_string(*proof.tickets) : std::string(); }},
      {"connections", "",
       [](const Proof& proof) { return fmt::format("{} of {}", proof.connections_achieved, proof.connections_asked); }},
      {"payload verified", "",
       [](const Proof& proof) { return format_si(static_cast<double>(proof.bytes_verified)) + "B"; }},
      {"errors", "", error_words}};
  return all;
}

Fields entry_of(const Arm& arm, const Item& item) {
  const std::string told = item.told(arm.proof);
  const auto source = arm.proof.source.find(item.source);
  Fields fields;
  fields.text("value", told.empty() ? "–" : told);
  fields.text("source", told.empty() || source == arm.proof.source.end() ? "" : source->second);
  return fields;
}

}  // namespace

namespace {

// The same of every arm, or each value with the arms that it was proved of: "16 (openssl, wolfssl), 0 (boringssl)".
std::string told_words(const Arms& arms, const Item& item) {
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  for (const Arm* arm : arms) {
    std::string told = item.told(arm->proof);
    if (told.empty()) told = "not told";
    const auto known = std::find_if(values.begin(), values.end(), [&](const auto& each) { return each.first == told; });
    (known == values.end() ? values.emplace_back(told, std::vector<std::string>()) : *known).second.push_back(arm->id);
  }
  if (values.size() == 1) return values.front().first;
  std::vector<std::string> words;
  for (const auto& [value, names] : values) words.push_back(value + " (" + joined(names, ", ") + ")");
  return joined(words, "; ");
}

// One line of what is the same, and what is not; how much was verified is as different as the speeds are, and stands in
// the table. The yardstick has nothing to prove but that it has no TLS.
void add_proof_words(Fields& proof, const Cell& cell) {
  Arms arms = rank(cell).with_numbers();
  const auto yardstick =
      std::stable_partition(arms.begin(), arms.end(), [&](const Arm* arm) { return !is_yardstick(cell, *arm); });
  std::vector<std::string> plain;
  for (auto arm = yardstick; arm != arms.end(); ++arm) plain.push_back((*arm)->id);
  arms.erase(yardstick, arms.end());
  std::vector<std::string> common;
  List differing;
  for (const Item& item : items()) {
    const auto told = [&](const Arm* arm) { return item.told(arm->proof); };
    if (std::all_of(arms.begin(), arms.end(), [&](const Arm* arm) { return told(arm).empty(); })) continue;
    const bool same = std::all_of(arms.begin(), arms.end(), [&](const Arm* arm) { return told(arm) == told(arms[0]); });
    if (std::string_view(item.words) == "payload verified") continue;
    const std::string words = told_words(arms, item);
    if (same)
      common.push_back(item.speaks_for_itself ? words : item.words + (" " + words));
    else
      differing.push_back(std::move(Fields().text("item", item.words).prose("values", words)));
  }
  proof.prose("common", joined(common, "; ")).list("differing", differing);
  proof.text("plain", joined(plain, ", "));
}

}  // namespace

void add_proof(Fields& fields, const Cell& cell) {
  const Arms arms = rank(cell).with_numbers();
  List columns, rows, missing;
  for (const Arm* arm : arms) columns.push_back(std::move(Fields().text("column", arm->id)));
  for (const Item& item : items()) {
    const auto is_told = [&](const Arm* arm) { return !item.told(arm->proof).empty(); };
    if (std::none_of(arms.begin(), arms.end(), is_told)) continue;
    List entries;
    for (const Arm* arm : arms) entries.push_back(entry_of(*arm, item));
    rows.push_back(std::move(Fields().text("item", item.words).list("entries", entries)));
  }
  // What an arm without a number proved is its reason, or no proof of anything.
  for (const Arm& arm : cell.arms) {
    if (arm.status != Status::ok)
      missing.push_back(std::move(Fields().text("missing", arm.id + ": " + status_words(arm))));
  }
  Fields proof;
  add_proof_words(proof, cell);
  proof.list("columns", columns).list("rows", rows).list("missing", missing);
  fields.part("proof", proof);
  const Table counts = counts_table(cell);
  fields.flag("has_counts", !counts.rows.empty());
  fields.part("counts", table_fields(counts));
}

}  // namespace tlsrig::report::html
