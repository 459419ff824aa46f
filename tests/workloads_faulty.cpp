// A plain backend with faults, for tests of what the workloads find. Which fault, and of which side, is said by the
// environment variable TLSRIG_FAULT when a context is made: "client:FAULT" or "server:FAULT".
//   flip       one bit of the 5,000th byte read is turned
//   drop       the 5,000th byte read is lost
//   die        the 5,000th byte read is an error
//   close      the 5,000th byte read is CLOSED
//   refuse     the handshake fails with a certificate error
//   unable     the handshake is UNSUPPORTED
//   nods       the first write after 8,200 bytes of traffic wants input, until a byte has come, which is no payload
//   asks       the first write after 8,200 bytes of traffic wants input, until one more byte has been read
// "client:first-FAULT" and "server:first-FAULT" are faults of the first session of a context alone.
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <tlsrig/sdk/backend.hpp>
#include <tlsrig/sdk/wire.hpp>

namespace {

namespace sdk = tlsrig::sdk;

struct Context {
  explicit Context(const tlsrig_config& config) {
    const char* const asked = std::getenv("TLSRIG_FAULT");
    const std::string side = config.role == TLSRIG_CLIENT ? "client:" : "server:";
    if (asked && std::string(asked).starts_with(side)) fault = std::string(asked).substr(side.size());
    first_alone = fault.starts_with(first);
    if (first_alone) fault.erase(0, first.size());
  }

  std::string next_fault() { return first_alone && sessions++ ? "" : fault; }

  static const tlsrig_info& start() {
    static constexpr const char* none[] = {nullptr};
    static const void* const anchors[] = {reinterpret_cast<const void*>(&start), nullptr};
    static const tlsrig_info info{sizeof(tlsrig_info),
                                  sizeof(tlsrig_config),
                                  "faulty",
                                  "1",
                                  "for tests",
                                  anchors,
                                  0,
                                  TLSRIG_WIRE | TLSRIG_FD,
                                  none,
                                  none};
    return info;
  }
  static const void* extension(const char*) noexcept { return nullptr; }

  static constexpr std::string_view first = "first-";
  std::string fault;
  bool first_alone = false;
  std::atomic<unsigned> sessions = 0;
};

class Session {
 public:
  Session(Context& context, const tlsrig_transport& transport, const char*, tlsrig_error& error)
      : fault_(context.next_fault()),
        wire_(transport.kind == TLSRIG_WIRE ? transport.wire : nullptr),
        fd_(transport.fd),
        error_(error) {}

  tlsrig_result handshake() noexcept {
    if (fault_ == "refuse") return fail(TLSRIG_ERROR_CERTIFICATE, "the certificate is not to my liking");
    if (fault_ != "unable") return TLSRIG_OK;
    fail(TLSRIG_ERROR_CONFIG, "this library cannot shake hands");
    return TLSRIG_UNSUPPORTED;
  }

  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
    constexpr std::size_t place = 5000;
    if (fruitless_ && fault_ == "nods" && !nodded()) return TLSRIG_WANT_READ;
    const tlsrig_result result = receive(data, capacity, size);
    if (result != TLSRIG_OK) return result;
    const std::size_t before = read_;
    read_ += size;
    if (before > place || read_ <= place) return TLSRIG_OK;
    if (fault_ == "flip") data[place - before] ^= 1;
    if (fault_ == "die") return fail(TLSRIG_ERROR_TRUNCATED, "died on purpose");
    if (fault_ == "close") return TLSRIG_CLOSED;
    if (fault_ != "drop") return TLSRIG_OK;
    for (std::size_t i = place - before; i + 1 < size; ++i) data[i] = data[i + 1];
    if (--size) return TLSRIG_OK;
    return receive(data, capacity, size);
  }

  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
    if (fault_ == "asks" && !has_input()) {
      if (++fruitless_ > 4) return fail(TLSRIG_ERROR_OTHER, "the same write again and again, without any input");
      return TLSRIG_WANT_READ;
    }
    if (fault_ == "nods" && written_ + read_ >= asks_after && !nodded()) {
      if (++fruitless_ > 4) return fail(TLSRIG_ERROR_OTHER, "the same write again and again, without any input");
      return TLSRIG_WANT_READ;
    }
    const tlsrig_result result = send_bytes(data, size, written);
    if (result == TLSRIG_OK) written_ += written;
    return result;
  }

  tlsrig_result shutdown() noexcept { return TLSRIG_OK; }
  void describe(tlsrig_facts&) noexcept {}

 private:
  static constexpr std::size_t asks_after = 8 + 8192;  // the announcement and the first message of the tests

  // Whether a write may go on. While it looks for input it takes in whatever has come, and payload is in its way until
  // read has given it away.
  bool has_input() noexcept {
    if (written_ + read_ < asks_after) return true;
    if (!asked_at_) asked_at_ = read_;
    if (read_ > *asked_at_) return true;
    std::uint8_t more[4096];
    std::size_t size = 0;
    while (take_in(more, sizeof more, size) == TLSRIG_OK) held_.append(reinterpret_cast<const char*>(more), size);
    return false;
  }

  // Whether the byte has come that a write waits for.
  bool nodded() noexcept {
    std::uint8_t nod = 0;
    std::size_t size = 0;
    return nodded_ = nodded_ || take_in(&nod, 1, size) == TLSRIG_OK;
  }

  tlsrig_result send_bytes(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept {
    if (wire_) {
      written = sdk::put(*wire_, data, size);
      return written ? TLSRIG_OK : TLSRIG_WANT_WRITE;
    }
    const ssize_t sent = send(fd_, data, size, MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN ? TLSRIG_WANT_WRITE : fail(TLSRIG_ERROR_SYSTEM, "send failed");
    written = static_cast<std::size_t>(sent);
    return TLSRIG_OK;
  }

  tlsrig_result receive(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
    if (held_.empty()) return take_in(data, capacity, size);
    size = held_.copy(reinterpret_cast<char*>(data), capacity);
    held_.erase(0, size);
    return TLSRIG_OK;
  }

  tlsrig_result take_in(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept {
    if (wire_) {
      size = sdk::take(*wire_, data, capacity);
      return size ? TLSRIG_OK : wire_->in_ended ? TLSRIG_CLOSED : TLSRIG_WANT_READ;
    }
    const ssize_t got = recv(fd_, data, capacity, 0);
    if (got < 0) return errno == EAGAIN ? TLSRIG_WANT_READ : fail(TLSRIG_ERROR_SYSTEM, "recv failed");
    size = static_cast<std::size_t>(got);
    return got ? TLSRIG_OK : TLSRIG_CLOSED;
  }

  tlsrig_result fail(std::int32_t kind, const char* text) noexcept {
    sdk::set_error(error_, kind, 0, -1, text);
    return TLSRIG_ERROR;
  }

  const std::string fault_;
  tlsrig_wire* wire_;
  int fd_;
  tlsrig_error& error_;
  std::size_t read_ = 0, written_ = 0;
  std::optional<std::size_t> asked_at_;  // bytes read when a write first wanted input
  unsigned fruitless_ = 0;               // writes that wanted input and found none
  bool nodded_ = false;
  std::string held_;  // payload that a write took in
};

}  // namespace

TLSRIG_BACKEND(Context, Session)
