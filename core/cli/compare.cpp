// `tlsrig compare`: a new result against an old one.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/exports.hpp>
#include <tlsrig/cli/output.hpp>
#include <tlsrig/cli/results.hpp>
#include <tlsrig/judge/compare_results.hpp>
#include <tlsrig/report/file/file.hpp>
#include <tlsrig/report/render.hpp>
#include <tlsrig/report/terminal/comparison_text.hpp>
#include <tlsrig/scenario/units.hpp>

namespace tlsrig::cli {

namespace {

struct CompareArguments {
  std::string old_file, new_file, reference, threshold = "5%", export_markdown, colour = "auto";
  bool other_machine = false, other_scenario = false;
};

// "5%" as 0.05. A bare number could be meant either way.
double threshold_from(const std::string& text) {
  const auto share = scenario::parse_percent(text);
  if (!share || *share > 10)
    throw Unusable(fmt::format("--threshold: found \"{}\"; allowed: a percentage from 0% to 1000%, such as 5%", text));
  return *share;
}

// Prints, writes; gives whether all of it could be written.
bool tell(const report::RunComparison& comparison, const CompareArguments& arguments) {
  const bool markdown_to_stdout = arguments.export_markdown == "-";
  const report::TextOptions text{use_colour(arguments.colour, STDOUT_FILENO), false, columns(STDOUT_FILENO)};
  bool written = true;
  if (!arguments.export_markdown.empty() && !markdown_to_stdout) {
    try {
      report::write_file_atomically(arguments.export_markdown, report::to_markdown(comparison));
    } catch (const std::system_error& error) {
      std::fprintf(stderr, "tlsrig: %s\n", error.what());
      written = false;
    }
  }
  return print(markdown_to_stdout ? report::to_markdown(comparison) : report::to_text(comparison, text)) && written;
}

int compare(const CompareArguments& arguments) {
  const double threshold = threshold_from(arguments.threshold);
  if (arguments.old_file == "-" && arguments.new_file == "-")
    throw Unusable("OLD and NEW are both \"-\": standard input can be read once");
  const std::string old_file = result_file(arguments.old_file), new_file = result_file(arguments.new_file);
  Exports exports;
  exports.markdown = arguments.export_markdown;
  require_usable(exports, {{old_file, "it is one of the results that are compared"},
                           {new_file, "it is one of the results that are compared"}});
  const report::Result old_result = read_consistent(old_file), new_result = read_consistent(new_file);
  const auto comparison =
      judge::compare_results(old_result, old_file, new_result, new_file,
                             {arguments.reference, threshold, arguments.other_machine, arguments.other_scenario});
  const bool told = tell(comparison, arguments);
  const auto counts = report::count_changes(comparison);
  // Lost arms come before "nothing judged": they may be why there is nothing, and are what a gate is there for.
  if (counts.judged == 0 && counts.lost == 0) {
    std::fputs("tlsrig: nothing could be judged: no arm has a ratio with an interval in both results\n", stderr);
    return exit_status::unusable;
  }
  if (!told) return exit_status::incomplete;
  return counts.worse > 0 || counts.lost > 0 ? exit_status::wanting : exit_status::done;
}

constexpr const char* explanation =
    "Each arm's ratio to a reference arm of its own run is compared with the same ratio of the other run: absolute "
    "values of two runs say more about the machine than about the library. To compare two builds of a library, do not "
    "compare two runs: put both builds into one, with `tlsrig run --variant NAME=PLUGIN:DIR`; that is several times "
    "sharper.\n\n"
    "Exit status: 1 when a 95 % interval lies wholly beyond the threshold on the worse side, or an arm that had "
    "numbers in OLD has none in NEW; 2 when nothing could be compared; 3 when the comparison could not be written.";

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand("compare", "Compares a new result with an old one, by ratios within each run");
  command->footer(explanation);
  command
      ->add_option("OLD", arguments->old_file,
                   "The earlier result: a file, a directory with a result.json, or - for standard input")
      ->required();
  command->add_option("NEW", arguments->new_file, "The later result")->required();
  command->add_option("--reference", arguments->reference,
                      "The arm that the others are put in relation to (default: plaintcp; of an engine, and where "
                      "plaintcp is no arm, the baseline)");
  command->add_option("--threshold", arguments->threshold, "What a change for the worse has to exceed (default: 5%)");
  command->add_flag("--allow-other-machine", arguments->other_machine, "Compare results of different machines");
  command->add_flag("--allow-other-scenario", arguments->other_scenario,
                    "Compare what both have, though they did not measure the same");
  command->add_option("--export-markdown", arguments->export_markdown,
                      "Write the comparison for a pull request; - is standard output, in place of the text");
  add_colour_option(*command, arguments->colour);
  command->callback([&action, arguments] { action = [arguments] { return compare(*arguments); }; });
}

}  // namespace tlsrig::cli
