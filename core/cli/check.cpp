// `tlsrig check`: judges a plugin by the contract.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/check/trial/check_plugin.hpp>
#include <tlsrig/cli/backends.hpp>
#include <tlsrig/cli/check_report.hpp>
#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/descriptors.hpp>
#include <tlsrig/cli/flag_values.hpp>
#include <tlsrig/cli/output.hpp>
#include <tlsrig/credentials/credentials.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>
#include <tlsrig/scenario/nearest.hpp>

namespace tlsrig::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string plugin, seed, colour = "auto";
  std::vector<std::string> steps, backend_places;
  bool trace = false, json = false, strict = false, in_process = false, verbose = false;
};

// A path, or the name of a backend that is found as a run finds it.
fs::path file_of(const std::string& plugin, const Located& located) {
  if (plugin.find('/') != std::string::npos || plugin.ends_with(".so")) return plugin;
  if (const auto found = located.plugins.find(plugin); found != located.plugins.end()) return found->second.path;
  if (const auto found = located.unusable.find(plugin); found != located.unusable.end()) return found->second.file;
  std::error_code failed;
  if (fs::exists(plugin, failed)) return fs::path(".") / plugin;
  throw Unusable(fmt::format("no plugin {} (looked in {}); name its file, or its directory with -B{}", plugin,
                             located.looked_in, scenario::did_you_mean(plugin, located.known().names)));
}

std::vector<check::Peer> peers_of(const fs::path& plugin, const Located& located) {
  std::vector<check::Peer> peers;
  std::error_code failed;
  for (const auto& [name, source] : located.plugins)
    if (!fs::equivalent(source.path, plugin, failed)) peers.push_back({name, source.path});
  return peers;
}

std::uint64_t seed_of(const Options& options) {
  const auto seed = number<std::uint64_t>("--seed", options.seed, 1, UINT64_MAX);
  return seed ? *seed : drawn_seed();
}

// A line on the terminal that is written over and gone at the end.
class Line {
 public:
  explicit Line(bool shown) : shown_(shown && ::isatty(STDERR_FILENO)) {}
  ~Line() { put(""); }
  void put(const std::string& text) const {
    if (shown_) fmt::print(stderr, "\r\x1b[K{}", text);
  }

 private:
  bool shown_;
};

// With the names that come near, or those that could stand there.
std::string unknown_step(const std::string& name, const check::CheckOptions& asked) {
  const std::string head = name.substr(0, name.find('/'));
  std::vector<std::string> known = check::step_names();
  const auto is_head = [&](const check::Step& step) { return step.name == head; };
  if (head == "interop") {
    known.clear();
    for (const check::Peer& peer : asked.peers) known.push_back("interop/" + peer.name);
    return fmt::format("--step {}: no peer is called that; there are {}", name, scenario::quoted_list(known));
  }
  if (std::any_of(check::steps().begin(), check::steps().end(), is_head))
    return fmt::format("--step {0}: no step is called that; there is {1}, {1}/wire and {1}/wire/1.3 (or fd, 1.2, none)",
                       name, head);
  if (std::find(known.begin(), known.end(), head) != known.end())
    return fmt::format("--step {}: no step is called that; {} is one step, of the plugin as a whole", name, head);
  return fmt::format("--step {}: no step is called that; `tlsrig check PLUGIN -v` shows all names{}", name,
                     scenario::did_you_mean(head, known));
}

check::Judged judged(const check::CheckOptions& asked, bool quiet) {
  const Line line(!quiet);
  try {
    return check::check_plugin(asked, [&](const check::CheckProgress& progress) {
      const std::string text = fmt::format("{}/{} {}", progress.done, progress.count, progress.latest);
      line.put(report::shortened(text, columns(STDERR_FILENO) - 1));
    });
  } catch (const check::UnknownStep& unknown) {
    throw Unusable(unknown_step(unknown.what(), asked));
  } catch (const credentials::CredentialsError& error) {
    throw Unusable(fmt::format("the certificates of the steps cannot be made: {}", error.what()));
  }
}

