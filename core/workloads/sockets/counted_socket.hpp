// The socket of one connection: owned, its calls counted from before the handshake to the end, its bytes read until the
// warm-up is over.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <tlsrig/net/counted_calls.hpp>
#include <tlsrig/net/socket.hpp>
#include <tlsrig/workloads/role_counts.hpp>
#include <tlsrig/workloads/wire_reader.hpp>

namespace tlsrig::workloads {

class CountedSocket {
 public:
  // role: which end this is. plain: there are no records to read.
  CountedSocket(net::Fd socket, std::int32_t role, bool plain)
      : fd_(std::move(socket)),
        reader_(plain ? std::optional<WireReader>() : std::optional<WireReader>(role)),
        watch_(fd_.get(), reader_ ? &*reader_ : nullptr) {}
  CountedSocket(const CountedSocket&) = delete;
  CountedSocket& operator=(const CountedSocket&) = delete;

  int get() const noexcept { return fd_.get(); }

  // What has come by; nullptr of a plain connection, and when bytes went round the counted calls: what is left of a
  // handshake then may look like another one.
  const WireReader* reader() const { return reader_ && counts(0, 0).complete ? &*reader_ : nullptr; }

  // From here on records are no longer counted: the measured calls shall not pay for it.
  void stop_reading() noexcept { watch_.let_observer_go(); }

  // What the connection came to so far, having carried this payload. Whether all calls were seen is for the kernel's
  // count of bytes to say; where it says nothing, at least the payload must have come by.
  WireCounts counts(std::uint64_t payload_in, std::uint64_t payload_out) const {
    WireCounts counts;
    const net::SocketCounts& calls = counts.calls = watch_.counts();
    if (const auto moved = net::stream_bytes(fd_.get()))
      counts.complete = calls.bytes_in == moved->in && calls.bytes_out == moved->out;
    else
      counts.complete = calls.bytes_in >= payload_in && calls.bytes_out >= payload_out;
    counts.records_in = reader_ ? reader_->records_in() : std::nullopt;
    counts.records_out = reader_ ? reader_->records_out() : std::nullopt;
    return counts;
  }

 private:
  net::Fd fd_;
  std::optional<WireReader> reader_;
  net::Watch watch_;
};

}  // namespace tlsrig::workloads
