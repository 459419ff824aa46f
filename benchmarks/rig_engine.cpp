// The rig's engine loop over the openssl backend.
#include "rig_side.hpp"

namespace tlsrig::benchmarks {

namespace {

class RigEngine final : public Contestant {
 public:
  explicit RigEngine(const Task& task) : backend_(load("openssl")) {
    workloads::Assignment setup = assignment(task, "engine");
    setup.client = setup.server = &backend_;
    setup.settings.workload = scenario::Workload::engine;
    setup.settings.engine.operation =
        task.operation == "handshake" ? scenario::Operation::handshake : scenario::Operation::wrap_unwrap;
    engine_ = workloads::make_participant(setup);
    engine_->prepare();
    engine_->connect(workloads::Json::object());
    engine_->warm_up({});
  }

  double run(std::int64_t begin_ns, std::int64_t end_ns) override {
    return per_second(engine_->slice({begin_ns, end_ns}));
  }

 private:
  host::Backend backend_;
  std::unique_ptr<workloads::Participant> engine_;
};

}  // namespace

std::unique_ptr<Contestant> make_rig_engine(const Task& task) { return std::make_unique<RigEngine>(task); }

}  // namespace tlsrig::benchmarks
