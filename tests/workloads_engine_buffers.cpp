// Tests of engine.buffers with the backend under test: what is copied, where, and that no byte is lost or doubled.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tlsrig/workloads/engine/staging.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

#include "workloads_support.hpp"

using namespace tlsrig;
using scenario::Buffers;
using scenario::Operation;

namespace {

constexpr Buffers all_policies[] = {Buffers::direct, Buffers::bounce, Buffers::pool, Buffers::malloc};

// Two sessions of the backend under test over two flows, handshaken.
class Pair {
 public:
  Pair() {
    const auto connect = [](std::vector<std::uint8_t>& flow, tlsrig_wire& writer, tlsrig_wire& reader) {
      reader.in = writer.out = flow.data();
      writer.out_size = flow.size();
    };
    connect(to_server, client_wire, server_wire);
    connect(to_client, server_wire, client_wire);
    client.emplace(client_context, tlsrig_transport{TLSRIG_WIRE, -1, &client_wire},
                   workloads::server_name_for(assignment, TLSRIG_CLIENT), client_error);
    server.emplace(server_context, tlsrig_transport{TLSRIG_WIRE, -1, &server_wire}, nullptr, server_error);
    bool client_done = false, server_done = false;
    for (int turn = 0; turn < 10 && !(client_done && server_done); ++turn) {
      if (!client_done) client_done = client->handshake() == TLSRIG_OK;
      server_wire.in_size = client_wire.out_used;
      if (!server_done) server_done = server->handshake() == TLSRIG_OK;
      client_wire.in_size = server_wire.out_used;
    }
    REQUIRE(client_done);
    REQUIRE(server_done);
    clear();
  }

  void clear() { client_wire.out_used = server_wire.in_size = server_wire.in_used = 0; }

