// The rig's echo and stream over the plaintcp backend, driven slice by slice as the rig drives them.
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include <tlsrig/measure/clock.hpp>

#include "rig_side.hpp"

namespace tlsrig::benchmarks {

namespace {

constexpr std::int64_t warm_up_ns = 20'000'000;

template <class Value>
void tell(int fd, const Value& value) {
  if (::send(fd, &value, sizeof value, MSG_NOSIGNAL) != sizeof value)
    throw std::system_error(errno, std::generic_category(), "rig over sockets: send");
}

template <class Value>
Value hear(int fd) {
  Value value{};
  if (::recv(fd, &value, sizeof value, MSG_WAITALL) != sizeof value)
    throw std::system_error(errno, std::generic_category(), "rig over sockets: recv");
  return value;
}

bool is_stream(const Task& task) { return task.operation == "stream"; }

workloads::Assignment socket_assignment(const Task& task, const std::string& role) {
  workloads::Assignment setup = assignment(task, role);
  setup.settings.workload = is_stream(task) ? scenario::Workload::stream : scenario::Workload::echo;
  return setup;
}

// The server in a process of its own. It hears how many bytes the warm-up sent, then slices, of which the one that ends
// at 0 is the last; and tells the rate of each.
void serve(const Task& task, int channel, int control) {
  const host::Backend backend = load("plaintcp");
  workloads::Assignment setup = socket_assignment(task, "server");
  setup.server = &backend;
  setup.control_fd = control;
  const auto server = workloads::make_participant(setup);
  tell(channel, server->prepare().at("port").get<int>());
  server->connect(workloads::Json::object());
  server->warm_up({});
  server->settle(hear<std::uint64_t>(channel));
  for (;;) {
    const auto slice = hear<workloads::Slice>(channel);
    if (slice.end_ns == 0) break;
    tell(channel, per_second(server->slice(slice)));
  }
  server->finish();
}

class RigOverSockets final : public Contestant {
 public:
  explicit RigOverSockets(const Task& task) : counted_at_server_(is_stream(task)) {
    int channel[2];
    const int control = ::eventfd(0, EFD_CLOEXEC);
    if (control < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
      throw std::system_error(errno, std::generic_category(), "rig over sockets: socketpair");
    server_ = ::fork();
    if (server_ < 0) throw std::system_error(errno, std::generic_category(), "rig over sockets: fork");
    if (server_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(channel[0]);
      serve(task, channel[1], control);
      ::_exit(0);
    }
    ::close(channel[1]);
    channel_ = channel[0];
    backend_ = std::make_unique<host::Backend>(load("plaintcp"));
    workloads::Assignment setup = socket_assignment(task, "client");
    setup.client = backend_.get();
    client_ = workloads::make_participant(setup);
    client_->prepare();
    client_->connect({{"port", hear<int>(channel_)}});
    const std::int64_t begin = measure::now_ns();
    const workloads::Json warmed = client_->warm_up({begin, begin + warm_up_ns});
    ::eventfd_write(control, 1);
    tell(channel_, warmed.value("bytes_sent", std::uint64_t{0}));
  }

  ~RigOverSockets() override {
    tell(channel_, workloads::Slice{});
    client_->finish();
    ::waitpid(server_, nullptr, 0);
    ::close(channel_);
  }

  double run(std::int64_t begin_ns, std::int64_t end_ns) override {
    const workloads::Slice slice{begin_ns, end_ns};
    tell(channel_, slice);
    const double at_client = per_second(client_->slice(slice)), at_server = hear<double>(channel_);
    return counted_at_server_ ? at_server : at_client;
  }

 private:
  const bool counted_at_server_;
  pid_t server_ = -1;
  int channel_ = -1;
  std::unique_ptr<host::Backend> backend_;
  std::unique_ptr<workloads::Participant> client_;
};

}  // namespace

std::unique_ptr<Contestant> make_rig_over_sockets(const Task& task) { return std::make_unique<RigOverSockets>(task); }

}  // namespace tlsrig::benchmarks
