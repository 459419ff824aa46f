// Much at once through little room: certificates, data, and handshakes that come in the smallest records.
#include <algorithm>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/bench/known_limits.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr std::size_t kibibyte = 1024;

// A server whose certificates take 40 KiB, over room for a small part of them. A library that cannot take so much says
// so in its own words.
std::string large_chain(const Setup& setup) {
  skip_unless_tls(setup);
  Settings settings = usual(setup);
  settings.server.certificate_chain = setup.large.server_chain;
  settings.server.private_key = setup.large.server_key;
  settings.client.trust_anchors = setup.large.trust;
  return unless_unsupported([&] {
    std::size_t flight = 0;
    for (const std::size_t window : {512, 4096, 65'536}) {
      BenchOptions options = both_over(setup.transport);
      options.ports.out_window = window;
      options.ports.buffers = window < 1000 ? Buffers::least : Buffers::usual;
      Established stand(setup, settings, options);
      flight = stand.client().incoming().total();
      require(flight > 40 * kibibyte, "the server sent {} bytes of handshake; its certificates alone are more", flight);
      const std::uint32_t verified = stand.client().describe().peer_verified;
      require(verified == TLSRIG_YES, "peer_verified is {} at the client; YES (2) is due after a checked certificate",
              verified);
      exchange(stand.bench, 1000);
      end_orderly(stand.bench);
      if (setup.transport == TLSRIG_FD && options.ports.buffers == Buffers::usual) break;  // a socket has no window
    }
    return fmt::format("{} bytes of handshake from the server", flight);
  });
}

// Both write and read at once what no buffer on the way can hold.
void mebibyte_both_ways(const Setup& setup) {
  BenchOptions options = both_over(setup.transport);
  options.ports.out_window = options.limit = 17 * kibibyte;
  options.ports.buffers = Buffers::least;
  Established stand(setup, options);
  exchange(stand.bench, 1024 * kibibyte, {TLSRIG_WRITE_MAX, 16 * kibibyte});
  end_orderly(stand.bench);
}

// The same handshake bytes in records of `size` bytes at most (RFC 8446, 5.1: a message may be split over any number).
// Protected records stay as they are.
std::vector<std::uint8_t> split(std::span<const std::uint8_t> bytes, std::size_t size) {
  constexpr std::size_t header = 5;
  constexpr std::uint8_t handshake = 22, change_cipher_spec = 20;
  std::vector<std::uint8_t> records;
  bool in_clear = true;
  while (bytes.size() >= header) {
    const std::size_t length = std::size_t(bytes[3]) << 8 | bytes[4];
    const auto record = bytes.subspan(0, std::min(bytes.size(), header + length));
    bytes = bytes.subspan(record.size());
    if (record[0] == change_cipher_spec) in_clear = false;
    if (record[0] != handshake || !in_clear) {
      records.insert(records.end(), record.begin(), record.end());
      continue;
    }
    for (std::size_t at = header; at < record.size(); at += size) {
      const std::size_t now = std::min(size, record.size() - at);
      records.insert(records.end(), {record[0], record[1], record[2], std::uint8_t(now >> 8), std::uint8_t(now)});
      records.insert(records.end(), record.begin() + std::ptrdiff_t(at), record.begin() + std::ptrdiff_t(at + now));
    }
  }
  return records;
}

// The flights in clear of both sides, each rewritten before it is delivered.
void handshake_in_records_of(const Setup& setup, std::size_t size) {
  Stand stand(setup, usual(setup));
  const auto flight = [&](End& end) {
    Flow& flow = stand.bench.peer_of(end).incoming();
    flow.held = true;
    require(settled(stand.bench, end,
                    [](End& side) {
                      const tlsrig_result result = side.handshake();
                      return result == TLSRIG_WANT_READ && side.incoming().waiting() == 0 ? TLSRIG_CLOSED : result;
                    }) == TLSRIG_CLOSED,
            "{} with its peer's first flight in records of {} bytes; WANT_READ was due", end, size);
    end.collect_all();
    const auto records = split(flow.undelivered(), size);
    flow.replace_waiting(records);
    flow.held = false;
  };
  flight(stand.client());
  flight(stand.server());
  try {
    shake(stand.bench);
  } catch (const Failed& failed) {
    retell(failed, fmt::format("{} [handshake messages in records of {} bytes]", failed.what(), size));
  }
  exchange(stand.bench, 1000);
}

std::string split_records(const Setup& setup) {
  skip_unless_tls(setup);
  skip_unless_wire(setup, "the records are the same over a socket");
  constexpr std::size_t message_header = 4;  // RFC 8446, 4
  std::string tried;
  for (const std::size_t size : {64, 16, 4, 1}) {
    try {
      handshake_in_records_of(setup, size);
    } catch (const Failed& failed) {
      if (size < message_header) skip_if_known(Limit::handshake_in_small_records, setup, failed.what());
      throw;
    }
    tried += fmt::format("{}{}", tried.empty() ? "records of " : ", ", size);
  }
  return tried;
}

}  // namespace

std::vector<Step> volume_steps() {
  return {
      {"certificates-of-40-kib", "law 7: a chain of 40 KiB is taken, or UNSUPPORTED in the library's words",
       judged<large_chain>,
       "send a flight that out cannot hold in parts, with WANT_WRITE between them, and raise the library's limit for "
       "certificates (SSL_CTX_set_max_cert_list); a limit that cannot be raised is UNSUPPORTED, from handshake too"},
      {"mebibyte-both-ways-at-once", "law 1: both ends write more than any buffer holds, and neither stands still",
       judged<mebibyte_both_ways>,
       "let read work while a write is blocked and write while input waits, and keep the two directions' states apart"},
      {"handshake-in-small-records", "handshake messages may be split over records of any size", judged<split_records>,
       "leave putting handshake messages together to the library, and call it until it wants input; a library that "
       "cannot have a line in core/check/bench/known_limits.cpp"},
  };
}

}  // namespace tlsrig::check
