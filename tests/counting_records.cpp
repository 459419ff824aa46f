// Tests of core/records: flights captured on the spot, and bytes that nobody should believe.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>

#include <tlsrig/records/flight_reader.hpp>
#include <tlsrig/records/names.hpp>
#include <tlsrig/workloads/wire_reader.hpp>

#include "counting_support.hpp"

using namespace tlsrig;
using records::Bytes;
using records::FlightReader;
using records::RecordReader;

namespace {

struct Read {
  FlightReader flight;
  RecordReader records;
};

// Reads a server's bytes in pieces of this size.
Read read_in_pieces(const std::vector<std::uint8_t>& bytes, std::size_t piece) {
  Read read;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    // A copy of just these bytes: a read beyond them is one that a sanitizer sees.
    const std::vector<std::uint8_t> part(
        bytes.begin() + static_cast<std::ptrdiff_t>(at),
        bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), at + piece)));
    read.records.take(part, [&](records::ContentType type, Bytes payload) { read.flight.take(type, payload); });
  }
  return read;
}

// The same flight however its bytes come.
records::Flight flight_of(const std::vector<std::uint8_t>& bytes) {
  const Read whole = read_in_pieces(bytes, bytes.size());
  REQUIRE(whole.flight.state() == FlightReader::State::whole);
  for (const std::size_t piece : {1u, 2u, 3u, 5u, 7u, 64u, 1000u}) {
    const Read pieces = read_in_pieces(bytes, piece);
    CAPTURE(piece);
    REQUIRE(pieces.flight.state() == FlightReader::State::whole);
    CHECK(pieces.flight.flight() == whole.flight.flight());
    CHECK(pieces.records.records() == whole.records.records());
  }
  return whole.flight.flight();
}

host::ContextOptions options(std::int32_t role, std::uint32_t protocol, const std::string& cipher,
                             const std::vector<std::string>& groups) {
  const workloads::CertificatePaths paths =
      tests::certificates(cipher.find("_RSA_") != std::string::npos ? "rsa-2048" : "ecdsa-p256");
  host::ContextOptions options;
  options.role = role;
  options.protocols = protocol;
  options.ciphers = {cipher};
  options.groups = groups;
  options.verify_peer = TLSRIG_NONE;
  options.tickets = options.session_cache = TLSRIG_NONE;
  if (role == TLSRIG_SERVER) {
    options.certificate_chain = paths.server_chain;
    options.private_key = paths.server_key;
  }
  return options;
}

std::vector<std::uint8_t> captured(const host::Backend& backend, std::uint32_t protocol, const std::string& cipher,
                                   const std::vector<std::string>& client_groups,
                                   const std::vector<std::string>& server_groups) {
  return tests::converse(backend, options(TLSRIG_CLIENT, protocol, cipher, client_groups),
                         options(TLSRIG_SERVER, protocol, cipher, server_groups))
      .server;
}

// A handshake message in a record of TLS 1.2.
std::vector<std::uint8_t> in_a_record(const std::vector<std::uint8_t>& message, std::uint8_t type = 22) {
  std::vector<std::uint8_t> record(5 + message.size(), 3);
  record[0] = type;
  record[3] = static_cast<std::uint8_t>(message.size() >> 8);
  record[4] = static_cast<std::uint8_t>(message.size());
  std::copy(message.begin(), message.end(), record.begin() + 5);
  return record;
}

std::vector<std::uint8_t> operator+(std::vector<std::uint8_t> left, const std::vector<std::uint8_t>& right) {
  for (const std::uint8_t byte : right) left.push_back(byte);
  return left;
}

// A ServerHello of TLS 1.2 with AES-128-GCM, static RSA when `rsa`, and these bytes behind the compression method.
std::vector<std::uint8_t> hello_1_2(const std::vector<std::uint8_t>& rest = {}, bool rsa = false) {
  std::vector<std::uint8_t> body(2 + 32 + 1, 3);
  body[34] = 0;  // no session id
  body = body + (rsa ? std::vector<std::uint8_t>{0x00, 0x9C} : std::vector<std::uint8_t>{0xC0, 0x2F});
  body.push_back(0);
  body = body + rest;
  return std::vector<std::uint8_t>{2, 0, 0, static_cast<std::uint8_t>(body.size())} + body;
}

const std::vector<std::uint8_t> certificate = {11, 0, 0, 3, 0, 0, 0}, hello_done = {14, 0, 0, 0}, change = {1};

FlightReader::State state_of(const std::vector<std::uint8_t>& bytes) { return read_in_pieces(bytes, 1).flight.state(); }

}  // namespace

