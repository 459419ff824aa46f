// The sink of a one-way workload.
#include <fmt/format.h>

#include <tlsrig/workloads/stream/sink_loop.hpp>
#include <tlsrig/workloads/stream/stream_role.hpp>

namespace tlsrig::workloads {

namespace {

template <class Transport>
class StreamSink final : public StreamRole<SinkLoop<Transport>> {
  using Role = StreamRole<SinkLoop<Transport>>;
  using Role::team_, Role::goal_;

 public:
  using Role::Role;

  // A client's tickets come in with the messages.
  Json warm_up(const Slice&) override {
    team_->begin_warm_up();
    team_->run([](auto& loop) { loop.serve_warm_up(); });
    return {{"bytes_verified", team_->bytes_verified()}};
  }

  Json settle(std::uint64_t bytes_sent) override {
    const std::uint64_t received = team_->moved();
    if (received > bytes_sent)
      throw StepError("payload",
                      fmt::format("settle: {} bytes came in, but the source has sent {}", received, bytes_sent));
    goal_.set(bytes_sent - received);
    team_->run([](auto& loop) { loop.settle(); });
    team_->guard([&] { team_->run([](auto& loop) { loop.expect_silence(); }); });
    team_->end_warm_up();
    return {{"bytes_verified", team_->bytes_verified()}};
  }

  Json finish() override {
    team_->end_measuring();
    team_->run([](auto& loop) { loop.serve_until_closed(); });
    Json totals = this->totals();
    this->add_tickets(totals);
    team_->release();
    return totals;
  }
};

}  // namespace

std::unique_ptr<Participant> make_stream_sink(const Assignment& assignment) {
  if (role_settings(assignment).transport == scenario::Transport::wire)
    return std::make_unique<StreamSink<WireTransport>>(assignment);
  return std::make_unique<StreamSink<FdTransport>>(assignment);
}

}  // namespace tlsrig::workloads
