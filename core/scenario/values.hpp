// One value of a scenario file against its key: parsed, or refused with what was found, what is allowed and an example.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <tlsrig/scenario/document.hpp>
#include <tlsrig/scenario/keys.hpp>

namespace tlsrig::scenario {

struct Parsed {
  std::optional<Value> value;
  std::string fault;  // a message when there is no value
};

// known: the names that a backend may have; nullptr: any (values that were checked before). Lists are not for here.
Parsed parse_value(const Key& key, const Raw& raw, const KnownBackends* known);

// "a size from 1B to 16MiB (B, KiB, MiB or GiB)": for messages and the reference.
std::string allowed_text(const Key& key, const KnownBackends* known);

// As a scenario file would write it; null for a text that is empty: left to the library.
nlohmann::ordered_json value_json(const Key& key, const Value& value);

// The same without quotes.
std::string value_text(const Key& key, const Value& value);

// "found X; allowed: Y; did you mean ...; example: key = Z". hint: empty, or begins with "; ".
std::string refusal(const Key& key, const Raw& raw, const KnownBackends* known, std::string_view hint = {});

}  // namespace tlsrig::scenario
