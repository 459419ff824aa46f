// The server of echo.
#include <optional>

#include <tlsrig/workloads/echo/echo.hpp>
#include <tlsrig/workloads/sockets/meeting.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

namespace {

template <class Transport>
class EchoServer final : public Participant {
 public:
  using Connection = EchoConnection<Transport>;

  explicit EchoServer(const Assignment& assignment)
      : assignment_(assignment), backend_(backend_of(assignment, TLSRIG_SERVER)) {}

  Json prepare() override {
    require_transport(backend_, Transport::kind);
    context_.emplace(make_context(assignment_, TLSRIG_SERVER));
    loops_.emplace(assignment_);
    listener_.emplace(socket_options(assignment_.settings.socket));
    return {{"port", listener_->port()}};
  }

  Json connect(const Json&) override {
    net::Listener listener = std::move(*listener_);  // closed with this step, however it ends
    listener_.reset();
    return loops_->guard([&] {
      return accept_all<Connection>(assignment_, *context_, transport_options(assignment_, Side::server), listener,
                                    [&](auto connection) { loops_->adopt(std::move(connection)); });
    });
  }

  Json warm_up(const Slice&) override {
    return loops_->warm_up([](auto& loop) { loop.serve_warm_up(); });
  }

  SliceCount slice(const Slice& slice) override { return loops_->slice(slice); }

  Json finish() override {
    loops_->end_measuring();
    loops_->run([](auto& loop) { loop.serve_until_closed(); });
    Json totals = loops_->totals();  // the connections are closed in order already, each when its client was
    loops_->release();
    return totals;
  }

 private:
  const Assignment assignment_;
  const host::Backend& backend_;
  std::optional<host::Context> context_;
  std::optional<net::Listener> listener_;
  std::optional<EchoLoops<Transport, Side::server>> loops_;
};

}  // namespace

std::unique_ptr<Participant> make_echo_server(const Assignment& assignment) {
  if (assignment.settings.server.transport == scenario::Transport::wire)
    return std::make_unique<EchoServer<WireTransport>>(assignment);
  return std::make_unique<EchoServer<FdTransport>>(assignment);
}

}  // namespace tlsrig::workloads
