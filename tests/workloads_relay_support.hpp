// What the tests of the relay share: far ends made by hand, which verify every byte, and a relay between them that is
// stopped and resumed every few milliseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/workloads/pattern.hpp>
#include <tlsrig/workloads/sockets/transport.hpp>

#include "workloads_support.hpp"

namespace tlsrig::tests {

// A client or a server of one connection, driven by pump().
class FarEnd {
 public:
  using Direction = workloads::Direction;

  FarEnd(const host::Context& context, net::Fd socket, const workloads::TransportOptions& options, std::uint32_t number,
         Direction sends);

  workloads::FdTransport& transport() { return transport_; }
  int fd() const { return transport_.fd(); }

  // What it shall do: send so many bytes in writes of this size, end its output after that or not.
  void send(std::uint64_t bytes, std::size_t write_size, bool then_end);
  // As send, but not before the peer has ended.
  void answer_end(std::uint64_t bytes, std::size_t write_size);

  // Does what can be done without waiting. True: something moved.
  bool step();

  // All is sent, the end too where that was asked.
  bool sent_all() const { return sent_ == to_send_ && (!then_end_ || output_ended_); }

  bool wants_room() const { return !sent_all() && (!after_peer_ || closed_); }

  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }
  bool closed() const { return closed_; }                  // the peer has ended in order
  const std::string& failure() const { return failure_; }  // a session's error, or a wrong byte

  bool reads = true;  // false: takes nothing in
  bool gone = false;  // a test has done something to its socket: it is not to be used any more

 private:
  bool send_some();
  bool take_some();
  void fail(tlsrig_result result, const char* step);

  workloads::FdTransport transport_;
  workloads::Pattern out_pattern_, in_pattern_;
  std::uint64_t to_send_ = 0, sent_ = 0, received_ = 0;
  std::size_t write_size_ = 1;
  bool then_end_ = false, after_peer_ = false, output_ended_ = false, closed_ = false;
  std::string failure_;
};

struct ChainOptions {
  std::uint32_t connections = 1;
  std::uint32_t threads = 1;
  scenario::RelayRead read = scenario::RelayRead::per_record;
  std::uint64_t read_size = 16384;
  scenario::Transport transport = scenario::Transport::fd;
  bool inbound_tls = true, outbound_tls = true;
  std::string version = "1.3";
  std::uint64_t socket_buffers = 0;
  // Bytes that each end sends while the connections are made, right behind handshake and announcement.
  std::uint64_t early_bytes = 0;
  bool early_end = false;  // the client ends right behind them
};

// Clients, relay and servers. Legs without TLS are plaintcp's; with the backend plaintcp no leg has TLS.
class Chain {
 public:
  explicit Chain(const ChainOptions& options);
  ~Chain();

  std::vector<std::unique_ptr<FarEnd>> clients, servers;

  workloads::Participant& relay() { return *relay_; }
  const workloads::Json& proof() const { return connected_.at("proof"); }
  const Control& control() const { return control_; }

  // Starts a thread that runs the relay: a warm-up of some milliseconds, then slices with pauses between them, until
  // finish() is asked for.
  void run();

  // Steps all ends until `done`, or until nothing has moved for `quiet_ms`; then gives false.
  template <class Done>
  bool pump(Done&& done, int quiet_ms = 5000) {
    std::int64_t moved_ns = measure::now_ns();
    while (!done()) {
      if (step_all())
        moved_ns = measure::now_ns();
      else if (measure::now_ns() - moved_ns > quiet_ms * std::int64_t{1'000'000})
        return false;
      else
        wait_for_any();
    }
    return true;
  }

  // Lets the relay come to its end and gives what finish gave; failure() is what any of its steps threw.
  workloads::Json finish();
  const std::string& failure() const { return failure_; }
  const std::string& failure_kind() const { return failure_kind_; }

 private:
  bool step_all();
  void wait_for_any();
  void connect(const ChainOptions& options);
  void drive();

  const host::Backend &inbound_backend_, &outbound_backend_;
  workloads::Assignment assignment_;
  Control control_;
  std::optional<host::Context> client_context_, server_context_;
  std::unique_ptr<workloads::Participant> relay_;
  workloads::Json connected_, finished_;
  std::string failure_, failure_kind_;
  std::atomic<bool> finishing_ = false;
  std::thread thread_;
};

const host::Backend& plain_backend();

}  // namespace tlsrig::tests