TEST_SUITE("counting.records") {
  TEST_CASE("the flights of every backend show what was asked for") {
    struct Ask {
      std::uint32_t protocol;
      const char *cipher, *group;
      std::optional<const char*> signature;
    };
    for (const char* name : {"openssl", "boringssl", "wolfssl"}) {
      const host::Backend* const backend = tests::backend(name);
      if (!backend) {
        MESSAGE("skipped: " << name << " was not built");
        continue;
      }
      for (const Ask& ask :
           {Ask{TLSRIG_TLS_1_3, "TLS_AES_128_GCM_SHA256", "x25519", {}},
            Ask{TLSRIG_TLS_1_3, "TLS_AES_128_GCM_SHA256", "secp384r1", {}},
            Ask{TLSRIG_TLS_1_2, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "secp256r1", "ecdsa_secp256r1_sha256"},
            Ask{TLSRIG_TLS_1_2, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "x25519", "rsa_"},
            Ask{TLSRIG_TLS_1_2, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "secp384r1", "rsa_"}}) {
        CAPTURE(name);
        CAPTURE(ask.cipher);
        CAPTURE(ask.group);
        std::vector<std::string> groups = {ask.group};
        if (std::string(ask.group) != "secp256r1") groups.push_back("secp256r1");
        const records::Flight flight = flight_of(captured(*backend, ask.protocol, ask.cipher, {ask.group}, groups));
        CHECK(records::version_name(flight.version) == (ask.protocol == TLSRIG_TLS_1_3 ? "1.3" : "1.2"));
        CHECK(records::cipher_name(flight.cipher) == ask.cipher);
        REQUIRE(flight.group);
        CHECK(records::group_name(*flight.group) == ask.group);
        CHECK(flight.signature.has_value() == ask.signature.has_value());
        if (flight.signature) CHECK(records::signature_name(*flight.signature).starts_with(*ask.signature));
        CHECK_FALSE(flight.resumed);
        CHECK_FALSE(flight.hello_retry);
        CHECK_FALSE(flight.encrypt_then_mac);
        CHECK_FALSE(flight.without_group);
      }
    }
  }

  TEST_CASE("a HelloRetryRequest is seen, and the group is that of the second ServerHello") {
    for (const char* name : {"openssl", "boringssl", "wolfssl"}) {
      const host::Backend* const backend = tests::backend(name);
      if (!backend) continue;
      CAPTURE(name);
      const records::Flight flight = flight_of(
          captured(*backend, TLSRIG_TLS_1_3, "TLS_AES_128_GCM_SHA256", {"x25519", "secp384r1"}, {"secp384r1"}));
      CHECK(flight.hello_retry);
      CHECK(records::version_name(flight.version) == "1.3");
      REQUIRE(flight.group);
      CHECK(records::group_name(*flight.group) == "secp384r1");
    }
  }

  TEST_CASE("a resumed session is seen in both versions, by ticket and by id") {
    for (const char* name : {"openssl", "boringssl", "wolfssl"}) {
      const host::Backend* const backend = tests::backend(name);
      if (!backend || !backend->table().extension("tlsrig.resumption/1")) {
        MESSAGE("skipped: " << name << " was not built or has no resumption");
        continue;
      }
      for (const std::uint32_t protocol : {TLSRIG_TLS_1_2, TLSRIG_TLS_1_3})
        for (const bool ticket : {true, false}) {
          if (!ticket && protocol == TLSRIG_TLS_1_3) continue;
          CAPTURE(name);
          CAPTURE(protocol);
          CAPTURE(ticket);
          const char* const cipher =
              protocol == TLSRIG_TLS_1_3 ? "TLS_AES_128_GCM_SHA256" : "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
          auto client = options(TLSRIG_CLIENT, protocol, cipher, {"secp256r1"});
          auto server = options(TLSRIG_SERVER, protocol, cipher, {"secp256r1"});
          client.tickets = server.tickets = ticket ? 1 : TLSRIG_NONE;
          client.session_cache = server.session_cache = ticket ? TLSRIG_NONE : 100;
          const tests::Capture capture = tests::converse(*backend, client, server, true);
          const records::Flight flight = flight_of(capture.server);
          CHECK(capture.resumed);
          CHECK(flight.resumed);
          CHECK(records::cipher_name(flight.cipher) == cipher);
        }
    }
  }

  TEST_CASE("records are counted whatever the pieces, and both directions are told apart") {
    const host::Backend* const backend = tests::backend("openssl");
    if (!backend) {
      MESSAGE("skipped: openssl was not built");
      return;
    }
    const tests::Capture capture =
        tests::converse(*backend, options(TLSRIG_CLIENT, TLSRIG_TLS_1_2, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", {}),
                        options(TLSRIG_SERVER, TLSRIG_TLS_1_2, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", {}));
    for (const std::int32_t role : {TLSRIG_CLIENT, TLSRIG_SERVER}) {
      workloads::WireReader reader(role);
      CHECK_FALSE(reader.saw_server());
      reader.received(role == TLSRIG_CLIENT ? capture.server : capture.client);
      reader.sent(role == TLSRIG_CLIENT ? capture.client : capture.server);
      CHECK(reader.saw_server());
      REQUIRE(reader.flight());
      // ClientHello; ClientKeyExchange, ChangeCipherSpec, Finished, data. And ServerHello, Certificate,
      // ServerKeyExchange, ServerHelloDone, in as many records as it likes; ChangeCipherSpec, Finished, data.
      CHECK(*(role == TLSRIG_CLIENT ? reader.records_out() : reader.records_in()) == 5);
      CHECK(*(role == TLSRIG_CLIENT ? reader.records_in() : reader.records_out()) >= 4);
    }
  }

  TEST_CASE("what a full handshake of TLS 1.2 has, and an abbreviated one has not") {
    using State = FlightReader::State;
    const auto full = in_a_record(hello_1_2({}, true)) + in_a_record(certificate) + in_a_record(hello_done);
    CHECK(flight_of(full).without_group);
    CHECK_FALSE(flight_of(full).resumed);
    CHECK(flight_of(in_a_record(hello_1_2() + certificate + hello_done)).version == 0x0303);  // all in one record
    CHECK(flight_of(in_a_record(hello_1_2()) + in_a_record(change, 20)).resumed);
    CHECK(flight_of(in_a_record(hello_1_2()) + in_a_record({4, 0, 0, 1, 0})).resumed);  // a new ticket first
    CHECK(flight_of(in_a_record(hello_1_2({0, 4, 0, 22, 0, 0})) + in_a_record(change, 20)).encrypt_then_mac);
    CHECK(state_of(in_a_record(hello_1_2()) + in_a_record(certificate) + in_a_record(change, 20)) == State::unreadable);
    CHECK(state_of(in_a_record(certificate)) == State::unreadable);
    CHECK(state_of(in_a_record(hello_1_2()) + in_a_record(hello_1_2())) == State::unreadable);
    CHECK(state_of(in_a_record(hello_1_2({0, 9, 0, 22, 0, 0}))) ==
          State::unreadable);  // extensions longer than there is
    CHECK(state_of(in_a_record(hello_1_2({0, 4, 0, 22, 0, 9}))) == State::unreadable);     // one extension likewise
    CHECK(state_of(in_a_record(hello_1_2({0, 4, 0, 22, 0, 0, 7}))) == State::unreadable);  // more behind them
    CHECK(state_of(in_a_record({2, 255, 255, 255})) == State::unreadable);                 // a hello of 16 MiB
    CHECK(state_of(in_a_record({1, 2, 3}, 23)) == State::unreadable);                      // data before a ServerHello
    CHECK(state_of(in_a_record({2, 40}, 21)) == State::reading);                           // an alert settles nothing
  }

  TEST_CASE("what is no TLS is called so") {
    const std::string text = "HTTP/1.1 400 Bad Request\r\n\r\n";
    const Read read = read_in_pieces({text.begin(), text.end()}, 4);
    CHECK_FALSE(read.records.readable());
    CHECK(read.records.started());
    CHECK(read.records.records() == 0);
    CHECK_FALSE(read_in_pieces({23, 3, 3, 255, 255}, 1).records.readable());  // longer than any record
    CHECK_FALSE(read_in_pieces({23, 2, 3, 0, 1}, 1).records.readable());      // not a version
    CHECK(read_in_pieces({23, 3, 3, 0, 0, 23, 3, 3, 0, 0}, 3).records.records() == 2);
    CHECK(records::cipher_name(0x13FF) == "0x13FF");
    CHECK(records::group_name(0x0A0A) == "0x0A0A");
  }

  // Whatever comes, nothing outside the bytes is read (sanitizers would tell), and the reader ends in a state.
  TEST_CASE("cut, flipped and random bytes are survived") {
    const host::Backend* const backend = tests::backend("openssl");
    if (!backend) {
      MESSAGE("skipped: openssl was not built");
      return;
    }
    std::mt19937 random(20);
    const std::vector<std::vector<std::uint8_t>> flights = {
        captured(*backend, TLSRIG_TLS_1_2, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", {"x25519"}, {"x25519"}),
        captured(*backend, TLSRIG_TLS_1_3, "TLS_AES_128_GCM_SHA256", {"x25519", "secp384r1"}, {"secp384r1"})};
    std::array<unsigned, 3> ended{};
    const auto run = [&](const std::vector<std::uint8_t>& bytes) {
      ++ended[static_cast<std::size_t>(read_in_pieces(bytes, 1 + random() % 40).flight.state())];
    };
    for (const auto& flight : flights) {
      // The flight proper and a little of what is behind it: mutations of encrypted records would be wasted.
      const std::size_t interesting = std::min<std::size_t>(flight.size(), 2000);
      for (std::size_t size = 0; size < interesting; ++size)
        run({flight.begin(), flight.begin() + static_cast<std::ptrdiff_t>(size)});
      for (int i = 0; i < 20'000; ++i) {
        auto mutated = flight;
        for (auto flips = 1 + random() % 3; flips; --flips)
          mutated[random() % interesting] = static_cast<std::uint8_t>(random());
        run(mutated);
      }
    }
    for (int i = 0; i < 20'000; ++i) {
      std::vector<std::uint8_t> noise(random() % 200);
      for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
      // Half of it in a well-formed record, so that it is looked at.
      run(i % 2 ? in_a_record(noise) : noise);
      run(in_a_record(hello_1_2()) + in_a_record(noise));
    }
    for (const unsigned count : ended) CHECK(count > 0);
  }
}
