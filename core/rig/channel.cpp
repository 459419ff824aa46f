// Framing of control messages.
#include <tlsrig/rig/channel.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include <tlsrig/measure/clock.hpp>

namespace tlsrig::rig {

namespace {

// A message longer than this is not one of ours: the other side writes garbage.
constexpr std::uint32_t message_size_max = 64u << 20;

}  // namespace

bool Channel::send(const Json& message) {
  const std::string body =
      message.dump(-1, ' ', false, Json::error_handler_t::replace);  // a library's words may be cut
  const auto size = static_cast<std::uint32_t>(body.size());
  std::string frame(sizeof size, '\0');
  std::memcpy(frame.data(), &size, sizeof size);
  frame += body;
  for (std::size_t sent = 0; sent < frame.size();) {
    const ssize_t count = ::send(fd_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool Channel::holds_message() const {
  std::uint32_t size = 0;
  if (input_.size() < sizeof size) return false;
  std::memcpy(&size, input_.data(), sizeof size);
  return size > message_size_max || input_.size() >= sizeof size + size;
}

std::optional<Json> Channel::take_message() {
  if (!holds_message()) return std::nullopt;
  std::uint32_t size = 0;
  std::memcpy(&size, input_.data(), sizeof size);
  if (size > message_size_max) return Json(nullptr);
  Json message = Json::parse(input_.begin() + sizeof size, input_.begin() + sizeof size + size, nullptr, false);
  input_.erase(0, sizeof size + size);
  return message;
}

Received Channel::fill() {
  std::array<char, 65536> bytes;
  const ssize_t count = ::recv(fd_, bytes.data(), bytes.size(), 0);
  if (count < 0 && errno == EINTR) return Received::message;
  if (count <= 0) return Received::ended;
  input_.append(bytes.data(), static_cast<std::size_t>(count));
  return Received::message;
}

Received Channel::receive(Json& message, std::int64_t deadline_ns) {
  for (;;) {
    if (auto taken = take_message()) {
      message = std::move(*taken);
      return message.is_object() ? Received::message : Received::ended;
    }
    const std::int64_t left_ns = deadline_ns - measure::now_ns();
    if (left_ns <= 0) return Received::late;
    pollfd waiting{fd_, POLLIN, 0};
    const auto left_ms = std::min<std::int64_t>(left_ns / 1'000'000 + 1, 3'600'000);
    if (::poll(&waiting, 1, static_cast<int>(left_ms)) > 0 && fill() == Received::ended) return Received::ended;
  }
}

Received Channel::receive(Json& message) { return receive(message, std::numeric_limits<std::int64_t>::max()); }

}  // namespace tlsrig::rig
