// One of two loops that do the same work: the rig's own, or the same calls written by hand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tlsrig::benchmarks {

struct Task {
  std::string operation;  // "handshake", "wrap-unwrap", "echo", "stream"
  std::size_t size = 0;   // payload bytes of a message
  unsigned connections = 1;
  std::uint64_t placement_seed = 0;  // where buffers lie: the same for both contestants
};

class Contestant {
 public:
  virtual ~Contestant() = default;

  // Sleeps until CLOCK_MONOTONIC shows begin_ns and runs until end_ns; gives operations per second. Both sleep: on a
  // busy machine whoever has just slept is left alone for longer.
  virtual double run(std::int64_t begin_ns, std::int64_t end_ns) = 0;
};

// Each is ready to run: connected and handshaken. Throw std::runtime_error.
std::unique_ptr<Contestant> make_bare_engine(const Task& task);
std::unique_ptr<Contestant> make_rig_engine(const Task& task);

// The servers are processes of their own, which end with their contestant.
std::unique_ptr<Contestant> make_bare_echo(const Task& task);
std::unique_ptr<Contestant> make_bare_stream(const Task& task);
std::unique_ptr<Contestant> make_rig_over_sockets(const Task& task);

}  // namespace tlsrig::benchmarks
