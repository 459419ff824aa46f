// Compares what `tlsrig check` said of a plugin with what it should have said. Runs nothing.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "expected.hpp"

namespace tlsrig::tests::kit {

using Complaints = std::vector<std::string>;

struct Seen {
  int status = 0;
  nlohmann::json json;
};

Complaints complaints_about(const Expected& row, const Seen& seen);

// Each line of the row is found, one after the other.
Complaints complaints_about_text(const Expected& row, const std::string& text);

// nullptr: there is none.
const nlohmann::json* find_step(const nlohmann::json& check, const std::string& name);

// Without the steps that passed or were skipped: for a reader who looks for what is wrong.
nlohmann::json without_passes(nlohmann::json check);

// A shell's words; quotes are single ones.
std::vector<std::string> words_of_command(const std::string& command);

}  // namespace tlsrig::tests::kit
