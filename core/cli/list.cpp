#include <fmt/format.h>
#include <algorithm>

#include <CLI/CLI.hpp>

#include <tlsrig/cli/backends.hpp>
#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/scenario_files.hpp>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string words(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

Json chooses_tls13_ciphers(const rig::InspectedBackend& backend) {
  if (!(backend.protocols & TLSRIG_TLS_1_3)) return nullptr;
  return std::any_of(backend.ciphers.begin(), backend.ciphers.end(),
                     [](const std::string& cipher) { return cipher.find("_WITH_") == std::string::npos; });
}

Json backend_json(const rig::InspectedBackend& backend) {
  using State = rig::InspectedBackend::State;
  Json json{{"name", backend.name}, {"plugin", backend.source.path}};
  json["state"] = backend.state == State::ready ? "ready" : backend.state == State::refused ? "refused" : "missing";
  if (backend.state != State::ready) {
    json["reason"] = backend.reason;
    return json;
  }
  Json protocols = Json::array();
  if (backend.protocols & TLSRIG_TLS_1_2) protocols.push_back("1.2");
  if (backend.protocols & TLSRIG_TLS_1_3) protocols.push_back("1.3");
  Json transports = Json::array();
  if (backend.transports & TLSRIG_FD) transports.push_back("fd");
  if (backend.transports & TLSRIG_WIRE) transports.push_back("wire");
  Json files = Json::array();
  for (const auto& file : backend.record.files) files.push_back({{"path", file.path}, {"build_id", file.build_id}});
  json.update({{"library", backend.record.library},
               {"build", backend.record.build},
               {"files", std::move(files)},
               {"versions", std::move(protocols)},
               {"transports", std::move(transports)},
               {"ciphers", backend.ciphers},
               {"chooses_tls13_ciphers", chooses_tls13_ciphers(backend)},
               {"groups", backend.groups},
               {"warnings", backend.record.warnings}});
  return json;
}

void print_backend(const Json& backend) {
  const auto line = [](const char* name, const std::string& text) {
    if (!text.empty()) fmt::print("  {:<11}{}\n", name, text);
  };
  const auto list = [&](const char* key) { return words(backend.at(key).get<std::vector<std::string>>()); };
  if (backend.at("state") != "ready") {
    fmt::print("{}: {}\n", backend.at("name").get<std::string>(), backend.at("state").get<std::string>());
    line("reason", backend.at("reason").get<std::string>());
    return;
  }
  fmt::print("{}: {}\n", backend.at("name").get<std::string>(), backend.at("library").get<std::string>());
  line("plugin", backend.at("plugin").get<std::string>());
  for (const auto& file : backend.at("files"))
    line("file",
         fmt::format("{} (build-id {})", file.at("path").get<std::string>(), file.at("build_id").get<std::string>()));
  line("build", backend.at("build").get<std::string>());
  line("versions", list("versions"));
  line("transports", list("transports"));
  line("ciphers", list("ciphers"));
  if (backend.at("chooses_tls13_ciphers") == false)
    line("", "TLS 1.3 ciphers cannot be chosen: an arm is unsupported unless the one asked for is negotiated");
  line("groups", list("groups"));
  for (const auto& warning : backend.at("warnings")) line("WARNING", warning.get<std::string>());
}

int list_backends(const std::vector<std::string>& places, bool json) {
  const Located located = locate_backends(places);
  rig::Interruption interruption;
  Json backends = Json::array();
  for (const auto& name : located.known().names)
    backends.push_back(backend_json(inspect_backend(name, located, interruption)));
  if (json) {
    fmt::print("{}\n", backends.dump(2, ' ', false, Json::error_handler_t::replace));
    return exit_status::done;
  }
  for (const auto& backend : backends) print_backend(backend);
  for (const auto& note : located.notes) fmt::print("passed over: {}\n", note.text);
  return exit_status::done;
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
    fmt::print("{}\n", scenarios.dump(2, ' ', false, Json::error_handler_t::replace));
    return exit_status::done;
  }
  if (scenarios.empty()) fmt::print("no scenario files found; give `tlsrig run` the path of one\n");
  for (const auto& scenario : scenarios) {
    const auto text = [&](const char* key) { return scenario.value(key, std::string()); };
    if (scenario.contains("fault"))
      fmt::print("{:<16} {}\n", text("name"), text("fault"));
    else
      fmt::print("{:<16} {:<8} {:>3} cells  {}\n", text("name"), text("workload"), scenario.value("cells", 0),
                 text("description"));
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
      {scenario::Workload::engine, "engine", "one handshake, or one message",
       "The library alone: both sides in one process, joined by memory, no socket."},
      {scenario::Workload::echo, "echo", "one round trip: request out, reply in",
       "Requests and replies over loopback TCP, client and server in processes of their own."},
  };
  Json workloads = Json::array();
  for (const auto& description : descriptions)
    workloads.push_back({{"name", description.name},
                         {"operation", description.operation},
                         {"roles", workloads::roles_of(description.workload)},
                         {"description", description.text}});
  if (json) {
    fmt::print("{}\n", workloads.dump(2, ' ', false, Json::error_handler_t::replace));
    return exit_status::done;
  }
  for (const auto& workload : workloads)
    fmt::print("{:<8} {}\n         operation: {}; roles: {}\n", workload.at("name").get<std::string>(),
               workload.at("description").get<std::string>(), workload.at("operation").get<std::string>(),
               words(workload.at("roles").get<std::vector<std::string>>()));
  return exit_status::done;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  struct Options {
    std::string what;
    std::vector<std::string> backend_places;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "Lists backends, scenarios or workloads");
  command->add_option("WHAT", options->what, "backends, scenarios or workloads")
      ->required()
      ->check(CLI::IsMember({"backends", "scenarios", "workloads"}));
  command->add_flag("--json", options->json, "As JSON");
  command->add_option("-B,--backend-path", options->backend_places, "A plugin, or a directory of plugins")
      ->allow_extra_args(false);
  command->callback([&action, options] {
    action = [options] {
      if (options->what == "backends") return list_backends(options->backend_places, options->json);
      if (options->what == "scenarios") return list_scenarios(options->json);
      return list_workloads(options->json);
    };
  });
}

}  // namespace tlsrig::cli
