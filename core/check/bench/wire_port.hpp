// A port of two windows.
#pragma once

#include <vector>

#include <tlsrig/check/bench/guard.hpp>
#include <tlsrig/check/bench/port.hpp>

namespace tlsrig::check {

class WirePort final : public Port {
 public:
  explicit WirePort(const PortOptions& options);

  tlsrig_transport transport() override { return {TLSRIG_WIRE, -1, &*wire_}; }
  void offer(Flow& incoming) override;
  std::size_t unused() const override { return wire_->in_size - wire_->in_used; }
  std::size_t collect(Flow& outgoing) override;
  std::optional<Complaint> complaint(tlsrig_result result) const override;
  void finish(Flow& outgoing) override;
  void wait(tlsrig_result) const override {}
  std::chrono::milliseconds patience() const override { return {}; }
  void settle() const override {}
  bool usable() const override { return true; }
  void resize_out(std::size_t size) override { out_window_ = size; }
  void reset() override;

 private:
  void place_out(std::size_t kept);

  Guarded<tlsrig_wire> wire_;
  tlsrig_wire given_{};           // as it was before the call: a backend changes in_used and out_used alone
  std::vector<std::uint8_t> in_;  // exactly the window, so that a sanitizer sees a read beyond it
  std::vector<std::uint8_t> out_, old_out_;
  std::size_t out_window_;
  bool moving_;
  bool finishing_ = false;
};

}  // namespace tlsrig::check
