// The loop that answers the rig.
#include <tlsrig/rig/worker.hpp>

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/host/backend.hpp>
#include <tlsrig/host/context.hpp>
#include <tlsrig/host/fault_watch.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/cpu.hpp>
#include <tlsrig/measure/processors.hpp>
#include <tlsrig/rig/channel.hpp>
#include <tlsrig/scenario/plan.hpp>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::rig {

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
          {"groups", names(info.groups)},
          {"extensions", backend.extensions()}};
}

namespace {

class Worker {
 public:
  // shares_process: other roles run in this process too.
  Worker(int control_fd, LoadedBackends& loaded, bool shares_process)
      : channel_(control_fd), loaded_(loaded), shares_process_(shares_process) {}

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
    if (step == "settle") return participant_->settle(request.at("bytes_sent").get<std::uint64_t>());
    if (step == "slice") return slice(interval(request));
    if (step == "finish") return participant_->finish();
    throw workloads::StepError("config", "there is no step \"" + step + "\"");
  }

  // request: {"plugins": [{"path": FILE, "library_directory": DIR or "", "files": [{"path", "build_id"}, ...]}, ...]}
  Json load(const Json& request) {
    Json loaded = Json::array();
    for (const PluginSource& source : sources_of(request)) {
      backends_.push_back(&loaded_.load(source));
      loaded.push_back(describe(*backends_.back()));
    }
    return {{"backends", std::move(loaded)}};
  }

  static void run_on(const Json& processors) {
    if (!measure::run_on(processors.get<std::vector<unsigned>>()))
      throw workloads::StepError("system",
                                 fmt::format("cannot run on the processors {} alone: {} (measure.processors = "
                                             "\"free\" leaves the choice to the system)",
                                             processors.dump(), std::strerror(errno)));
  }

  // request: {"role", "processors": the only ones to run on or null, "settings", "client": index of plugins or -1,
  // "server": likewise, "certificates", ...}
  Json assign(const Json& request) {
    if (const Json& processors = request.at("processors"); !processors.is_null()) run_on(processors);
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

  const host::Backend* backend_at(int index) const {
    return index < 0 ? nullptr : backends_.at(static_cast<std::size_t>(index));
  }

  static workloads::Slice interval(const Json& request) {
    return {request.at("begin_ns").get<std::int64_t>(), request.at("end_ns").get<std::int64_t>(),
            request.value("measured", true)};
  }

  Json slice(const workloads::Slice& slice) {
    measure::sleep_until_ns(slice.begin_ns);
    const std::int64_t late_ns = measure::now_ns() - slice.begin_ns;
    const auto before = cpu_use();
    const workloads::SliceCount count = participant_->slice(slice);
    const auto after = cpu_use();
    Json answer{{"operations", count.operations},
                {"seconds", count.seconds},
                {"cpu_user", nullptr},
                {"cpu_system", nullptr},
                {"involuntary_switches", nullptr},
                {"late_seconds", 1e-9 * static_cast<double>(late_ns)}};
    if (count.client_share) answer["client_share"] = *count.client_share;
    if (before && after) {
      const measure::CpuUse used = *after - *before;
      answer["cpu_user"] = used.user_seconds - count.excluded_cpu_seconds;
      answer["cpu_system"] = used.system_seconds;
      answer["involuntary_switches"] = used.involuntary_switches;
    }
    return answer;
  }

  // Of this role alone; nothing where it cannot be told apart from the others of this process.
  std::optional<measure::CpuUse> cpu_use() const {
    if (!shares_process_) return measure::process_cpu_use();
    if (scenario::threads_of(assignment_.settings) != 1) return std::nullopt;
    return measure::thread_cpu_use();
  }

  Channel channel_;
  LoadedBackends& loaded_;
  const bool shares_process_;
  std::vector<const host::Backend*> backends_;
  workloads::Assignment assignment_;
  std::unique_ptr<workloads::Participant> participant_;
};

}  // namespace

int run_worker(int control_fd) {
  std::signal(SIGPIPE, SIG_IGN);       // a vanished peer is an ordinary error
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a rig that was killed leaves no worker behind
  LoadedBackends loaded;
  const int status = Worker(control_fd, loaded, false).run();
  host::expect_exit();
  return status;
}

void run_worker_thread(int control_fd, LoadedBackends& loaded) { Worker(control_fd, loaded, true).run(); }

}  // namespace tlsrig::rig
