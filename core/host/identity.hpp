// Judging what a plugin says of itself: its table, its info, and where its anchors lie.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/host/backend.hpp>

namespace tlsrig::host {

// Why a table with these first numbers cannot be used, with the cure; empty when it can.
std::string fault_of_numbers(std::uint32_t abi_version, std::uint32_t struct_size);

// Why the table cannot be used, with the cure; empty when it can. Calls nothing of it.
std::string fault_of(const tlsrig_backend& table);

// Why the info cannot be used, with the cure; empty when it can.
std::string fault_of(const tlsrig_info* info);

// The files of the anchors, each once. Throws Refusal, naming both files, when one lies in a file that is not the
// plugin's own, or that does not come from library_directory (empty: from anywhere).
std::vector<LibraryFile> files_of_anchors(const tlsrig_backend& table, const tlsrig_info& info,
                                          const std::filesystem::path& plugin,
                                          const std::filesystem::path& library_directory);

}  // namespace tlsrig::host
