// `tlsrig report`: results read back, put together, and shown in every form.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/exports.hpp>
#include <tlsrig/cli/output.hpp>
#include <tlsrig/cli/results.hpp>
#include <tlsrig/report/file/merge.hpp>
#include <tlsrig/report/file/read.hpp>

namespace tlsrig::cli {

namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> files;
  Exports exports;
  std::string colour = "auto";
  bool verbose = false;
};

void require_named_once(const std::vector<std::string>& files, const std::vector<std::string>& named) {
  std::error_code error;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = i + 1; j < files.size(); ++j)
      if (files[i] == files[j] || fs::equivalent(files[i], files[j], error))
        throw Unusable(fmt::format("{} and {} are the same file: a run counts once; name it once", named[i], named[j]));
}

// Tells what is wrong with every file, not only with the first.
std::vector<report::NamedResult> read_all(const std::vector<std::string>& files) {
  std::vector<report::NamedResult> results;
  std::string faults;
  for (const auto& file : files) {
    try {
      results.push_back({file, read_consistent(file)});
    } catch (const report::UnreadableResult& fault) {
      faults += fmt::format("{}{}", faults.empty() ? "" : "\ntlsrig: ", fault.what());
    }
  }
  if (!faults.empty()) throw Unusable(faults);
  return results;
}

int report_results(const ReportOptions& options) {
  std::vector<std::string> files;
  std::vector<TakenFile> taken;
  for (const auto& argument : options.files) {
    files.push_back(result_file(argument));
    taken.push_back({files.back(), "it is one of the results that are read"});
  }
  require_named_once(files, options.files);
  require_usable(options.exports, taken);
  const report::Result result = report::merge(read_all(files));

  const report::TextOptions text{use_colour(options.colour, STDOUT_FILENO), options.verbose, columns(STDOUT_FILENO)};
  const auto for_stdout = text_for_stdout(options.exports, result);
  const std::string shown = for_stdout ? *for_stdout : report::to_text(result, text);
  const auto errors = write_exports(options.exports, result, ExportJson::yes);
  for (const auto& error : errors) std::fprintf(stderr, "tlsrig: %s\n", error.c_str());
  return print(shown) && errors.empty() ? exit_status::done : exit_status::incomplete;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand(
      "report", "Shows results again, several in one report, or writes them in another form; compares nothing");
  command
      ->add_option("RESULT", options->files,
                   "Results of `tlsrig run`: files, directories with a result.json, or - for standard input")
      ->required();
  add_export_options(*command, options->exports);
  add_colour_option(*command, options->colour);
  command->add_flag("-v,--verbose", options->verbose, "More in the report: counts and placements");
  command->callback([&action, options] { action = [options] { return report_results(*options); }; });
}

}  // namespace tlsrig::cli
