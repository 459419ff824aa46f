// What a run tells on stderr while it goes on, and when results are saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/rig/pace.hpp>
#include <tlsrig/rig/run.hpp>

namespace tlsrig::cli {

// Where a run stands, for its line on the terminal.
struct Standing {
  std::string cell;
  std::size_t number = 0, count = 0;  // of the cell, from 1
  unsigned blocks = 0, blocks_min = 0, blocks_max = 0;
  double done_seconds = 0;
  rig::Span left;
};

// "[######......] 3/6 quick-echo/message_size=1KiB, block 4 of 8 to 40, 2 to 5 min left" in at most `width` columns:
// what matters least gives way first, the bar, then the middle of the cell's id.
std::string progress_line(const Standing& standing, std::size_t width);

struct ProgressOptions {
  bool quiet = false, colour = false;
};

// On a terminal one line that is written over and gone at the end; elsewhere a line per finished cell. Saves the result
// after every cell.
class Progress : public rig::Observer {
 public:
  Progress(const rig::RunPlan& plan, std::vector<std::filesystem::path> result_files, ProgressOptions options);
  ~Progress() override;

  void cell_begins(const std::string& cell, std::size_t number, std::size_t count) override;
  void block_done(unsigned blocks) override;
  void cell_done(const report::Cell& cell, const report::Result& result) override;

  // Writes the result into every file. What goes wrong is kept in save_errors(): measuring goes on.
  void save(const report::Result& result);

  // Whether the file holds what was saved last.
  bool saved(const std::filesystem::path& file) const { return !save_errors_.contains(file); }

  // The files that do not, and why.
  const std::map<std::filesystem::path, std::string>& save_errors() const { return save_errors_; }

 private:
  void show();
  void clear();

  std::vector<std::filesystem::path> result_files_;
  ProgressOptions options_;
  bool terminal_;
  std::vector<rig::CellEstimate> cells_;
  rig::Pace pace_;
  std::optional<std::int64_t> deadline_ns_;
  std::int64_t begun_ns_, block_begun_ns_;
  Standing standing_;
  std::map<std::filesystem::path, std::string> save_errors_;
};

}  // namespace tlsrig::cli
