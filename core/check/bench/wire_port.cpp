// The windows of a wire: refilled when used up, drained after each call, guarded on both sides of `out`.
#include <tlsrig/check/bench/wire_port.hpp>

#include <algorithm>
#include <cstring>

#include <tlsrig/check/bench/guard.hpp>
#include <tlsrig/check/bench/judgement.hpp>

namespace tlsrig::check {

WirePort::WirePort(const PortOptions& options) : out_window_(options.out_window), moving_(options.moving_windows) {
  in_.reserve(1);  // an empty window has an address too
  wire_->in = in_.data();
  place_out(0);
  given_ = *wire_;
}

// Puts `out` into a new buffer with its first `kept` bytes. The old one is scribbled over and lives until the next
// move, so that the new address is another one and a stale pointer shows.
void WirePort::place_out(std::size_t kept) {
  const std::size_t size = std::max(out_window_, kept);
  std::vector<std::uint8_t> fresh = guarded_buffer(size);
  if (kept) std::memcpy(fresh.data() + guard_size, wire_->out, kept);
  std::fill(out_.begin(), out_.end(), scribble);
  old_out_ = std::move(out_);
  out_ = std::move(fresh);
  wire_->out = out_.data() + guard_size;
  wire_->out_size = size;
  wire_->out_used = kept;
}

void WirePort::offer(Flow& incoming) {
  if (unused() == 0) {
    const auto next = incoming.next();
    in_.assign(next.begin(), next.end());
    incoming.deliver(next.size());
  } else if (moving_) {
    std::vector<std::uint8_t> rest(wire_->in + wire_->in_used, wire_->in + wire_->in_size);
    std::fill(in_.begin(), in_.end(), scribble);
    in_.swap(rest);
  }
  if (unused() == 0 || moving_) {
    wire_->in = in_.data();
    wire_->in_size = in_.size();
    wire_->in_used = 0;
  }
  wire_->in_ended = incoming.at_end();
  if (moving_) place_out(wire_->out_used);
  given_ = *wire_;
}

std::size_t WirePort::collect(Flow& outgoing) {
  const std::size_t size = std::min(wire_->out_used, outgoing.room());
  outgoing.put({wire_->out, size});
  std::memmove(wire_->out, wire_->out + size, wire_->out_used - size);
  wire_->out_used -= size;
  if (finishing_ && wire_->out_used == 0) outgoing.ended = true;
  return size;
}

std::optional<Complaint> WirePort::complaint(tlsrig_result result) const {
  if (wire_->in != given_.in || wire_->out != given_.out || wire_->in_size != given_.in_size ||
      wire_->out_size != given_.out_size || wire_->in_ended != given_.in_ended)
    return Complaint{"changed a member of the wire other than in_used and out_used", rules::wire_members};
  if (wire_->in_used > wire_->in_size || wire_->in_used < given_.in_used)
    return Complaint{fmt::format("left in_used at {} (before the call {}, in_size {})", wire_->in_used, given_.in_used,
                                 wire_->in_size),
                     rules::wire_members};
  if (wire_->out_used > wire_->out_size || wire_->out_used < given_.out_used)
    return Complaint{fmt::format("left out_used at {} (before the call {}, out_size {})", wire_->out_used,
                                 given_.out_used, wire_->out_size),
                     rules::wire_members};
  if (!wire_.intact())
    return Complaint{"wrote outside the tlsrig_wire: its guard bytes were overwritten", rules::struct_bounds};
  if (const char* const where = broken_guard(out_))
    return Complaint{fmt::format("wrote outside its out window of {} bytes: a guard byte {} was overwritten",
                                 wire_->out_size, where),
                     rules::window_bounds};
  if (result == TLSRIG_WANT_READ && unused() != 0)
    return Complaint{fmt::format("answered WANT_READ with {} of {} bytes of in unused (law 1: all of in was used)",
                                 unused(), wire_->in_size),
                     rules::input_used};
  if (result == TLSRIG_WANT_WRITE && wire_->out_used != wire_->out_size)
    return Complaint{fmt::format("answered WANT_WRITE with {} of {} bytes of out used (law 1: out is full)",
                                 wire_->out_used, wire_->out_size),
                     rules::output_full};
  return std::nullopt;
}

void WirePort::finish(Flow& outgoing) {
  finishing_ = true;
  collect(outgoing);
}

void WirePort::reset() { fail("a wire cannot be reset: the step asked for what only a socket has"); }

}  // namespace tlsrig::check
