// The server's first flight, message by message. Lengths come from the peer: every read is checked against what is
// there.
#include <tlsrig/records/flight_reader.hpp>

#include <array>
#include <string>

#include <tlsrig/records/names.hpp>

namespace tlsrig::records {

namespace {

// Handshake types (RFC 8446, 4; RFC 5246, 7.4; RFC 6066, 8).
constexpr std::uint8_t hello_request = 0, server_hello = 2, new_session_ticket = 4, certificate = 11,
                       server_key_exchange = 12, certificate_request = 13, server_hello_done = 14,
                       certificate_status = 22;

constexpr std::uint16_t tls_1_2 = 0x0303, tls_1_3 = 0x0304;

// Extensions of a ServerHello.
constexpr std::uint16_t encrypt_then_mac = 22, pre_shared_key = 41, supported_versions = 43, key_share = 51;

// Messages that are read are short: the longest has a point, a key of 16,384 bits and a signature by one. What is
// longer is not kept, so that a peer cannot make this process grow.
constexpr std::uint32_t body_max = 8192;

// A ServerHello with this random is a HelloRetryRequest (RFC 8446, 4.1.3): SHA-256 of that word.
constexpr std::array<std::uint8_t, 32> hello_retry_random = {
    0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
    0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C};

// Bytes from front to back. What is not there reads as zero or empty, and then ok() is false from then on.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool empty() const { return bytes_.empty(); }

  Bytes take(std::size_t size) {
    if (size > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const Bytes taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }

  std::uint8_t number8() {
    const Bytes taken = take(1);
    return taken.empty() ? std::uint8_t{0} : taken[0];
  }

  std::uint16_t number16() {
    const Bytes taken = take(2);
    return taken.empty() ? std::uint16_t{0} : static_cast<std::uint16_t>(taken[0] << 8 | taken[1]);
  }

  // A vector behind its length in one or two bytes (RFC 8446, 3.4).
  Bytes vector8() { return take(number8()); }
  Bytes vector16() { return take(number16()); }

 private:
  Bytes bytes_;
  bool ok_ = true;
};

// What a suite of TLS 1.2 agrees on keys with, which its name begins with.
bool has_key_exchange(std::uint16_t cipher, const char* names) { return cipher_name(cipher).starts_with(names); }

}  // namespace

void FlightReader::finish(State state) {
  state_ = state;
  body_ = {};  // the reader lives as long as its connection
}

void FlightReader::take(ContentType type, Bytes piece) {
  if (state_ != State::reading) return;
  if (type == ContentType::handshake) return take_handshake(piece);
  if (type == ContentType::change_cipher_spec) return take_change_cipher_spec();
  if (type != ContentType::alert) finish(State::unreadable);
}

// Before a ServerHello it is one for the sake of middleboxes, behind a HelloRetryRequest (RFC 8446, D.4).
void FlightReader::take_change_cipher_spec() {
  if (!hello_read_) return;
  flight_.resumed = true;
  finish(certificate_seen_ || header_size_ > 0 ? State::unreadable : State::whole);
}

void FlightReader::take_handshake(Bytes piece) {
  while (!piece.empty() && state_ == State::reading) {
    if (header_size_ < sizeof header_) {
      header_[header_size_++] = piece.front();
      piece = piece.subspan(1);
      if (header_size_ == sizeof header_) begin_message();
    } else {
      const std::size_t size = std::min<std::size_t>(left_, piece.size());
      if (header_[0] == server_hello || header_[0] == server_key_exchange)
        body_.insert(body_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size));
      left_ -= static_cast<std::uint32_t>(size);
      piece = piece.subspan(size);
    }
    if (state_ == State::reading && header_size_ == sizeof header_ && left_ == 0) end_message();
  }
}

void FlightReader::begin_message() {
  left_ = static_cast<std::uint32_t>(header_[1]) << 16 | static_cast<std::uint32_t>(header_[2]) << 8 | header_[3];
  const std::uint8_t type = header_[0];
  const bool read = type == server_hello || type == server_key_exchange;
  // A ServerHello comes first, and once; but for a HelloRequest, which may come at any time.
  const bool in_order = type == hello_request || (type == server_hello) != hello_read_;
  if (!in_order || (read && left_ > body_max)) finish(State::unreadable);
}

void FlightReader::end_message() {
  const std::uint8_t type = header_[0];
  header_size_ = 0;
  switch (type) {
    case hello_request:
      break;
    case server_hello:
      read_server_hello();
      break;
    case server_key_exchange:
      certificate_seen_ = true;
      read_server_key_exchange();
      break;
    case certificate:
    case certificate_status:
    case certificate_request:
      certificate_seen_ = true;
      break;
    case new_session_ticket:
      flight_.resumed = true;
      return finish(certificate_seen_ ? State::unreadable : State::whole);
    case server_hello_done:
      flight_.without_group = has_key_exchange(flight_.cipher, "TLS_RSA_WITH_");
      return finish(State::whole);
    default:
      return finish(State::unreadable);
  }
  body_.clear();
}

// RFC 8446, 4.1.3; RFC 5246, 7.4.1.3.
void FlightReader::read_server_hello() {
  Cursor hello(body_);
  const bool retried = flight_.hello_retry;
  flight_ = {};  // all else that a HelloRetryRequest says is said anew
  flight_.hello_retry = retried;
  flight_.version = hello.number16();
  const Bytes random = hello.take(hello_retry_random.size());
  hello.vector8();  // session id
  flight_.cipher = hello.number16();
  hello.number8();  // compression
  if (!hello.ok()) return finish(State::unreadable);
  Cursor extensions(hello.empty() ? Bytes{} : hello.vector16());
  while (!extensions.empty()) {
    const std::uint16_t type = extensions.number16();
    Cursor extension(extensions.vector16());
    if (type == supported_versions) flight_.version = extension.number16();
    if (type == key_share) flight_.group = extension.number16();
    if (type == pre_shared_key) flight_.resumed = true;
    if (type == encrypt_then_mac) flight_.encrypt_then_mac = true;
    if (!extension.ok()) return finish(State::unreadable);
  }
  if (!hello.ok() || !extensions.ok() || !hello.empty()) return finish(State::unreadable);
  const bool is_retry = std::equal(random.begin(), random.end(), hello_retry_random.begin());
  if (flight_.version == tls_1_3) {
    if (is_retry && retried) return finish(State::unreadable);  // a second one (RFC 8446, 4.1.4)
    if (!is_retry) return finish(State::whole);
    flight_.hello_retry = true;
    return;
  }
  if (flight_.version != tls_1_2 || is_retry || retried) return finish(State::unreadable);
  // In TLS 1.2 neither says anything.
  flight_.resumed = false;
  flight_.group.reset();
  hello_read_ = true;
}

// Of the suites with ephemeral elliptic curves and a certificate (RFC 8422, 5.4); others show neither by a number.
void FlightReader::read_server_key_exchange() {
  constexpr std::uint8_t named_curve = 3;
  if (!has_key_exchange(flight_.cipher, "TLS_ECDHE_ECDSA_") && !has_key_exchange(flight_.cipher, "TLS_ECDHE_RSA_"))
    return;
  Cursor exchange(body_);
  const std::uint8_t curve_type = exchange.number8();
  const std::uint16_t curve = exchange.number16();
  exchange.vector8();  // the public point
  const std::uint16_t signature = exchange.number16();
  exchange.vector16();
  if (!exchange.ok() || curve_type != named_curve) return finish(State::unreadable);
  flight_.group = curve;
  flight_.signature = signature;
}

}  // namespace tlsrig::records
