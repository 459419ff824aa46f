// Law 8 in numbers: a hundred failures among a hundred good sessions of one thread, and a thousand sessions that leave
// nothing behind.
#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <iterator>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/heap.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr unsigned crowd = 100;

// What befalls the bad one of each pair, between two calls of the good ones.
using Mishap = void (*)(Bench& bad, unsigned number);

// A hundred good sessions, whose calls take turns with the mishap of as many bad ones on the same thread: the good ones
// deliver every byte and end in order.
void among_good_ones(const Setup& setup, Mishap mishap) {
  skip_unless_tls(setup);
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  const BenchOptions options = both_over(setup.transport);
  const char* const name = settings.server_name.c_str();
  std::deque<Bench> good;
  for (unsigned i = 0; i < crowd; ++i) good.emplace_back(contexts, options, name);
  std::array<bool, crowd> done_already{};
  constexpr unsigned rounds_max = 10'000;
  unsigned bad = 0, finished = 0;
  for (unsigned round = 0; finished < crowd; ++round) {
    require(round < rounds_max, "{} of {} good handshakes stand still among bad ones", crowd - finished, crowd);
    for (unsigned i = 0; i < crowd; ++i) {
      if (done_already[i]) continue;
      const bool client = done(good[i].client(), good[i].client().handshake());
      if (bad < crowd) {
        Bench other(contexts, options, name);
        mishap(other, bad++);
      }
      const bool server = done(good[i].server(), good[i].server().handshake());
      if (!client || !server) continue;
      done_already[i] = true;
      ++finished;
    }
  }
  require(bad == crowd, "only {} of {} bad sessions had their turn", bad, crowd);
  for (unsigned i = 0; i < crowd; ++i) {
    if (i % 10 == 0) {
      Bench other(contexts, options, name);
      mishap(other, i);
    }
    try {
      exchange(good[i], 2000);
      end_orderly(good[i]);
    } catch (const Failed& failed) {
      fail("good session {} of {} among bad ones: {}", i + 1, crowd, failed.what());
    }
  }
}

void receive_garbage(Bench& bad, unsigned number) {
  End& end = number % 2 ? bad.client() : bad.server();
  end.incoming().put(pattern(100, 11));
  require(settled(bad, end, &End::handshake) == TLSRIG_ERROR, "{} with garbage as input; ERROR was due", end);
  require(end.error().kind == TLSRIG_ERROR_PROTOCOL, "{} with garbage as input; kind PROTOCOL was due", end);
}

// Half-way through, one is given up by its runner in each way there is: closed, asked to shut down, left by its peer.
void be_cancelled(Bench& bad, unsigned number) {
  done(bad.client(), bad.client().handshake());
  if (number % 2) done(bad.server(), bad.server().handshake());
  End& end = number % 2 ? bad.server() : bad.client();
  if (number % 3 == 0) return;  // closed
  if (number % 3 == 1) {
    require(end.shutdown() == TLSRIG_ERROR && end.error().kind == TLSRIG_ERROR_CONFIG,
            "{} in mid-handshake; ERROR of kind CONFIG was due (law 7)", end);
    return;
  }
  bad.peer_of(end).finish();
  const tlsrig_result result = settled(bad, end, &End::handshake);
  require(result == TLSRIG_ERROR && end.error().kind == TLSRIG_ERROR_TRUNCATED,
          "{} at the end of its input in mid-handshake; ERROR of kind TRUNCATED was due (law 5)", end);
}

void garbage_among_a_hundred(const Setup& setup) { among_good_ones(setup, receive_garbage); }
void cancelled_among_a_hundred(const Setup& setup) { among_good_ones(setup, be_cancelled); }

enum class Fate { closed_unused, closed_half_way, failed, closed_established, ended_in_order };
constexpr std::array fates = {Fate::closed_unused, Fate::closed_half_way, Fate::failed, Fate::closed_established,
                              Fate::ended_in_order};

void live(const Contexts& contexts, const Setup& setup, const char* server_name, Fate fate) {
  Bench bench(contexts, both_over(setup.transport), server_name);
  if (fate == Fate::closed_unused) return;
  if (fate == Fate::failed && setup.protocol != 0) {
    receive_garbage(bench, 0);
    return;
  }
  if (fate == Fate::closed_half_way) {
    done(bench.client(), bench.client().handshake());
    done(bench.server(), bench.server().handshake());
    return;
  }
  shake(bench);
  exchange(bench, 1000);
  if (fate == Fate::ended_in_order) end_orderly(bench);
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return std::size_t(std::distance(begin(entries), end(entries))) - 1;  // without the one that reads the directory
}

// Twenty batches of fifty sessions, ten of each fate. glibc counts what its threads' caches hold as in use, and what
// that is goes up and down with the order of calls: so the least of the last batches is compared with the least of the
// first ones, after one that warms up.
std::string flat_over_a_thousand(const Setup& setup) {
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  constexpr unsigned batches = 20, of_each_fate = 10, judged_batches = 5;
  const auto batch = [&] {
    for (unsigned i = 0; i < of_each_fate; ++i)
      for (const Fate fate : fates) live(contexts, setup, settings.server_name.c_str(), fate);
  };
  batch();
  const std::size_t descriptors = open_descriptors();
  std::array<std::size_t, batches> heap{};
  for (std::size_t& now : heap) {
    batch();
    now = told_bytes().value_or(0);
  }
  constexpr unsigned sessions = batches * of_each_fate * unsigned(fates.size());
  require(open_descriptors() == descriptors, "{} descriptors were open before {} sessions at each end and {} after",
          descriptors, sessions, open_descriptors());
  if (!told_bytes())
    return fmt::format("{} sessions: {} descriptors; heap not judged: its allocator does not tell", sessions,
                       descriptors);
  const std::size_t first = *std::min_element(heap.begin(), heap.begin() + judged_batches);
  const std::size_t last = *std::min_element(heap.end() - judged_batches, heap.end());
  const std::ptrdiff_t growth = std::ptrdiff_t(last) - std::ptrdiff_t(first);
  // The least that malloc gives is 32 bytes with its head. One kind of session that leaves one such piece at one end
  // grows by 10 x 32 bytes a batch.
  constexpr std::ptrdiff_t growth_max = std::ptrdiff_t(batches - judged_batches) * of_each_fate * 32 - 1;
  require(growth <= growth_max,
          "the heap grew by {} bytes over {} sessions at each end ({:.1f} bytes a session); at most {} is no leak",
          growth, sessions, double(growth) / (sessions * double(batches - judged_batches) / batches), growth_max);
  return fmt::format("{} sessions: {} descriptors, {} bytes of heap more", sessions, descriptors, growth);
}

}  // namespace

std::vector<Step> many_steps() {
  return {
      {"garbage-among-a-hundred", "law 8: garbage on 100 sessions leaves 100 others of the thread unharmed",
       judged<garbage_among_a_hundred>},
      {"cancelled-among-a-hundred", "law 8: 100 handshakes given up half-way leave 100 others of the thread unharmed",
       judged<cancelled_among_a_hundred>},
      {"flat-over-a-thousand", "law 8: sessions that are closed leave no descriptor and no memory behind",
       judged<flat_over_a_thousand>},
  };
}

}  // namespace tlsrig::check