int status_of(const check::Judged& judged, bool strict) {
  if (!judged.loadable) return exit_status::unusable;
  const check::Verdict verdict = verdict_of(judged);
  if (verdict == check::Verdict::fail || (strict && verdict == check::Verdict::warn)) return exit_status::wanting;
  return exit_status::done;
}

// A step that does not apply to the plugin at all would pass unseen.
void refuse_unmatched(const check::CheckOptions& asked, const check::Judged& judged) {
  if (verdict_of(judged) == check::Verdict::fail) return;  // it may not have come that far
  for (const std::string& name : asked.steps) {
    const auto matches = [&](const check::Finding& finding) { return check::stands_for(name, finding); };
    if (std::none_of(judged.findings.begin(), judged.findings.end(), matches))
      throw Unusable(fmt::format("--step {}: {} offers {} over {}; its steps are called so, as in conversation/{}/{}",
                                 name, asked.plugin.string(), report::joined(judged.plugin.at("versions"), ", "),
                                 report::joined(judged.plugin.at("transports"), ", "),
                                 judged.plugin.at("transports").at(0).get<std::string>(),
                                 judged.plugin.at("versions").at(0).get<std::string>()));
  }
}

int check_command(const Options& options) {
  // Some steps hold hundreds of sockets. What the process runs out of would look like the plugin's fault.
  ensure_descriptors(512, "a check");
  const Located located = locate_backends(options.backend_places);
  for (const std::string& note : notes_to_tell(located, options.verbose, {options.plugin}))
    fmt::print(stderr, "tlsrig: {}\n", note);
  check::CheckOptions asked;
  asked.plugin = file_of(options.plugin, located);
  asked.peers = peers_of(asked.plugin, located);
  asked.steps = options.steps;
  asked.seed = seed_of(options);
  asked.in_process = options.in_process;
  // A name that begins like a flag would be taken for one when the command is repeated.
  const std::string named = options.plugin.starts_with('-') ? "./" + options.plugin : options.plugin;
  const CheckRequest request{named, options.backend_places, asked.seed};
  const check::Judged result = judged(asked, options.json);
  if (result.loadable) refuse_unmatched(asked, result);

  CheckStyle style;
  style.colour = use_colour(options.colour, STDOUT_FILENO);
  style.verbose = options.verbose;
  style.trace = options.trace;
  style.strict = options.strict;
  style.width = columns(STDOUT_FILENO);
  const std::string text =
      options.json
          ? check_json(result, request, options.trace).dump(2, ' ', false, check::Json::error_handler_t::replace) + "\n"
          : check_text(result, request, style);
  cli::print(text);
  return status_of(result, options.strict);
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "Judges a plugin by the contract, step by step");
  command->add_option("PLUGIN", options->plugin, "The file of a plugin, or the name of a backend")->required();
  command
      ->add_option(
          "--step", options->steps,
          "Only this step: \"pieces-of-1\" over all transports and versions, \"pieces-of-1/wire/1.3\" over one; "
          "may be repeated")
      ->allow_extra_args(false);
  command->add_option("--seed", options->seed, "Repeats what a check drew at random (a whole number from 1)");
  command->add_flag("--trace", options->trace, "Shows the last 40 calls of the contract of each step that failed");
  command->add_flag("--json", options->json, "Prints the judgement as JSON");
  command->add_flag("--strict", options->strict, "A WARN is a failure too");
  command->add_flag("--in-process", options->in_process,
                    "Runs the steps in this process, without deadlines: for gdb and valgrind");
  command
      ->add_option("-B,--backend-path", options->backend_places, "A plugin, or a directory of plugins; may be repeated")
      ->allow_extra_args(false);
  add_colour_option(*command, options->colour);
  command->add_flag("-v,--verbose", options->verbose, "A line for every step, and what the plugin printed");
  command->callback([&action, options] { action = [options] { return check_command(*options); }; });
}

}  // namespace tlsrig::cli
