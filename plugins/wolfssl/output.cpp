// Where a session's bytes leave, and the spill.
#include "output.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <new>

#include <tlsrig/sdk/wire.hpp>

namespace tlsrig::wolfssl {

Output::Output(tlsrig_wire* wire, int fd) : wire_(wire), fd_(fd) {
  constexpr std::size_t header_and_tag_max = 512;
  if (wire_) spill_.reserve(TLSRIG_WRITE_MAX + header_and_tag_max);
}

bool Output::put(const std::uint8_t* data, std::size_t size) noexcept {
  std::size_t sent = 0;
  if (spill_.empty()) {
    const ssize_t result = transmit(data, size);
    if (result < 0) return false;
    sent = static_cast<std::size_t>(result);
  }
  try {
    spill_.insert(spill_.end(), data + sent, data + size);
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return false;
  }
  return true;
}

tlsrig_result Output::flush_spill() noexcept {
  const ssize_t result = transmit(spill_.data() + sent_, spill_.size() - sent_);
  if (result >= 0) {
    sent_ += static_cast<std::size_t>(result);
    if (sent_ < spill_.size()) return TLSRIG_WANT_WRITE;
  }
  spill_.clear();  // after a failure too: there is nowhere to send it
  sent_ = 0;
  return result < 0 ? TLSRIG_ERROR : TLSRIG_OK;
}

// Gives bytes to the transport until it has no room. Returns how many it took; -1: the socket failed.
ssize_t Output::transmit(const std::uint8_t* data, std::size_t size) noexcept {
  if (wire_) return static_cast<ssize_t>(sdk::put(*wire_, data, size));
  std::size_t sent = 0;
  while (sent < size) {
    const ssize_t result = ::send(fd_, data + sent, size - sent, MSG_NOSIGNAL);
    if (result >= 0)
      sent += static_cast<std::size_t>(result);
    else if (errno == EAGAIN || errno == EWOULDBLOCK || (sent && errno != EINTR))
      break;  // a failure after some bytes shows again at the next call
    else if (errno != EINTR)
      return -1;
  }
  return static_cast<ssize_t>(sent);
}

}  // namespace tlsrig::wolfssl
