// What two ends say to each other in most steps: handshake, data, orderly end, refusal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tlsrig/check/bench/bench.hpp>

namespace tlsrig::check {

// Contexts and the bench over them, for the steps of one backend.
struct Stand {
  Contexts contexts;
  Bench bench;

  Stand(const Setup& setup, const Settings& settings, const BenchOptions& options)
      : contexts(*setup.backend, *setup.backend, settings),
        bench(contexts, options, settings.server_name.empty() ? nullptr : settings.server_name.c_str()) {}
  Stand(const Setup& setup, const Settings& settings) : Stand(setup, settings, both_over(setup.transport)) {}

  End& client() { return bench.client(); }
  End& server() { return bench.server(); }
};

// A stand whose handshake is done.
struct Established : Stand {
  Established(const Setup& setup, const Settings& settings, const BenchOptions& options);
  Established(const Setup& setup, const BenchOptions& options) : Established(setup, usual(setup), options) {}
  explicit Established(const Setup& setup) : Established(setup, both_over(setup.transport)) {}
};

// Bytes that depend on the offset and on what they are for.
std::vector<std::uint8_t> pattern(std::size_t size, unsigned seed);

// Fails unless `got` is `sent`, with the first byte that differs.
void require_equal(const std::string& who, const std::vector<std::uint8_t>& sent, const std::vector<std::uint8_t>& got);

// Fails unless the answer is OK, WANT_READ or WANT_WRITE; true: OK.
bool done(const End& end, tlsrig_result result);

// Both handshakes to OK. After its OK an end is not called again: what it sent must be enough for the peer (law 2).
void shake(Bench& bench);

// One write after the other until all is taken or the end is blocked.
class Sending {
 public:
  // chunk: bytes that a write is given.
  Sending(End& end, const std::vector<std::uint8_t>& data, std::size_t chunk = TLSRIG_WRITE_MAX)
      : end_(&end), data_(&data), chunk_(chunk) {}
  bool go_on();  // true: all was taken
  std::size_t taken() const { return taken_; }

 private:
  End* end_;
  const std::vector<std::uint8_t>* data_;
  std::size_t chunk_, taken_ = 0;
};

// One read after the other until WANT_READ.
class Receiving {
 public:
  // size: bytes that are awaited; unlimited: up to CLOSED.
  Receiving(End& end, std::size_t size, std::size_t capacity = 16 * 1024)
      : end_(&end), size_(size), capacity_(capacity) {}
  bool go_on();  // true: all is here
  const std::vector<std::uint8_t>& got() const { return got_; }

 private:
  End* end_;
  std::size_t size_, capacity_;
  std::vector<std::uint8_t> got_;
};

struct Chunks {
  std::size_t write = TLSRIG_WRITE_MAX, read = 16 * 1024;
};

// `size` bytes from one end to its peer, compared.
void transfer(Bench& bench, End& from, std::size_t size, Chunks chunks = {});

// `size` bytes each way at once, compared.
void exchange(Bench& bench, std::size_t size, Chunks chunks = {});

// One read of 16 KiB, for its answer.
tlsrig_result read_once(End& end);

// Repeats a call of one end until it answers other than WANT_READ and WANT_WRITE; returns that answer.
tlsrig_result settled(Bench& bench, End& end, const std::function<tlsrig_result(End&)>& call);

// shutdown to OK, without and with the end of the TCP direction that follows it.
void send_close_notify(Bench& bench, End& end);
void shut_down(Bench& bench, End& end);

// Reads to CLOSED; no more data may come.
void read_to_closed(Bench& bench, End& end);

// Client first, then the server: both shut down, both read CLOSED.
void end_orderly(Bench& bench);

// The errors of those that failed; none when the handshake came to an end all the same.
struct Refused {
  std::optional<tlsrig_error> client, server;
};

// Changes one byte of a record that the client sends; returns what each end learnt. The server gives up, and ends the
// connection when its alert has left.
Refused tamper(Bench& bench);

// Drives both ends until one has failed and the other has learnt of it: that one reads on after its handshake, and gets
// the end of the stream when the failed one has sent its alert.
Refused expect_refusal(Bench& bench);

}  // namespace tlsrig::check
