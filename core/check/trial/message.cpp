// Framing of a step's message.
#include <tlsrig/check/trial/message.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tlsrig::check {

namespace {

struct Header {
  std::uint64_t size = 0, checksum = 0;
};

// FNV-1a: it is to find bytes that strayed in, not an enemy.
std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 14695981039346656037u;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  return sum;
}

}  // namespace

bool send_message(int fd, const Json& message) {
  const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  const Header header{body.size(), checksum_of(body)};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += body;
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::write(fd, bytes.data() + sent, bytes.size() - sent);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<Json> received_message(const std::string& bytes) {
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::string_view body = std::string_view(bytes).substr(sizeof header);
  if (body.size() != header.size || checksum_of(body) != header.checksum) return std::nullopt;
  Json message = Json::parse(body, nullptr, false);
  if (message.is_discarded()) return std::nullopt;
  return message;
}

}  // namespace tlsrig::check
