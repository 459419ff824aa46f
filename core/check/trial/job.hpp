// What is to be done for one finding, and the finding as far as it is known before.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <tlsrig/check/trial/child.hpp>
#include <tlsrig/check/trial/combination.hpp>
#include <tlsrig/check/trial/finding.hpp>
#include <tlsrig/check/trial/workplace.hpp>

namespace tlsrig::check {

// A backend to talk to.
struct Peer {
  std::string name;
  std::filesystem::path plugin;
};

struct Job {
  Finding finding;                       // step, transport, version, law, cure
  std::function<Told(Workplace&)> work;  // in the step's process
  Child::Leaves leaves = Child::Leaves::at_once;
  Peer peer = {};  // whom it talks to, if anybody
};

// Loads and starts the plugin and tells what it is: name, library, build, files, warnings, extensions, protocols,
// transports, ciphers, groups.
Job description_job(const std::filesystem::path& plugin);

// What its description tells of it: whether it can be found by its name, and whether its anchors show whose code runs.
std::vector<Finding> findings_of_description(const std::filesystem::path& plugin, const Json& description);

// A process that has used the backend and then ends as programs do, with all exit handlers.
Job orderly_exit_job(const std::filesystem::path& plugin, const Setup& setup, const Combination& over);

// One conformance step. It outlives the job, as the list of all steps does.
Job step_job(const std::filesystem::path& plugin, const Step& step, const Setup& setup, const Combination& over);

// Both ways with another backend: each cipher and each group that both have, and each way to resume.
Job interop_job(const std::filesystem::path& plugin, const Peer& peer, const Setup& setup, const Combination& over);

}  // namespace tlsrig::check
