// Writing a report to a file.
#pragma once

#include <filesystem>
#include <string_view>

namespace tlsrig::report {

// A reader sees the old file or the new one, never a part, and when the disk is full the old one stays: the text goes
// to a temporary file in the same directory, is flushed, and then renamed over the old one. A symbolic link is
// followed. A device or a pipe (/dev/stdout, /dev/full) is written to in place: renaming would put a file where the
// device was. Throws std::system_error with the path; the temporary file is gone then.
void write_file_atomically(const std::filesystem::path& file, std::string_view text);

// Where a write to this name ends up: its symbolic links followed, also those to files that are not there yet.
std::filesystem::path final_place(const std::filesystem::path& file);

// Throws what write_file_atomically would throw for a file that can never be written: no directory, no permission, a
// directory in its place, no block free on the disk. Meant for before the measuring. Leaves nothing behind.
void require_writable(const std::filesystem::path& file);

}  // namespace tlsrig::report