  workloads::Assignment assignment = tests::assignment_for(tests::backend_under_test(), scenario::Workload::engine);
  std::vector<std::uint8_t> to_server = std::vector<std::uint8_t>(200'000), to_client = to_server;
  tlsrig_wire client_wire{}, server_wire{};
  tlsrig_error client_error{}, server_error{};
  host::Context client_context = workloads::make_context(assignment, TLSRIG_CLIENT);
  host::Context server_context = workloads::make_context(assignment, TLSRIG_SERVER);
  std::optional<host::Session> client, server;
};

// Sends bytes through the staged calls, `room` and `give` at a time, and gives what came out.
template <Buffers policy>
std::vector<std::uint8_t> carried(Pair& pair, const std::vector<std::uint8_t>& bytes, std::size_t room,
                                  std::size_t give) {
  workloads::Staging staging(policy, workloads::Layout(1), TLSRIG_WRITE_MAX);
  pair.clear();
  for (std::size_t sent = 0; sent < bytes.size();) {
    const std::size_t size = std::min<std::size_t>(bytes.size() - sent, TLSRIG_WRITE_MAX);
    std::size_t written = 0;
    REQUIRE(workloads::staged_write<policy>(staging, TLSRIG_CLIENT, *pair.client, pair.client_wire, bytes.data() + sent,
                                            size, written, room) == TLSRIG_OK);
    sent += written;
    REQUIRE(pair.client_wire.out == pair.to_server.data());
    REQUIRE(pair.client_wire.out_size == pair.to_server.size());
  }
  pair.server_wire.in_size = pair.client_wire.out_used;
  std::vector<std::uint8_t> got(bytes.size());
  for (std::size_t at = 0; at < got.size();) {
    const std::size_t capacity = std::min<std::size_t>(got.size() - at, TLSRIG_WRITE_MAX);
    std::size_t size = 0;
    REQUIRE(workloads::staged_read<policy>(staging, TLSRIG_SERVER, *pair.server, pair.server_wire, got.data() + at,
                                           capacity, size, give) == TLSRIG_OK);
    at += size;
    REQUIRE(pair.server_wire.in == pair.to_server.data());
    REQUIRE(pair.server_wire.in_size == pair.client_wire.out_used);
  }
  CHECK(pair.server_wire.in_used == pair.server_wire.in_size);
  std::size_t size = 0;
  std::uint8_t more = 0;
  CHECK(workloads::staged_read<policy>(staging, TLSRIG_SERVER, *pair.server, pair.server_wire, &more, 1, size, give) ==
        TLSRIG_WANT_READ);
  return got;
}

workloads::Assignment engine(Operation operation, Buffers buffers, std::uint64_t message_size,
                             std::uint32_t threads = 1) {
  auto assignment = tests::assignment_for(tests::backend_under_test(), scenario::Workload::engine);
  assignment.settings.engine.operation = operation;
  assignment.settings.engine.buffers = buffers;
  assignment.settings.engine.message_size = message_size;
  assignment.settings.engine.threads = threads;
  return assignment;
}

std::uint64_t total(const tests::RoleRun& run, const char* key) { return run.finished.at(key).get<std::uint64_t>(); }

// Bytes on the wire for one operation of the measured slices.
double bytes_per_operation(const tests::RoleRun& run, const char* side, const char* direction) {
  const workloads::Json& counts = run.finished.at("counts").at(side);
  return counts.at(direction).get<double>() / counts.at("operations").get<double>();
}

}  // namespace

TEST_SUITE("workloads.engine") {
  TEST_CASE("every policy of buffers carries every message, with the same records and bytes") {
    for (const Operation operation : {Operation::wrap, Operation::unwrap, Operation::wrap_unwrap})
      for (const std::uint64_t size : {1u, 64u, 16384u, 40960u}) {
        std::set<std::string> proofs;
        for (const Buffers policy : all_policies) {
          CAPTURE(static_cast<int>(operation));
          CAPTURE(size);
          CAPTURE(static_cast<int>(policy));
          const tests::RoleRun run = tests::run_engine(engine(operation, policy, size), 1);
          REQUIRE(run.failure == "");
          CHECK(run.operations >= 20);
          const auto verified = run.warmed.at("bytes_verified").get<std::uint64_t>();
          CHECK(verified > 0);
          CHECK(verified % size == 0);
          if (operation == Operation::wrap_unwrap) {
            CHECK(total(run, "payload_bytes_in") == size * total(run, "messages"));
            CHECK(total(run, "payload_bytes_out") == size * total(run, "messages"));
          }
          const workloads::Json& warm = run.finished.at("counts").at("client");
          const bool plain = tests::backend_under_test().plain();
          CHECK(warm.at("records_out").is_null() == plain);
          if (!plain) {
            const std::uint64_t records_of_a_message = (size + TLSRIG_WRITE_MAX - 1) / TLSRIG_WRITE_MAX;
            CHECK(warm.at("records_out") == records_of_a_message * warm.at("warmup_operations").get<std::uint64_t>());
            CHECK(run.finished.at("counts").at("server").at("records_in") == warm.at("records_out"));
          }
          const double out = bytes_per_operation(run, "client", "bytes_out");
          const double in = bytes_per_operation(run, "server", "bytes_in");
          CHECK(in == doctest::Approx(operation == Operation::wrap ? 0 : out).epsilon(1e-9));
          // What is unwrapped is wrapped a batch at a time, and a batch may end within a message.
          if (operation != Operation::unwrap) proofs.insert(std::to_string(out));
        }
        if (operation != Operation::unwrap) CHECK(proofs.size() == 1);
      }
  }

  TEST_CASE("copies hold for two threads, and in TLS 1.2 with records that are padded") {
    for (const Buffers policy : all_policies) {
      CAPTURE(static_cast<int>(policy));
      CHECK(tests::run_engine(engine(Operation::wrap_unwrap, policy, 4096, 2), 1).failure == "");
      for (const Operation operation : {Operation::unwrap, Operation::wrap_unwrap}) {
        auto padded = engine(operation, policy, 20'000);
        tests::pin(padded, "1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "x25519");
        const tests::RoleRun run = tests::run_engine(padded, 1);
        CHECK(run.failure == "");
      }
    }
  }

  TEST_CASE("the layout tells where memory of the rig's own lies") {
    const auto layout_with = [](Buffers policy) {
      return tests::run_engine(engine(Operation::wrap_unwrap, policy, 64), 1).finished.at("layout");
    };
    const std::size_t usual = layout_with(Buffers::direct).size();
    CHECK(layout_with(Buffers::malloc).size() == usual);
    CHECK(layout_with(Buffers::bounce).at("bounce").get<int>() % 64 == 0);
    CHECK(layout_with(Buffers::pool).at("pool").get<int>() % 64 == 0);
  }

  // Rooms and gifts far smaller than a record: a call of the runner is then many of the library.
  TEST_CASE("what needs more than one call, and what one call leaves, is neither lost nor doubled") {
    Pair pair;
    for (const std::size_t size : {1u, 100u, 5000u, 16384u, 40'000u}) {
      std::vector<std::uint8_t> bytes(size);
      for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 31 + i / 251);
      for (const std::size_t room : {size_t{16}, size_t{1000}, workloads::records_room(TLSRIG_WRITE_MAX)})
        for (const std::size_t give : {size_t{3}, size_t{700}, workloads::records_room(TLSRIG_WRITE_MAX)}) {
          CAPTURE(size);
          CAPTURE(room);
          CAPTURE(give);
          CHECK(carried<Buffers::bounce>(pair, bytes, room, give) == bytes);
          CHECK(carried<Buffers::pool>(pair, bytes, room, give) == bytes);
          CHECK(carried<Buffers::malloc>(pair, bytes, room, give) == bytes);
        }
    }
  }

  TEST_CASE("the pool gives the last one back first, by classes of size") {
    using workloads::BufferPool;
    BufferPool pool(192);
    CHECK(BufferPool::class_of(1) == 0);
    CHECK(BufferPool::class_of(512) == 0);
    CHECK(BufferPool::class_of(513) == 1);
    CHECK(BufferPool::class_of(1024) == 1);
    CHECK(BufferPool::class_of(1025) == 2);
    CHECK(BufferPool::class_of(BufferPool::largest_size) == BufferPool::classes - 1);

    std::uint8_t* const small = pool.take(100);
    std::uint8_t* const other = pool.take(512);
    std::uint8_t* const large = pool.take(BufferPool::largest_size);
    CHECK(pool.buffers() == 3);
    CHECK(reinterpret_cast<std::uintptr_t>(small) % 4096 == 192);
    CHECK(small != other);
    std::fill(small, small + 512, std::uint8_t{1});
    std::fill(other, other + 512, std::uint8_t{2});
    std::fill(large, large + BufferPool::largest_size, std::uint8_t{3});
    CHECK(std::all_of(small, small + 512, [](std::uint8_t byte) { return byte == 1; }));
    pool.give_back(other, 512);
    pool.give_back(small, 100);
    CHECK(pool.take(7) == small);
    CHECK(pool.take(7) == other);
    CHECK(pool.take(600) != large);
    CHECK(pool.buffers() == 4);
  }

  TEST_CASE("the memory of a policy suffices for a piece of any size and its records") {
    for (const std::size_t size : {1u, 64u, 65u, 512u, 16384u})
      CHECK(workloads::records_place(size) + workloads::records_room(size) <= workloads::BufferPool::largest_size);
  }
}
