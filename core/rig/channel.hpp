// The control socket between the rig and a worker: JSON messages, each behind its length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace tlsrig::rig {

using Json = nlohmann::ordered_json;

// What came of waiting for a message.
enum class Received { message, ended, late };

class Channel {
 public:
  // Takes a connected stream socket, which the caller owns.
  explicit Channel(int fd) : fd_(fd) {}

  int fd() const { return fd_; }

  // Sends a message; false when the other side is gone. Blocks while the socket is full: messages are small.
  bool send(const Json& message);

  // Waits for a message until CLOCK_MONOTONIC shows deadline_ns. What is not a message of this protocol counts as
  // ended.
  Received receive(Json& message, std::int64_t deadline_ns);

  // Whether a message has come in already: then poll(2) on the descriptor says nothing of it.
  bool holds_message() const;

  // As receive, without a deadline.
  Received receive(Json& message);

 private:
  std::optional<Json> take_message();
  Received fill();

  int fd_;
  std::string input_;
};

}  // namespace tlsrig::rig
