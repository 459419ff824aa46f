// What source and sink have in common: each may be the client or the server, and connects or accepts as that.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <tlsrig/workloads/sockets/loop_team.hpp>
#include <tlsrig/workloads/sockets/meeting.hpp>
#include <tlsrig/workloads/stream/shared_goal.hpp>
#include <tlsrig/workloads/stream/stream.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

template <class Loop>
class StreamRole : public Participant {
 public:
  using Connection = typename Loop::Connection;

  explicit StreamRole(const Assignment& assignment)
      : assignment_(assignment), backend_(backend_of(assignment, side_of(assignment))) {}

  Json prepare() override {
    require_transport(backend_, Loop::Transport::kind);
    context_.emplace(make_context(assignment_, side_of(assignment_)));
    const StreamShape shape = stream_shape(assignment_);
    team_.emplace(assignment_.settings.traffic.threads, shape.message_size, [&](FirstFailure& first_failure) {
      return std::make_unique<Loop>(shape, assignment_.control_fd, first_failure, goal_);
    });
    if (is_client()) return Json::object();
    listener_.emplace(socket_options(assignment_.settings.socket));
    return {{"port", listener_->port()}};
  }

  Json connect(const Json& request) override {
    const TransportOptions options = stream_transport_options(assignment_);
    const auto adopt = [&](auto connection) { team_->adopt(std::move(connection)); };
    if (is_client())
      return team_->guard([&] {
        const auto port = request.at("port").template get<std::uint16_t>();
        return connect_all<Connection>(assignment_, *context_, options, port, adopt);
      });
    net::Listener listener = std::move(*listener_);  // closed with this step, however it ends
    listener_.reset();
    return team_->guard([&] { return accept_all<Connection>(assignment_, *context_, options, listener, adopt); });
  }

  SliceCount slice(const Slice& slice) override { return team_->slice(slice); }

 protected:
  bool is_client() const { return side_of(assignment_) == TLSRIG_CLIENT; }

  // What finish gives, but for the tickets.
  Json totals() const {
    const StreamShape shape = stream_shape(assignment_);
    Json layout = shape.layout.to_json();
    if (shape.gathers) layout["gather"] = shape.layout.page_offset(Purpose::gather);
    return team_->totals(is_client() ? "client" : "server", std::move(layout));
  }

  void add_tickets(Json& totals) {
    if (is_client()) totals["tickets"] = tickets_of(backend_, *team_);
  }

  const Assignment assignment_;
  const host::Backend& backend_;
  SharedGoal goal_;  // of the warm-up: what a source sends at least, what a sink still has to take in
  std::optional<host::Context> context_;
  std::optional<net::Listener> listener_;
  std::optional<LoopTeam<Loop>> team_;
};

}  // namespace tlsrig::workloads
