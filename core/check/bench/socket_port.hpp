// A port over loopback TCP: the session has one side of a connection, the bench the other.
#pragma once

#include <tlsrig/check/bench/port.hpp>
#include <tlsrig/net/fd.hpp>

namespace tlsrig::check {

class SocketPort final : public Port {
 public:
  explicit SocketPort(const PortOptions& options);

  tlsrig_transport transport() override { return {TLSRIG_FD, near_.get(), nullptr}; }
  void offer(Flow& incoming) override;
  std::size_t unused() const override;
  std::size_t collect(Flow& outgoing) override;
  std::optional<Complaint> complaint(tlsrig_result result) const override;
  void finish(Flow& outgoing) override;
  void wait(tlsrig_result awaited) const override;
  std::chrono::milliseconds patience() const override { return std::chrono::seconds(2); }
  void settle() const override;
  bool usable() const override;
  void reset() override;

 private:
  net::Fd near_, far_;
  bool end_delivered_ = false;
  bool quiet_ = true;  // nothing was under way to the session when the call began
};

}  // namespace tlsrig::check
