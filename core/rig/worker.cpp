#include <tlsrig/rig/worker.hpp>

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <list>
#include <memory>

#include <tlsrig/host/backend.hpp>
#include <tlsrig/host/context.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/cpu.hpp>
#include <tlsrig/rig/channel.hpp>
#include <tlsrig/scenario/plan.hpp>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::rig {

namespace {

Json describe(const host::Backend& backend) {
  const tlsrig_info& info = backend.info();
  Json files = Json::array();
  for (const auto& file : backend.files()) files.push_back({{"path", file.path.string()}, {"build_id", file.build_id}});
  const auto names = [](const char* const* list) {
    Json array = Json::array();
    for (; list && *list; ++list) array.push_back(*list);
    return array;
  };
  return {{"name", info.name},
          {"library", info.library},
          {"build", info.build ? info.build : ""},
          {"files", std::move(files)},
          {"warnings", backend.warnings()},
          {"protocols", info.protocols},
          {"transports", info.transports},
          {"ciphers", names(info.ciphers)},
          {"groups", names(info.groups)}};
}

class Worker {
 public:
  explicit Worker(int control_fd) : channel_(control_fd) {}

  int run() {
    Json request;
    while (channel_.receive(request) == Received::message) {
      const std::string step = request.value("do", "");
      if (step == "end") return 0;
      if (!channel_.send(answer(step, request))) break;
    }
    return 1;  // the rig is gone
  }

 private:
  Json answer(const std::string& step, const Json& request) {
    const auto failed = [&](const std::string& kind, const char* reason) {
      return Json{{"failed", step}, {"kind", kind}, {"reason", reason}};
    };
    try {
      Json done{{"done", step}};
      done.update(perform(step, request));
      return done;
    } catch (const host::Refusal& refusal) {
      return failed("refused", refusal.what());
    } catch (const host::Unsupported& unsupported) {
      return {{"unsupported", step}, {"reason", unsupported.what()}};
    } catch (const host::SetupError& error) {
      return failed("setup", error.what());
    } catch (const workloads::StepError& error) {
      return failed(error.kind, error.what());
    } catch (const std::exception& error) {
      return failed("other", error.what());
    }
  }

  Json perform(const std::string& step, const Json& request) {
    if (step == "load") return load(request);
    if (step == "assign") return assign(request);
    if (!participant_) throw workloads::StepError("config", "the step \"" + step + "\" came before \"assign\"");
    if (step == "prepare") return participant_->prepare();
    if (step == "connect") return participant_->connect(request);
    if (step == "warm_up") return participant_->warm_up(interval(request));
    if (step == "slice") return slice(interval(request));
    if (step == "finish") return participant_->finish();
    if (step == "pause") return Json::object();
    throw workloads::StepError("config", "there is no step \"" + step + "\"");
  }

  // request: {"plugins": [{"path": FILE, "library_directory": DIR or ""}, ...]}
  Json load(const Json& request) {
    Json loaded = Json::array();
    for (const Json& plugin : request.at("plugins")) {
      backends_.push_back(
          host::Backend::load(plugin.at("path").get<std::string>(), plugin.value("library_directory", std::string())));
      loaded.push_back(describe(backends_.back()));
    }
    return {{"backends", std::move(loaded)}};
  }

  // request: {"role", "settings", "client": index of plugins or -1, "server": likewise, "certificates", ...}
  Json assign(const Json& request) {
    assignment_.role = request.at("role").get<std::string>();
    assignment_.settings = scenario::settings_from_json(request.at("settings"));
    assignment_.client = backend_at(request.at("client").get<int>());
    assignment_.server = backend_at(request.at("server").get<int>());
    assignment_.certificates = certificates(request.at("certificates"));
    assignment_.placement_seed = request.at("placement_seed").get<std::uint64_t>();
    assignment_.control_fd = channel_.fd();
    participant_ = workloads::make_participant(assignment_);
    return Json::object();
  }

  static workloads::CertificatePaths certificates(const Json& json) {
    workloads::CertificatePaths paths;
    paths.server_chain = json.at("server_chain").get<std::string>();
    paths.server_key = json.at("server_key").get<std::string>();
    paths.client_chain = json.at("client_chain").get<std::string>();
    paths.client_key = json.at("client_key").get<std::string>();
    paths.trust = json.at("trust").get<std::string>();
    paths.server_name = json.at("server_name").get<std::string>();
    return paths;
  }

  const host::Backend* backend_at(int index) { return index < 0 ? nullptr : &*std::next(backends_.begin(), index); }

  static workloads::Slice interval(const Json& request) {
    return {request.at("begin_ns").get<std::int64_t>(), request.at("end_ns").get<std::int64_t>()};
  }

  Json slice(const workloads::Slice& slice) {
    measure::sleep_until_ns(slice.begin_ns);
    const std::int64_t late_ns = measure::now_ns() - slice.begin_ns;
    const measure::CpuUse before = measure::process_cpu_use();
    const workloads::SliceCount count = participant_->slice(slice);
    const measure::CpuUse used = measure::process_cpu_use() - before;
    return {{"operations", count.operations},
            {"seconds", count.seconds},
            {"cpu_user", used.user_seconds - count.excluded_cpu_seconds},
            {"cpu_system", used.system_seconds},
            {"involuntary_switches", used.involuntary_switches},
            {"late_seconds", 1e-9 * static_cast<double>(late_ns)}};
  }

  Channel channel_;
  std::list<host::Backend> backends_;  // a list: assignments point into it
  workloads::Assignment assignment_;
  std::unique_ptr<workloads::Participant> participant_;
};

}  // namespace

int run_worker(int control_fd) {
  std::signal(SIGPIPE, SIG_IGN);       // a vanished peer is an ordinary error
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a rig that was killed leaves no worker behind
  return Worker(control_fd).run();
}

}  // namespace tlsrig::rig
