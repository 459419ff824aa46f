// Reads the headers of TLS records (RFC 8446, 5.1; RFC 5246, 6.2.1) in one direction of a connection, in whatever
// pieces its bytes come, and shows what is in the records to whoever wants it. Only lengths and types are believed, and
// those only within their limits: the peer that wrote them is not trusted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tlsrig::records {

using Bytes = std::span<const std::uint8_t>;

enum class ContentType : std::uint8_t { change_cipher_spec = 20, alert = 21, handshake = 22, application_data = 23 };

class RecordReader {
 public:
  // Takes the next bytes of the stream. payload(ContentType, Bytes) is called for each piece of a record's payload that
  // lies in them; never with an empty piece. After bytes that are no TLS record nothing more is read.
  template <class Payload>
  void take(Bytes bytes, Payload&& payload) {
    while (!bytes.empty() && readable_) {
      if (left_ == 0) {
        header_[header_size_++] = bytes.front();
        bytes = bytes.subspan(1);
        if (header_size_ == sizeof header_) begin_record();
        continue;
      }
      const std::size_t size = std::min<std::size_t>(left_, bytes.size());
      payload(static_cast<ContentType>(header_[0]), bytes.first(size));
      left_ = static_cast<std::uint16_t>(left_ - size);
      bytes = bytes.subspan(size);
    }
  }

  void take(Bytes bytes) {
    take(bytes, [](ContentType, Bytes) {});
  }

  // Records whose header has been read whole.
  std::uint64_t records() const { return records_; }

  // Whether anything came, be it a part of a header.
  bool started() const { return records_ > 0 || header_size_ > 0 || !readable_; }

  // False: what came is no stream of TLS records.
  bool readable() const { return readable_; }

 private:
  // The most that a record of TLS 1.2 may hold, 2^14 + 2048 bytes (RFC 5246, 6.2.3); those of TLS 1.3 hold less.
  static constexpr std::uint16_t length_max = 18432;

  void begin_record() {
    header_size_ = 0;
    left_ = static_cast<std::uint16_t>(header_[3] << 8 | header_[4]);
    // Every version since SSL 3.0 has the major number 3; type 24 is heartbeat (RFC 6520).
    readable_ = header_[0] >= 20 && header_[0] <= 24 && header_[1] == 3 && left_ <= length_max;
    if (readable_) ++records_;
  }

  std::uint64_t records_ = 0;
  std::uint16_t left_ = 0;  // payload bytes of the record under way
  std::uint8_t header_[5] = {};
  std::uint8_t header_size_ = 0;  // header bytes of the next record that have come
  bool readable_ = true;
};

}  // namespace tlsrig::records
