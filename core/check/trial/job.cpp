// The jobs of a check.
#include <tlsrig/check/trial/job.hpp>

#include <fmt/format.h>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/host/loaded_files.hpp>

namespace tlsrig::check {

namespace {

std::vector<std::string> names_in(const char* const* names) {
  std::vector<std::string> list;
  for (; names && *names; ++names) list.emplace_back(*names);
  return list;
}

// The libraries that come with the plugin and not with the program.
Json own_libraries(const host::Backend& backend) {
  const host::LoadedFiles loaded;
  const host::LoadedFile* const own = loaded.find(&backend.table());
  Json paths = Json::array();
  for (const host::LoadedFile* const file : host::own_files(loaded, *own))
    if (file != own) paths.push_back(file->path.string());
  return paths;
}

Json describe(const host::Backend& backend) {
  const tlsrig_info& info = backend.info();
  Json files = Json::array();
  for (const host::LibraryFile& file : backend.files())
    files.push_back({{"path", file.path.string()}, {"build_id", file.build_id.empty() ? Json() : Json(file.build_id)}});
  return {{"name", info.name},
          {"library", info.library},
          {"build", info.build},
          {"files", std::move(files)},
          {"libraries", own_libraries(backend)},
          {"warnings", backend.warnings()},
          {"extensions", backend.extensions()},
          {"protocols", info.protocols},
          {"transports", info.transports},
          {"ciphers", names_in(info.ciphers)},
          {"groups", names_in(info.groups)}};
}

Setup over_combination(Setup setup, const Combination& over) {
  setup.protocol = over.protocol;
  setup.transport = over.transport;
  return setup;
}

}  // namespace

Job description_job(const std::filesystem::path& plugin) {
  Job job;
  job.finding.step = "start";
  job.finding.law = "start is called once, answers OK within 10 s and gives a constant tlsrig_info";
  job.finding.cure =
      "answer ERROR with a text when the library cannot be used; wait for nothing, end nothing, let no "
      "exception out";
  job.work = [plugin](Workplace& here) {
    const host::Backend& backend = here.backend(plugin);
    return Told{{Verdict::pass, fmt::format("{}, {}", backend.name(), backend.info().library)}, describe(backend)};
  };
  return job;
}

std::vector<Finding> findings_of_description(const std::filesystem::path& plugin, const Json& description) {
  Finding name;
  name.step = "name";
  name.law = "a run finds a plugin by the name of its file, which is info.name";
  name.cure = "give both the same name: scenarios and -b use it";
  const std::string told = description.at("name"), stem = plugin.stem().string();
  if (told != stem)
    name.outcome = {Verdict::fail,
                    fmt::format("the plugin calls itself \"{}\", its file \"{}\"; a run refuses it", told, stem)};

  Finding anchors;
  anchors.step = "anchors";
  anchors.law = "info.anchors holds functions of the library: that is how a run proves whose code it ran";
  anchors.cure = "put the address of one function that the backend uses from each library file into info.anchors";
  const Json &files = description.at("files"), &libraries = description.at("libraries");
  bool own = false, named = false;
  std::string paths, found;
  const auto add = [](std::string& list, const Json& path) {
    list += (list.empty() ? "" : ", ") + path.get<std::string>();
  };
  for (const Json& file : files) {
    std::error_code failed;
    own |= std::filesystem::equivalent(plugin, file.at("path").get<std::string>(), failed);
    for (const Json& library : libraries) named |= file.at("path") == library;
    add(found, file.at("path"));
  }
  for (const Json& library : libraries) add(paths, library);
  if (!own && !named)
    anchors.outcome = {Verdict::warn,
                       fmt::format("no anchor lies in the plugin or in a library of its own ({})", found)};
  else if (!named && !libraries.empty())
    anchors.outcome = {Verdict::warn,
                       fmt::format("every anchor lies in the plugin itself, and none in what it needs ({})", paths)};
  return {name, anchors};
}

Job orderly_exit_job(const std::filesystem::path& plugin, const Setup& setup, const Combination& over) {
  Job job;
  job.finding.step = "orderly-exit";
  job.finding.law = "a plugin is never unloaded: its exit handlers, and its library's, run when the program ends";
  job.finding.cure =
      "join the threads that the plugin started, and leave nothing to an exit handler that needs what "
      "another one has freed";
  job.leaves = Child::Leaves::by_exit;
  job.work = [plugin, setup = over_combination(setup, over)](Workplace& here) mutable {
    setup.backend = &here.backend(plugin);
    return Told{judged<[](const Setup& with) {
      Established stand(with);
      exchange(stand.bench, 1024);
      end_orderly(stand.bench);
    }>(setup)};
  };
  return job;
}

Job step_job(const std::filesystem::path& plugin, const Step& step, const Setup& setup, const Combination& over) {
  Job job;
  job.finding.step = step.name;
  job.finding.transport = over.transport_word();
  job.finding.version = over.version_word();
  job.finding.law = step.law;
  job.finding.cure = step.cure;
  job.work = [plugin, run = step.run, setup = over_combination(setup, over)](Workplace& here) mutable {
    setup.backend = &here.backend(plugin);
    setup.signals_before = &here.signals();
    return Told{run(setup)};
  };
  return job;
}

}  // namespace tlsrig::check
