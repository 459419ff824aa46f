// The --export flags, alike for every command that has a result.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace CLI {
class App;
}

namespace tlsrig::cli {

// Files by format; empty: not asked for; "-": standard output, in place of the terminal report.
struct Exports {
  std::string json, csv, markdown, html, google_benchmark;
};

// They write into `exports`, which has to outlive the command.
void add_export_options(CLI::App& command, Exports& exports);

// A file that a command needs for something else, and what for: "the result is saved there".
struct TakenFile {
  std::filesystem::path file;
  std::string why;
};

// Tries every place, before anything is measured. Throws Unusable, with flag, path and reason, for one that cannot be
// written, for one file (or standard output) that two flags name, and for one that is taken.
void require_usable(const Exports& exports, const std::vector<TakenFile>& taken);

// What one of the flags wants on standard output.
std::optional<std::string> text_for_stdout(const Exports& exports, const report::Result& result);

// Writes what was asked for into files; what the JSON is, a run has saved already. Gives path and reason of each that
// could not be written; the others are.
enum class ExportJson { yes, saved_already };
std::vector<std::string> write_exports(const Exports& exports, const report::Result& result, ExportJson json);

// The same for the page of a run's own directory.
std::vector<std::string> write_page(const std::filesystem::path& file, const report::Result& result);

}  // namespace tlsrig::cli
