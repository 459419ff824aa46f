// A whole backend in C++ with the SDK, on a library of its own: plain bytes over a wire or a socket.
#include <cerrno>

#include <tlsrig/sdk/backend.hpp>
#include <tlsrig/sdk/wire.hpp>

#include "toy.hpp"

namespace {

namespace sdk = tlsrig::sdk;

struct Context {
  explicit Context(const tlsrig_config&) {}

  static const tlsrig_info& start() {
    static constexpr const char* none[] = {nullptr};
    static const void* const anchors[] = {reinterpret_cast<const void*>(&toy_version), nullptr};
    static const tlsrig_info info{.struct_size = sizeof(tlsrig_info),
                                  .config_size = sizeof(tlsrig_config),
                                  .name = "outside_cpp",
                                  .library = toy_version_once(),
                                  .build = "",
                                  .anchors = anchors,
                                  .protocols = 0,
                                  .transports = TLSRIG_WIRE | TLSRIG_FD,
                                  .ciphers = none,
                                  .groups = none};
    return info;
  }

  static const void* extension(const char*) noexcept { return nullptr; }
};

class Session {
 public:
  Session(Context&, const tlsrig_transport& transport, const char*, tlsrig_error& error)
      : wire_(transport.kind == TLSRIG_WIRE ? transport.wire : nullptr), fd_(transport.fd), error_(error) {}

  tlsrig_result handshake() noexcept { return TLSRIG_OK; }

  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
    if (wire_) {
      size = sdk::take(*wire_, data, capacity);
      if (size) return TLSRIG_OK;
      return wire_->in_ended ? TLSRIG_CLOSED : TLSRIG_WANT_READ;
    }
    const long received = toy_receive(fd_, data, capacity);
    if (received == 0) return TLSRIG_CLOSED;
    return answer(received, size, TLSRIG_WANT_READ);
  }

  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
    if (!wire_) return answer(toy_send(fd_, data, size), written, TLSRIG_WANT_WRITE);
    written = sdk::put(*wire_, data, size);
    return written ? TLSRIG_OK : TLSRIG_WANT_WRITE;
  }

  tlsrig_result shutdown() noexcept { return TLSRIG_OK; }
  void describe(tlsrig_facts&) noexcept {}

 private:
  tlsrig_result answer(long moved, std::size_t& size, tlsrig_result when_blocked) noexcept {
    if (moved > 0) {
      size = static_cast<std::size_t>(moved);
      return TLSRIG_OK;
    }
    if (errno == EAGAIN || errno == EINTR) return when_blocked;
    sdk::set_system_error(error_, errno);
    return TLSRIG_ERROR;
  }

  tlsrig_wire* wire_;
  int fd_;
  tlsrig_error& error_;
};

}  // namespace

TLSRIG_BACKEND(Context, Session)
