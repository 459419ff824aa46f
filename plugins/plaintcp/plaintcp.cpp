// plaintcp: bytes as they are, no TLS. The yardstick beside every TLS backend, and the shortest example of a backend.
#include <sys/socket.h>
#include <sys/utsname.h>

#include <cerrno>
#include <string>

#include <tlsrig/sdk/backend.hpp>
#include <tlsrig/sdk/wire.hpp>

namespace {

namespace sdk = tlsrig::sdk;

// Everything of a configuration is about TLS: a context has nothing to remember.
struct Context {
  explicit Context(const tlsrig_config&) {}

  // The "library" is the kernel's TCP; the only file whose code runs here is this plugin.
  static const tlsrig_info& start() {
    static const std::string library = [] {
      utsname system{};
      return uname(&system) == 0 ? std::string(system.sysname) + " " + system.release : std::string("unknown kernel");
    }();
    static constexpr const char* none[] = {nullptr};
    static const void* const anchors[] = {reinterpret_cast<const void*>(&start), nullptr};
    static const tlsrig_info info{sizeof(tlsrig_info),
                                  sizeof(tlsrig_config),
                                  "plaintcp",
                                  library.c_str(),
                                  "send and recv on a socket, memcpy on a wire",
                                  anchors,
                                  0,
                                  TLSRIG_WIRE | TLSRIG_FD,
                                  none,
                                  none};
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
    if (!wire_) {
      const ssize_t received = uninterrupted([&] { return recv(fd_, data, capacity, 0); });
      if (received == 0) return TLSRIG_CLOSED;
      return answer(received, size, TLSRIG_WANT_READ);
    }
    size = sdk::take(*wire_, data, capacity);
    if (size) return TLSRIG_OK;
    return wire_->in_ended ? TLSRIG_CLOSED : TLSRIG_WANT_READ;
  }

  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
    if (!wire_)
      return answer(uninterrupted([&] { return send(fd_, data, size, MSG_NOSIGNAL); }), written, TLSRIG_WANT_WRITE);
    written = sdk::put(*wire_, data, size);
    return written ? TLSRIG_OK : TLSRIG_WANT_WRITE;
  }

  // TCP has nothing like close_notify: the runner ends the direction, as it does after every backend's shutdown.
  tlsrig_result shutdown() noexcept { return TLSRIG_OK; }

  void describe(tlsrig_facts&) noexcept {}

 private:
  // A signal is no reason to wait: the socket has not said EAGAIN.
  template <class Call>
  static ssize_t uninterrupted(Call call) noexcept {
    ssize_t moved = call();
    while (moved < 0 && errno == EINTR) moved = call();
    return moved;
  }

  tlsrig_result answer(ssize_t moved, std::size_t& size, tlsrig_result when_blocked) noexcept {
    if (moved > 0) [[likely]] {
      size = static_cast<std::size_t>(moved);
      return TLSRIG_OK;
    }
    if (errno == EAGAIN) return when_blocked;
    sdk::set_system_error(error_, errno);
    return TLSRIG_ERROR;
  }

  tlsrig_wire* wire_;
  int fd_;
  tlsrig_error& error_;
};

}  // namespace

TLSRIG_BACKEND(Context, Session)
