// The client of echo.
#include <optional>

#include <tlsrig/workloads/echo/echo.hpp>
#include <tlsrig/workloads/sockets/meeting.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

namespace {

template <class Transport>
class EchoClient final : public Participant {
 public:
  using Connection = EchoConnection<Transport>;

  explicit EchoClient(const Assignment& assignment)
      : assignment_(assignment), backend_(backend_of(assignment, TLSRIG_CLIENT)) {}

  Json prepare() override {
    require_transport(backend_, Transport::kind);
    context_.emplace(make_context(assignment_, TLSRIG_CLIENT));
    loops_.emplace(assignment_);
    return Json::object();
  }

  Json connect(const Json& request) override {
    return loops_->guard([&] {
      return connect_all<Connection>(assignment_, *context_, transport_options(assignment_, Side::client),
                                     request.at("port").get<std::uint16_t>(),
                                     [&](auto connection) { loops_->adopt(std::move(connection)); });
    });
  }

  Json warm_up(const Slice& slice) override {
    loops_->each(take_tickets<Connection>);
    measure::sleep_until_ns(slice.begin_ns);
    return loops_->warm_up([&](auto& loop) { loop.warm_up(slice.end_ns); });
  }

  SliceCount slice(const Slice& slice) override { return loops_->slice(slice); }

  Json finish() override {
    // Every request that was sent has its reply then: both directions are divided by the same number.
    loops_->run([](auto& loop) { loop.drain("finish"); });
    loops_->end_measuring();
    Json totals = loops_->totals();
    loops_->each([&](Connection& connection) {
      if (connection.in_got)
        fail_end(connection.end, "payload", "the server sent more bytes than the replies have", "finish");
      close_in_order(connection.transport, connection.end);
    });
    totals["tickets"] = tickets_of(backend_, *loops_);
    loops_->release();
    return totals;
  }

 private:
  const Assignment assignment_;
  const host::Backend& backend_;
  std::optional<host::Context> context_;
  std::optional<EchoLoops<Transport, Side::client>> loops_;
};

}  // namespace

std::unique_ptr<Participant> make_echo_client(const Assignment& assignment) {
  if (assignment.settings.client.transport == scenario::Transport::wire)
    return std::make_unique<EchoClient<WireTransport>>(assignment);
  return std::make_unique<EchoClient<FdTransport>>(assignment);
}

}  // namespace tlsrig::workloads
