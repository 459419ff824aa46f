// What a handshake settles as far as it stands in clear, read from what the server sends: in TLS 1.3 its ServerHello
// and a HelloRetryRequest before it (RFC 8446, 4.1.3 and 4.1.4), in TLS 1.2 its messages up to ServerHelloDone or, of a
// resumed session, up to its ChangeCipherSpec (RFC 5246, 7.3).
//
// The client's messages are not needed. That a TLS 1.2 session was resumed is told by the order of the server's: a full
// handshake goes on with its Certificate, an abbreviated one with a NewSessionTicket (RFC 5077, 3.3) or at once with
// ChangeCipherSpec. An echoed session id says less: a client that offers a ticket may leave it empty (RFC 5077, 3.4).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tlsrig/records/record_reader.hpp>

namespace tlsrig::records {

// Numbers are those of the IANA registries; names.hpp has their names.
struct Flight {
  std::uint16_t version = 0;               // 0x0303: TLS 1.2, 0x0304: TLS 1.3
  std::uint16_t cipher = 0;                // cipher suite
  std::optional<std::uint16_t> group;      // empty: none was used, or it is not shown: see without_group
  std::optional<std::uint16_t> signature;  // the server's scheme; in clear only in TLS 1.2 (RFC 5246, 7.4.3)
  bool without_group = false;              // the key exchange of this suite has no group: it is RSA (RFC 5246, 7.4.7.1)
  bool hello_retry = false;
  bool resumed = false;
  bool encrypt_then_mac = false;  // RFC 7366

  friend bool operator==(const Flight&, const Flight&) = default;
};

class FlightReader {
 public:
  // Takes the next piece of a record's payload that the server has sent.
  void take(ContentType type, Bytes piece);

  // unreadable: what came is no first flight of TLS 1.2 or 1.3.
  enum class State : std::uint8_t { reading, whole, unreadable };
  State state() const { return state_; }

  // When state() is whole.
  const Flight& flight() const { return flight_; }

 private:
  void take_handshake(Bytes piece);
  void begin_message();
  void end_message();
  void read_server_hello();
  void read_server_key_exchange();
  void take_change_cipher_spec();
  void finish(State state);

  Flight flight_;
  State state_ = State::reading;
  std::uint8_t header_[4] = {};  // type and length of the handshake message under way (RFC 8446, 4)
  std::uint8_t header_size_ = 0;
  bool hello_read_ = false;         // a ServerHello that is no HelloRetryRequest
  bool certificate_seen_ = false;   // or whatever else only a full handshake has
  std::uint32_t left_ = 0;          // bytes of the message still to come
  std::vector<std::uint8_t> body_;  // of the message, when it is one that is read
};

}  // namespace tlsrig::records
