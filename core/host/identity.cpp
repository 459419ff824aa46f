// Judging what a plugin says of itself: its table, its info, and where its anchors lie.
#include "identity.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tlsrig/host/loaded_files.hpp>
#include <tlsrig/host/variant.hpp>

namespace tlsrig::host {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t words_length_max = 4096;  // they stand in every report
constexpr std::size_t name_length_max = 64;     // a name stands in file names, cell ids and table heads

bool is_letter_or_digit(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
}

bool is_name(std::string_view text) {
  const auto allowed = [](char byte) {
    return is_letter_or_digit(byte) || std::string_view("-_.+").find(byte) != std::string_view::npos;
  };
  return text.size() <= name_length_max && is_letter_or_digit(text.front()) && std::ranges::all_of(text, allowed);
}

bool is_printable(std::string_view text) {
  return std::ranges::none_of(text, [](char byte) { return (byte >= 0 && byte < 0x20) || byte == 0x7f; });
}

std::string escaped(std::string_view text) {
  std::string shown;
  for (const char byte : text.substr(0, name_length_max))
    shown +=
        byte >= 0x20 && byte < 0x7f ? std::string(1, byte) : fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return shown;
}

std::string paths_of(const std::vector<const LoadedFile*>& files) {
  std::string paths;
  for (const LoadedFile* const file : files)
    paths += fmt::format("{}{}", paths.empty() ? "" : ", ", file->path.string());
  return paths;
}

}  // namespace

std::string fault_of_numbers(std::uint32_t abi_version, std::uint32_t struct_size) {
  if (abi_version != TLSRIG_ABI_VERSION)
    return fmt::format("built for plugin ABI {}, this tlsrig speaks {}: rebuild it with this tlsrig's header{}",
                       abi_version, TLSRIG_ABI_VERSION,
                       abi_version > TLSRIG_ABI_VERSION ? ", or take a tlsrig that speaks its ABI" : "");
  if (struct_size < sizeof(tlsrig_backend))
    return fmt::format(
        "its table says struct_size {}, this tlsrig needs at least {}: set it to sizeof(tlsrig_backend) of this "
        "tlsrig's header",
        struct_size, sizeof(tlsrig_backend));
  return {};
}

std::string fault_of(const tlsrig_backend& table) {
  if (const std::string fault = fault_of_numbers(table.abi_version, table.struct_size); !fault.empty())
    return fault + "; nothing of it was called";
  const std::pair<const char*, bool> slots[] = {
      {"start", table.start != nullptr},
      {"create_context", table.create_context != nullptr},
      {"destroy_context", table.destroy_context != nullptr},
      {"open", table.open != nullptr},
      {"close", table.close != nullptr},
      {"handshake", table.handshake != nullptr},
      {"read", table.read != nullptr},
      {"write", table.write != nullptr},
      {"shutdown", table.shutdown != nullptr},
      {"describe", table.describe != nullptr},
      {"extension", table.extension != nullptr},
  };
  static_assert(sizeof(tlsrig_backend) == 2 * sizeof(std::uint32_t) + std::size(slots) * sizeof(void (*)()));
  for (const auto& [name, filled] : slots)
    if (!filled)
      return fmt::format(
          "the slot {} is NULL; every slot of the table is required, abilities that a library lacks are UNSUPPORTED "
          "or an absent extension",
          name);
  return {};
}

std::string fault_of(const tlsrig_info* info) {
  if (!info) return "start answered OK and gave no info: set *info to the plugin's own constant tlsrig_info";
  constexpr std::size_t size_of_first = offsetof(tlsrig_info, groups) + sizeof info->groups;
  if (info->struct_size < size_of_first)
    return fmt::format("its info says struct_size {}, needed are at least {}: set it to sizeof(tlsrig_info)",
                       info->struct_size, size_of_first);
  if (info->config_size < offsetof(tlsrig_config, protocols))
    return fmt::format("its info says config_size {}: set it to sizeof(tlsrig_config)", info->config_size);
  if (!info->name || !*info->name) return "its info has no name: set it to the word that scenarios use";
  if (!is_name(info->name))
    return fmt::format(
        "its name is \"{}\"; a name has up to {} letters, digits, - _ . + and begins with a letter or "
        "digit",
        escaped(info->name), name_length_max);
  if (!info->library || !*info->library)
    return "its info has no library: set it to the library's own run-time version string";
  if (!info->build) return "its info has a NULL build: set it to \"\" where the library does not tell how it was built";
  for (const auto& [field, text] : {std::pair("library", info->library), std::pair("build", info->build)})
    if (const std::size_t size = std::strlen(text); size > words_length_max)
      return fmt::format("its info's {} has {} bytes; at most {} are shown", field, size, words_length_max);
    else if (!is_printable(text))
      return fmt::format("its info's {} has control characters: \"{}\"; it is shown in one line", field, escaped(text));
  if (!(info->transports & (TLSRIG_WIRE | TLSRIG_FD)))
    return "its info offers no transport: set transports to TLSRIG_WIRE, TLSRIG_FD or both";
  if (!info->anchors || !*info->anchors)
    return "its info has no anchors: name one function of each library file, so that the report can say whose code ran";
  return {};
}

std::vector<LibraryFile> files_of_anchors(const tlsrig_backend& table, const tlsrig_info& info, const fs::path& plugin,
                                          const fs::path& library_directory) {
  const LoadedFiles loaded;
  const LoadedFile* const own = loaded.find(&table);  // by address: a file may have several names
  const std::vector<const LoadedFile*> needed = loaded.needed_by(*own);

  std::vector<LibraryFile> files;
  for (std::size_t i = 0; info.anchors[i]; ++i) {
    const LoadedFile* const file = loaded.find(info.anchors[i]);
    if (!file || file->path.empty())
      throw Refusal(
          fmt::format("{}: its anchor {} lies in no loaded file: an anchor is the address of a function of the "
                      "library",
                      plugin.string(), i));
    if (file != own && std::ranges::find(needed, file) == needed.end())
      throw Refusal(fmt::format(
          "{}: its anchor {} lies in {}, which the plugin does not need (it needs {}): another library's code would "
          "run under the name {}; unset LD_PRELOAD, or link the plugin with the library of its anchors",
          plugin.string(), i, file->path.string(), paths_of(needed), info.name));
    if (!library_directory.empty() && !comes_from(*file, library_directory))
      throw Refusal(fmt::format("{}: {} came from {}, not from the variant's directory {}: {}", plugin.string(),
                                file->soname, file->path.string(), library_directory.string(),
                                explain_stray(*file, library_directory)));
    if (std::ranges::none_of(files, [&](const LibraryFile& known) { return known.path == file->path; }))
      files.push_back({file->path, file->build_id});
  }
  return files;
}

}  // namespace tlsrig::host
