// `tlsrig list`: backends, scenarios, workloads.
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <tlsrig/cli/backends.hpp>
#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/list_backends.hpp>
#include <tlsrig/cli/output.hpp>
#include <tlsrig/cli/scenario_files.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/scenario/legs.hpp>

namespace tlsrig::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string words(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

int list_scenarios(bool json) {
  const auto known = locate_backends({}).known();
  Json scenarios = Json::array();
  for (const auto& directory : scenario_directories()) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() != ".toml") continue;
      const auto outcome = scenario::read_scenario(entry.path(), {}, known);
      Json scenario{{"name", entry.path().stem().string()}, {"file", entry.path().string()}};
      if (outcome.plan)
        scenario.update({{"workload", outcome.plan->effective.value("workload", "")},
                         {"cells", outcome.plan->cells.size()},
                         {"description", outcome.plan->description}});
      else
        scenario["fault"] = outcome.diagnostics.front().what();
      scenarios.push_back(std::move(scenario));
    }
  }
  std::sort(scenarios.begin(), scenarios.end(),
            [](const Json& left, const Json& right) { return left.at("name") < right.at("name"); });
  if (json) {
    cli::print(fmt::format("{}\n", scenarios.dump(2, ' ', false, Json::error_handler_t::replace)));
    return exit_status::done;
  }
  if (scenarios.empty()) cli::print(fmt::format("no scenario files found; give `tlsrig run` the path of one\n"));
  std::size_t widest = 0;
  for (const auto& scenario : scenarios) widest = std::max(widest, scenario.value("name", std::string()).size());
  for (const auto& scenario : scenarios) {
    const auto text = [&](const char* key) { return scenario.value(key, std::string()); };
    const bool good = !scenario.contains("fault");
    const int cells = scenario.value("cells", 0);
    const std::string head = good ? fmt::format("{:<{}} {:<8} {:>3} {:<5}  ", text("name"), widest, text("workload"),
                                                cells, cells == 1 ? "cell" : "cells")
                                  : fmt::format("{:<{}} ", text("name"), widest);
    cli::print(fmt::format("{}", report::wrapped(good ? text("description") : text("fault"), columns(STDOUT_FILENO),
                                                 head, std::string(report::display_width(head), ' '))));
  }
  return exit_status::done;
}

int list_workloads(bool json) {
  struct Description {
    scenario::Workload workload;
    const char* name;
    const char* operation;
    const char* text;
  };
  static constexpr Description descriptions[] = {
      {scenario::Workload::engine, "engine", "one handshake, message, context pair or session pair",
       "The library alone: both sides in one process, joined by memory, no socket."},
      {scenario::Workload::echo, "echo", "one round trip: request out, reply in",
       "Requests and replies over loopback TCP, client and server in processes of their own; with [relay] through a "
       "third."},
      {scenario::Workload::stream, "stream", "one message, one way, taken in by the sink",
       "Messages one way over loopback TCP, source and sink in processes of their own."},
      {scenario::Workload::pipe, "pipe", "one message, one way, taken in by the sink",
       "A stream through a relay: source, relay and sink in processes of their own, each leg with TLS or plain."},
  };
  Json workloads = Json::array();
  for (const auto& description : descriptions) {
    scenario::Settings settings;
    settings.workload = description.workload;
    settings.relay.present = description.workload == scenario::Workload::pipe;
    workloads.push_back({{"name", description.name},
                         {"operation", description.operation},
                         {"roles", scenario::roles_of(settings)},
                         {"description", description.text}});
  }
  if (json) {
    cli::print(fmt::format("{}\n", workloads.dump(2, ' ', false, Json::error_handler_t::replace)));
    return exit_status::done;
  }
  for (const auto& workload : workloads)
    cli::print(fmt::format("{:<8} {}\n         operation: {}; roles: {}\n", workload.at("name").get<std::string>(),
                           workload.at("description").get<std::string>(), workload.at("operation").get<std::string>(),
                           words(workload.at("roles").get<std::vector<std::string>>())));
  return exit_status::done;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  struct Options {
    std::string what;
    std::vector<std::string> backend_places, variants;
    bool json = false, verbose = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "Lists backends, scenarios or workloads");
  command->add_option("WHAT", options->what, "backends, scenarios or workloads")
      ->required()
      ->check(CLI::IsMember({"backends", "scenarios", "workloads"}));
  command->add_flag("--json", options->json, "As JSON");
  command->add_flag("-v,--verbose", options->verbose,
                    "backends: every cipher suite by its name, and all files passed over");
  command->add_option("-B,--backend-path", options->backend_places, "A plugin, or a directory of plugins")
      ->allow_extra_args(false);
  command
      ->add_option("--variant", options->variants,
                   "NAME=PLUGIN:DIR, backends: how PLUGIN is on the library files of DIR; may be repeated")
      ->allow_extra_args(false);
  command->callback([&action, options] {
    action = [options] {
      if (options->what == "backends")
        return list_backends(options->backend_places, options->variants, options->json, options->verbose);
      if (options->what == "scenarios") return list_scenarios(options->json);
      return list_workloads(options->json);
    };
  });
}

}  // namespace tlsrig::cli
