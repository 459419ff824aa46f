// Tests of what a relay forwards, with the backend under test: every way of reading, byte for byte, both ways at once.
#include <doctest/doctest.h>

#include <malloc.h>

#include <algorithm>
#include <array>
#include <string>

#include <tlsrig/measure/cpu.hpp>

#include "workloads_relay_support.hpp"

using namespace tlsrig;
using scenario::RelayRead;
using scenario::Transport;
using tests::Chain;
using tests::ChainOptions;
using tests::FarEnd;

namespace {

constexpr std::array all_reads{RelayRead::per_record, RelayRead::coalesce, RelayRead::fixed,
                               RelayRead::pending,    RelayRead::drain,    RelayRead::spin};

// Which legs have TLS, in turn; with a plain backend there is one way only.
template <class Test>
void over_all_legs(Test&& test) {
  const bool plain = tests::backend_under_test().plain();
  for (const bool inbound : {true, false})
    for (const bool outbound : {true, false}) {
      if (plain && (inbound || outbound)) continue;
      CAPTURE(inbound);
      CAPTURE(outbound);
      for (const Transport transport : {Transport::fd, Transport::wire}) {
        CAPTURE(static_cast<int>(transport));
        ChainOptions options;
        options.inbound_tls = inbound;
        options.outbound_tls = outbound;
        options.transport = transport;
        test(options);
      }
    }
}

// Every end has all that its peer sent, no byte wrong.
bool all_arrived(const Chain& chain) {
  for (std::size_t i = 0; i < chain.clients.size(); ++i) {
    const FarEnd &client = *chain.clients[i], &server = *chain.servers[i];
    if (!client.sent_all() || !server.sent_all() || server.received() != client.sent() ||
        client.received() != server.sent())
      return false;
  }
  return true;
}

bool all_closed(const Chain& chain) {
  for (const auto* ends : {&chain.clients, &chain.servers})
    for (const auto& end : *ends)
      if (!end->closed()) return false;
  return true;
}

void check_no_failure(const Chain& chain) {
  for (const auto* ends : {&chain.clients, &chain.servers})
    for (const auto& end : *ends) CHECK(end->failure() == "");
}

// Ends all connections from the client's side and looks at what the relay counted.
workloads::Json end_in_order(Chain& chain) {
  for (auto& client : chain.clients) client->send(0, 1, true);
  for (auto& server : chain.servers) server->answer_end(0, 1);
  CHECK(chain.pump([&] { return all_closed(chain); }));
  check_no_failure(chain);
  std::uint64_t payload = 0;
  for (const auto* ends : {&chain.clients, &chain.servers})
    for (const auto& end : *ends) payload += end->received();
  workloads::Json totals = chain.finish();
  CHECK(chain.failure() == "");
  REQUIRE(totals.is_object());
  CHECK(totals.at("payload_bytes_in") == payload);
  CHECK(totals.at("payload_bytes_out") == payload);
  return totals;
}

// Bytes in use on the heap of this process.
std::size_t heap_in_use() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

TEST_SUITE("workloads.relay") {
  TEST_CASE("every way of reading, over all legs, byte for byte both ways") {
    constexpr std::array<std::pair<std::size_t, std::uint64_t>, 5> traffic{
        {{1, 3000}, {2, 6000}, {1024, 256 << 10}, {16384, 256 << 10}, {102400, 307200}}};
    for (const RelayRead read : all_reads) {
      CAPTURE(static_cast<int>(read));
      over_all_legs([&](ChainOptions options) {
        options.read = read;
        options.connections = traffic.size();
        options.threads = read == RelayRead::spin ? 1 : 2;
        Chain chain(options);
        chain.run();
        for (std::size_t i = 0; i < traffic.size(); ++i) {
          // Spinning over a wire reads most bytes one by one.
          const std::uint64_t bytes = traffic[i].second / (read == RelayRead::spin ? 40 : 1);
          chain.clients[i]->send(bytes, traffic[i].first, false);
          chain.servers[i]->send(bytes, traffic[i].first, false);
        }
        CHECK(chain.pump([&] { return all_arrived(chain); }));
        const workloads::Json totals = end_in_order(chain);
        CHECK(totals.at("messages").get<std::uint64_t>() > 10);
        for (const char* part : {"relay_inbound", "relay_outbound"}) {
          CHECK(totals.at("counts").at(part).at("operations").get<std::uint64_t>() <= totals.at("messages"));
          CHECK(chain.proof().at(part).at("connections").at("achieved") == traffic.size());
        }
      });
    }
  }

  TEST_CASE("read sizes of one byte, of odd sizes and of the largest") {
    for (const RelayRead read : all_reads)
      for (const std::uint64_t read_size : {1u, 777u, 131072u}) {
        CAPTURE(static_cast<int>(read));
        CAPTURE(read_size);
        over_all_legs([&](ChainOptions options) {
          if (options.inbound_tls != options.outbound_tls) return;
          options.read = read;
          options.read_size = read_size;
          Chain chain(options);
          chain.run();
          const std::uint64_t bytes = read_size == 1 ? 2000 : read == RelayRead::spin ? 5000 : 100'000;
          chain.clients[0]->send(bytes, 5000, false);
          chain.servers[0]->send(bytes, 20'000, false);
          CHECK(chain.pump([&] { return all_arrived(chain); }));
          end_in_order(chain);
        });
      }
  }

  TEST_CASE("what is inside a session before anybody waits is forwarded without a further event") {
    for (const RelayRead read : all_reads) {
      CAPTURE(static_cast<int>(read));
      over_all_legs([&](ChainOptions options) {
        options.read = read;
        options.early_bytes = 5000;
        Chain chain(options);
        chain.run();
        CHECK(chain.pump([&] { return all_arrived(chain); }));
        end_in_order(chain);
      });
    }
  }

  TEST_CASE("an end right behind the announcement") {
    over_all_legs([&](ChainOptions options) {
      options.early_end = true;
      Chain chain(options);
      chain.run();
      chain.servers[0]->answer_end(100, 100);
      CHECK(chain.pump([&] { return all_closed(chain) && all_arrived(chain); }));
      check_no_failure(chain);
      chain.finish();
      CHECK(chain.failure() == "");
    });
  }

  TEST_CASE("fifty connections at once") {
    over_all_legs([&](ChainOptions options) {
      if (options.inbound_tls != options.outbound_tls) return;
      options.connections = 50;
      options.read = RelayRead::coalesce;
      Chain chain(options);
      chain.run();
      for (std::uint32_t i = 0; i < options.connections; ++i) {
        chain.clients[i]->send(20'000, 100 + 37 * i, false);
        chain.servers[i]->send(40'000, 9000, false);
      }
      CHECK(chain.pump([&] { return all_arrived(chain); }));
      end_in_order(chain);
    });
  }

  TEST_CASE("a write that is blocked by small sockets is resumed after every freeze") {
    for (const RelayRead read : all_reads) {
      CAPTURE(static_cast<int>(read));
      over_all_legs([&](ChainOptions options) {
        options.read = read;
        options.socket_buffers = 4096;
        Chain chain(options);
        chain.run();
        const std::uint64_t bytes = read == RelayRead::spin ? 20'000 : 500'000;
        chain.clients[0]->send(bytes, 100'000, false);
        chain.servers[0]->send(bytes, 3000, false);
        CHECK(chain.pump([&] { return all_arrived(chain); }));
        end_in_order(chain);
      });
    }
  }

  TEST_CASE("a sink that stops reading stops the source, and little more memory is held") {
    constexpr std::size_t connections = 4, held_max = 256 << 10;
    for (const RelayRead read : {RelayRead::per_record, RelayRead::fixed, RelayRead::drain}) {
      CAPTURE(static_cast<int>(read));
      over_all_legs([&](ChainOptions options) {
        if (options.inbound_tls != options.outbound_tls) return;
        options.read = read;
        options.read_size = 131072;
        options.connections = connections;
        options.socket_buffers = 32768;
        Chain chain(options);
        chain.run();
        for (auto* ends : {&chain.clients, &chain.servers})
          for (auto& end : *ends) end->send(50'000, 5000, false);
        REQUIRE(chain.pump([&] { return all_arrived(chain); }));
        const std::size_t idle = heap_in_use();
        for (auto& server : chain.servers) server->reads = false;
        for (auto& client : chain.clients) client->send(1'500'000, 16384, false);
        const auto stopped = [&] {
          return std::none_of(chain.clients.begin(), chain.clients.end(), [](auto& end) { return end->sent_all(); });
        };
        CHECK(!chain.pump([&] { return !stopped(); }, 100));
        CHECK(stopped());
        // The sessions of the far ends live on the same heap: 32 KiB is what one keeps of a blocked write.
        CHECK(heap_in_use() <= idle + connections * (held_max + (32 << 10)));
        for (auto& server : chain.servers) server->reads = true;
        CHECK(chain.pump([&] { return all_arrived(chain); }));
        // Given back, by the thread of the relay, once it has found nothing more to read.
        CHECK(chain.pump([&] { return heap_in_use() <= idle + connections * (32 << 10); }));
        end_in_order(chain);
      });
    }
  }

  TEST_CASE("a source that has long been ahead is not taken in at once") {
    over_all_legs([&](ChainOptions options) {
      if (options.inbound_tls != options.outbound_tls) return;
      options.read = RelayRead::drain;
      options.read_size = 131072;
      options.socket_buffers = 1 << 20;  // or what the kernel grants
      Chain chain(options);
      chain.servers[0]->reads = false;
      chain.clients[0]->send(24'000'000, 16384, false);
      const auto stalls = [&] { return !chain.pump([&] { return chain.clients[0]->sent_all(); }, 100); };
      REQUIRE(stalls());  // the relay is not there yet: the sockets before it are full
      const std::size_t before = heap_in_use();
      chain.run();
      REQUIRE(stalls());
      CHECK(heap_in_use() <= before + (256 << 10) + (64 << 10));
    });
  }

  TEST_CASE("spin burns its processor while nothing comes, the others sleep") {
    for (const RelayRead read : all_reads)
      over_all_legs([&](ChainOptions options) {
        if (options.inbound_tls != options.outbound_tls) return;
        options.read = read;
        CAPTURE(static_cast<int>(read));
        Chain chain(options);
        chain.control().signal();
        chain.relay().warm_up({});
        const auto share_of = [](auto&& work) {
          const std::int64_t cpu = measure::thread_cpu_ns(), now = measure::now_ns();
          work(workloads::Slice{now, now + 50'000'000});
          return static_cast<double>(measure::thread_cpu_ns() - cpu) / 50e6;
        };
        // What a thread gets that never sleeps: less than all on a machine with other work, so the clearest try counts.
        const auto busy = [](const workloads::Slice& slice) {
          while (measure::now_ns() < slice.end_ns) {
          }
        };
        bool clear = false;
        for (int i = 0; i < 10 && !clear; ++i) {
          const double share = share_of([&](const workloads::Slice& slice) { chain.relay().slice(slice); });
          clear = read == RelayRead::spin ? share > 0.5 * share_of(busy) : share < 0.1;
        }
        CHECK(clear);
      });
  }
}
