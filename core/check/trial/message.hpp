// The one message that a step's process sends: a length, a checksum, and JSON. A plugin may write anywhere, also into
// this descriptor: what is not whole is no result.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace tlsrig::check {

using Json = nlohmann::ordered_json;

// Writes it whole. False when the descriptor cannot take it.
bool send_message(int fd, const Json& message);

// Of all the bytes that came; nothing unless they are exactly one message.
std::optional<Json> received_message(const std::string& bytes);

}  // namespace tlsrig::check
