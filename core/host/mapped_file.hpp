// A file's bytes, mapped for reading, whatever lies under its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace tlsrig::host {

// Maps a regular file that is not empty and sets its size. Throws ElfError, which says what else it is. Never waits: a
// queue without a writer is not opened.
std::shared_ptr<const std::byte> map_file(const std::filesystem::path& path, std::uint64_t& size);

}  // namespace tlsrig::host
