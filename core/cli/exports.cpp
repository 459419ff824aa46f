// One table of formats: flag, words for the help, member, renderer.
#include <tlsrig/cli/exports.hpp>

#include <sys/stat.h>

#include <array>
#include <exception>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/report/file/file.hpp>
#include <tlsrig/report/render.hpp>

namespace tlsrig::cli {

namespace {

namespace fs = std::filesystem;

struct Format {
  const char* flag;
  const char* help;
  std::string Exports::*file;
  std::string (*render)(const report::Result&);
};

constexpr std::array formats{
    Format{"--export-json", "Write the result there as well, to be read again by report and compare", &Exports::json,
           report::to_json_text},
    Format{"--export-csv", "Write a row per cell, arm and metric there", &Exports::csv, report::to_csv},
    Format{"--export-markdown", "Write tables for a pull request there", &Exports::markdown, report::to_markdown},
    Format{"--export-html", "Write the page with plots there: one file, without scripts", &Exports::html,
           report::to_html},
    Format{"--export-google-benchmark", "Write the JSON of Google Benchmark there, for its compare.py",
           &Exports::google_benchmark, report::to_google_benchmark},
};

// Where an ordinary file is or would be; empty for a device or a pipe, which several may write to.
fs::path place_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return {};
  return report::final_place(file);
}

// One name after another, for messages.
bool same_place(const fs::path& a, const fs::path& b) {
  const fs::path place = place_of(a);
  if (place.empty()) return false;
  std::error_code error;
  return place == place_of(b) || fs::equivalent(a, b, error);  // a hard link, too
}

// Words when it could not be written.
std::optional<std::string> write(const fs::path& file, const report::Result& result,
                                 std::string (*render)(const report::Result&)) {
  try {
    report::write_file_atomically(file, render(result));
  } catch (const std::exception& error) {  // of the disk, or no memory left to render in
    return error.what();
  }
  return std::nullopt;
}

}  // namespace

void add_export_options(CLI::App& command, Exports& exports) {
  for (const Format& format : formats)
    command
        .add_option(format.flag, exports.*format.file,
                    fmt::format("{}; - is standard output, in place of the report", format.help))
        ->type_name("FILE")
        ->check([](const std::string& file) { return std::string(file.empty() ? "the file's name is empty" : ""); });
}

void require_usable(const Exports& exports, const std::vector<TakenFile>& taken) {
  std::vector<const Format*> seen;
  for (const Format& format : formats) {
    const std::string& file = exports.*format.file;
    if (file.empty()) continue;
    for (const Format* other : seen) {
      const std::string& before = exports.*other->file;
      if (file == "-" && before == "-")
        throw Unusable(
            fmt::format("{} and {} both ask for standard output: give one of them a file", other->flag, format.flag));
      if (file != "-" && before != "-" && same_place(file, before))
        throw Unusable(
            fmt::format("{} and {} name the same file, {}: give each its own", other->flag, format.flag, file));
    }
    seen.push_back(&format);
    if (file == "-") continue;
    for (const TakenFile& each : taken)
      if (same_place(file, each.file))
        throw Unusable(fmt::format("{} {}: {}; name another file", format.flag, file, each.why));
    try {
      report::require_writable(file);
    } catch (const std::system_error& error) {
      throw Unusable(fmt::format("{}: {}", format.flag, error.what()));
    }
  }
}

std::optional<std::string> text_for_stdout(const Exports& exports, const report::Result& result) {
  for (const Format& format : formats)
    if (exports.*format.file == "-") return format.render(result);
  return std::nullopt;
}

std::vector<std::string> write_exports(const Exports& exports, const report::Result& result, ExportJson json) {
  std::vector<std::string> errors;
  for (const Format& format : formats) {
    const std::string& file = exports.*format.file;
    if (file.empty() || file == "-") continue;
    if (format.file == &Exports::json && json == ExportJson::saved_already) continue;
    if (const auto error = write(file, result, format.render)) errors.push_back(*error);
  }
  return errors;
}

std::vector<std::string> write_page(const fs::path& file, const report::Result& result) {
  if (const auto error = write(file, result, report::to_html)) return {*error};
  return {};
}

}  // namespace tlsrig::cli
