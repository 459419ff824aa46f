// What a run tells on stderr while it goes on, and when results are saved.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tlsrig/rig/run.hpp>

namespace tlsrig::cli {

// One line that is written over on a terminal; elsewhere one line per finished cell. Saves the result after every cell.
class Progress : public rig::Observer {
 public:
  Progress(std::vector<std::filesystem::path> result_files, bool quiet);
  ~Progress() override;

  void cell_begins(const std::string& cell, std::size_t number, std::size_t count) override;
  void block_done(const std::string& cell, unsigned blocks, unsigned blocks_max) override;
  void cell_done(const report::Cell& cell, const report::Result& result) override;

  // What went wrong when results were saved; empty: nothing.
  const std::vector<std::string>& save_errors() const { return save_errors_; }

 private:
  void show(const std::string& line);
  void clear();

  std::vector<std::filesystem::path> result_files_;
  bool quiet_, terminal_;
  std::size_t number_ = 0, count_ = 0;
  std::vector<std::string> save_errors_;
};

}  // namespace tlsrig::cli
