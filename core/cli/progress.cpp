// The line on the terminal, and saving after every cell.
#include <tlsrig/cli/progress.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/cli/output.hpp>

namespace tlsrig::cli {

Progress::Progress(std::vector<std::filesystem::path> result_files, bool quiet)
    : result_files_(std::move(result_files)), quiet_(quiet), terminal_(::isatty(STDERR_FILENO)) {}

Progress::~Progress() { clear(); }

void Progress::cell_begins(const std::string& cell, std::size_t number, std::size_t count) {
  number_ = number;
  count_ = count;
  show(fmt::format("[{}/{}] {}", number, count, cell));
}

void Progress::block_done(const std::string& cell, unsigned blocks, unsigned blocks_max) {
  show(fmt::format("[{}/{}] {}: block {} of at most {}", number_, count_, cell, blocks, blocks_max));
}

void Progress::cell_done(const report::Cell& cell, const report::Result& result) {
  clear();
  if (!quiet_) std::fprintf(stderr, "[%zu/%zu] %s\n", number_, count_, report::cell_line(cell).c_str());
  for (const auto& file : result_files_) {
    try {
      report::write_atomically(file, result);
    } catch (const std::system_error& error) {
      // Measuring goes on: what is in memory can still be printed, and the next cell may find room.
      if (std::find(save_errors_.begin(), save_errors_.end(), error.what()) == save_errors_.end())
        save_errors_.push_back(error.what());
    }
  }
}

void Progress::show(const std::string& line) {
  if (quiet_ || !terminal_) return;
  std::fprintf(stderr, "\r\x1b[K%.*s", static_cast<int>(columns(STDERR_FILENO)) - 1, line.c_str());
  std::fflush(stderr);
}

void Progress::clear() {
  if (quiet_ || !terminal_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace tlsrig::cli
