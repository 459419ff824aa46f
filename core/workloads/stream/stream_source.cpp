// The source of a one-way workload.
#include <tlsrig/workloads/stream/source_loop.hpp>
#include <tlsrig/workloads/stream/stream_role.hpp>

namespace tlsrig::workloads {

namespace {

template <class Transport>
class StreamSource final : public StreamRole<SourceLoop<Transport>> {
  using Role = StreamRole<SourceLoop<Transport>>;
  using Role::team_, Role::goal_;
  using typename Role::Connection;

 public:
  using Role::Role;

  Json warm_up(const Slice& slice) override {
    if (this->is_client()) team_->each(take_tickets<Connection>);
    goal_.set(this->assignment_.settings.measure.warmup_bytes);
    measure::sleep_until_ns(slice.begin_ns);
    team_->begin_warm_up();
    team_->run([&](auto& loop) { loop.warm_up(slice.end_ns); });
    team_->end_warm_up();
    return {{"bytes_verified", 0}, {"bytes_sent", team_->moved()}};
  }

  Json finish() override {
    team_->run([](auto& loop) { loop.end_messages("finish"); });
    team_->end_measuring();
    Json totals = this->totals();
    team_->each([](Connection& connection) { close_in_order(connection.transport, connection.end); });
    this->add_tickets(totals);
    team_->release();
    return totals;
  }
};

}  // namespace

std::unique_ptr<Participant> make_stream_source(const Assignment& assignment) {
  if (role_settings(assignment).transport == scenario::Transport::wire)
    return std::make_unique<StreamSource<WireTransport>>(assignment);
  return std::make_unique<StreamSource<FdTransport>>(assignment);
}

}  // namespace tlsrig::workloads
