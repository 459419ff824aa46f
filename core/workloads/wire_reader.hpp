// Reads what one connection carries in clear, from either end of it: how many records, and what the handshake settled.
#pragma once

#include <cstdint>
#include <optional>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/net/counted_calls.hpp>
#include <tlsrig/records/flight_reader.hpp>
#include <tlsrig/records/record_reader.hpp>

namespace tlsrig::workloads {

class WireReader final : public net::Observer {
 public:
  // role: the end at which it reads, TLSRIG_CLIENT or TLSRIG_SERVER.
  explicit WireReader(std::int32_t role) : reads_at_server_(role == TLSRIG_SERVER) {}

  void received(records::Bytes bytes) noexcept override { take(in_, bytes, !reads_at_server_); }
  void sent(records::Bytes bytes) noexcept override { take(out_, bytes, reads_at_server_); }

  // Nothing when what was read is no stream of records.
  std::optional<std::uint64_t> records_in() const { return count(in_); }
  std::optional<std::uint64_t> records_out() const { return count(out_); }

  // Whether anything came by that the server had sent.
  bool saw_server() const { return (reads_at_server_ ? out_ : in_).started(); }

  // Nothing while the flight is not whole, or when it cannot be read.
  std::optional<records::Flight> flight() const {
    if (flight_.state() != records::FlightReader::State::whole) return std::nullopt;
    return flight_.flight();
  }

 private:
  void take(records::RecordReader& records, records::Bytes bytes, bool from_server) noexcept {
    if (!from_server) return records.take(bytes);
    records.take(bytes, [this](records::ContentType type, records::Bytes piece) { flight_.take(type, piece); });
  }

  static std::optional<std::uint64_t> count(const records::RecordReader& records) {
    if (!records.readable()) return std::nullopt;
    return records.records();
  }

  bool reads_at_server_;
  records::RecordReader in_, out_;
  records::FlightReader flight_;
};

}  // namespace tlsrig::workloads
