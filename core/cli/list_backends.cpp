// The entries of the list, for people and for programs.
#include <tlsrig/cli/list_backends.hpp>

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tlsrig/cli/backends.hpp>
#include <tlsrig/cli/command.hpp>
#include <tlsrig/cli/output.hpp>
#include <tlsrig/report/words/format.hpp>

namespace tlsrig::cli {

namespace {

using Json = nlohmann::ordered_json;
using State = rig::InspectedBackend::State;

const char* word_for(State state) {
  return state == State::ready ? "ready" : state == State::refused ? "refused" : "missing";
}

Json to_json(const rig::InspectedBackend& backend) {
  Json json{{"name", backend.name}, {"plugin", backend.source.path}, {"state", word_for(backend.state)}};
  if (backend.state != State::ready) {
    json["reason"] = backend.reason;
    return json;
  }
  Json files = Json::array();
  for (const auto& file : backend.record.files)
    files.push_back({{"path", file.path}, {"build_id", file.build_id.empty() ? Json(nullptr) : Json(file.build_id)}});
  json["library"] = backend.record.library;
  json["build"] = backend.record.build;
  json["files"] = std::move(files);
  json.update(backend.record.features);
  json["warnings"] = backend.record.warnings;
  return json;
}

// One backend, wrapped to the terminal.
class Entry {
 public:
  Entry(unsigned width, bool verbose) : width_(width), verbose_(verbose) {}

  void print(const rig::InspectedBackend& backend) const {
    if (backend.state != State::ready) {
      cli::print(fmt::format("{}: {}\n", backend.name, word_for(backend.state)));
      line("reason", backend.reason);
      return;
    }
    cli::print(fmt::format("{}: {}\n", backend.name, backend.record.library));
    line("plugin", backend.source.path);
    for (const auto& file : backend.record.files) {
      line("file", file.path);
      line("", file.build_id.empty() ? "without build-id" : "build-id " + file.build_id);
    }
    line("build", backend.record.build);
    print_abilities(backend);
    for (const auto& warning : backend.record.warnings) line("WARNING", warning);
  }

 private:
  void line(std::string_view label, std::string_view text) const {
    if (text.empty()) return;
    cli::print(fmt::format("{}", report::wrapped(text, width_, fmt::format("  {:<12}", label), std::string(14, ' '))));
  }

  void print_abilities(const rig::InspectedBackend& backend) const {
    const Json& features = backend.record.features;
    const auto names = [&](const char* key) {
      return fmt::format("{}", fmt::join(features.at(key).get<std::vector<std::string>>(), ", "));
    };
    line("TLS", backend.plain() ? "none: the yardstick of the others" : names("versions"));
    line("transports", names("transports"));
    if (!backend.plain()) {
      const std::size_t ciphers = backend.ciphers.size();
      line("ciphers", verbose_ ? fmt::format("{}: {}", ciphers, names("ciphers"))
                               : fmt::format("{} suites (-v names them)", ciphers));
      if (features.at("chooses_tls13_ciphers") == false)
        line("", "those of TLS 1.3 cannot be chosen: an arm is unsupported unless the one asked for is negotiated");
      line("groups", fmt::format("{}: {}", backend.groups.size(), names("groups")));
    }
    line("extensions", backend.extensions.empty() ? "none" : names("extensions"));
  }

  unsigned width_;
  bool verbose_;
};

}  // namespace

int list_backends(const std::vector<std::string>& places, const std::vector<std::string>& variants, bool json,
                  bool verbose) {
  Located located = locate_backends(places);
  const auto asked = scenario::variants_of_flags(variants, located.known());
  if (!asked.diagnostics.empty()) throw Unusable(asked.diagnostics.front().what());
  for (const auto& variant : asked.variants) located.variants.emplace(variant.name, variant);
  rig::Interruption interruption;
  std::vector<rig::InspectedBackend> backends;
  for (const auto& name : located.known().names)
    backends.push_back(inspect_backend(name, located, nullptr, interruption));
  for (const auto& variant : asked.variants)
    backends.push_back(inspect_backend(variant.name, located, nullptr, interruption));
  if (json) {
    Json list = Json::array();
    for (const auto& backend : backends) list.push_back(to_json(backend));
    cli::print(fmt::format("{}\n", list.dump(2, ' ', false, Json::error_handler_t::replace)));
    return exit_status::done;
  }
  const Entry entry(columns(STDOUT_FILENO), verbose);
  for (const auto& backend : backends) entry.print(backend);
  for (const auto& note : notes_to_tell(located, verbose)) cli::print(note + "\n");
  return exit_status::done;
}

}  // namespace tlsrig::cli
