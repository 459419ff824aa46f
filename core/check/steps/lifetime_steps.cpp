// Law 8: lifetimes, many sessions of one context, and that no session harms another.
#include <array>
#include <deque>
#include <thread>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

void null_arguments(const Setup& setup) {
  setup.backend->table().close(nullptr);
  setup.backend->table().destroy_context(nullptr);
  Established stand(setup);  // and all goes on
  exchange(stand.bench, 1000);
}

// A session may be closed at any moment; close sends nothing and leaves the descriptor open.
void close_sends_nothing(const Setup& setup) {
  const auto close = [](End& end) {
    end.collect_all();
    const std::size_t before = end.outgoing().total();
    end.close();
    end.collect_all();
    require(end.outgoing().total() == before, "{} close() sent {} bytes; it sends nothing", end.who(),
            end.outgoing().total() - before);
    require(!end.outgoing().ended && end.port().usable(), "{} close() ended the connection, which is the runner's",
            end.who());
  };
  Stand fresh(setup, usual(setup));
  close(fresh.client());
  close(fresh.server());
  Stand midway(setup, usual(setup));
  done(midway.client(), midway.client().handshake());
  done(midway.server(), midway.server().handshake());
  close(midway.client());
  close(midway.server());
  Established established(setup);
  exchange(established.bench, 1000);
  close(established.client());
  close(established.server());
}

void many_in_sequence(const Setup& setup) {
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  constexpr unsigned sessions = 50;
  for (unsigned i = 0; i < sessions; ++i) {
    Bench bench(contexts, both_over(setup.transport), settings.server_name.c_str());
    shake(bench);
    exchange(bench, 1000);
    end_orderly(bench);
  }
}

void many_interleaved(const Setup& setup) {
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  constexpr unsigned sessions = 20;
  std::deque<Bench> benches;
  for (unsigned i = 0; i < sessions; ++i)
    benches.emplace_back(contexts, both_over(setup.transport), settings.server_name.c_str());
  const std::size_t size = 20 * 1024;
  constexpr unsigned rounds_max = 10'000;
  bool all_done = false;
  for (unsigned round = 0; !all_done; ++round) {  // one call each, in turn
    require(round < rounds_max, "20 interleaved handshakes stand still: {}; {}", benches[0].client().state(),
            benches[0].server().state());
    all_done = true;
    for (Bench& bench : benches) {
      const bool client_done = done(bench.client(), bench.client().handshake());
      const bool server_done = done(bench.server(), bench.server().handshake());
      all_done = all_done && client_done && server_done;
    }
  }
  std::vector<std::vector<std::uint8_t>> sent;
  for (unsigned i = 0; i < sessions; ++i) {
    sent.push_back(pattern(size, 20 + i));
    Sending sending(benches[i].client(), sent[i]);
    benches[i].drive_alone(benches[i].client(), [&] { return sending.go_on(); });
  }
  for (unsigned i = 0; i < sessions; ++i) {
    Receiving receiving(benches[i].server(), size);
    benches[i].drive_alone(benches[i].server(), [&] { return receiving.go_on(); });
    require_equal("server", sent[i], receiving.got());
  }
  for (Bench& bench : benches) end_orderly(bench);
}

// Between the calls of a healthy session, others of the same thread meet garbage, are cut off or are given up.
void bad_neighbours(const Setup& setup) {
  skip_unless_tls(setup);
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  const char* const name = settings.server_name.c_str();
  const BenchOptions options = both_over(setup.transport);
  const auto garbage = pattern(100, 13);
  const auto disturb = [&] {
    Bench attacked(contexts, options, name), cut(contexts, options, name), given_up(contexts, options, name);
    attacked.server().incoming().put(garbage);
    require(settled(attacked, attacked.server(), &End::handshake) == TLSRIG_ERROR,
            "{} with garbage as input; ERROR was due", attacked.server());
    cut.client().finish();
    require(settled(cut, cut.server(), &End::handshake) == TLSRIG_ERROR, "{} with no input at all; ERROR was due",
            cut.server());
    done(given_up.client(), given_up.client().handshake());
    done(given_up.server(), given_up.server().handshake());
  };
  constexpr unsigned rounds = 2;
  for (unsigned i = 0; i < rounds; ++i) {
    Bench healthy(contexts, options, name);
    const auto disturbed = [&](End& end) {
      disturb();
      return done(end, end.handshake());
    };
    healthy.drive([&] { return disturbed(healthy.client()); }, [&] { return disturbed(healthy.server()); });
    disturb();
    require(read_once(healthy.client()) == TLSRIG_WANT_READ,
            "{} after another session's failure on this thread; WANT_READ was due", healthy.client());
    exchange(healthy, 20 * 1024);
    disturb();
    end_orderly(healthy);
  }
}

void outputs_on_ok_only(const Setup& setup) {
  skip_unless_tls(setup);
  Established stand(setup);  // End compares the sizes of each call with what they held before
  std::vector<std::uint8_t> got;
  require(stand.client().read(100, got) == TLSRIG_WANT_READ, "{} without input; WANT_READ was due", stand.client());
  stand.client().incoming().put(pattern(100, 14));
  require(settled(stand.bench, stand.client(), read_once) == TLSRIG_ERROR, "{} with garbage as input; ERROR was due",
          stand.client());
  std::size_t written = 0;
  require(stand.client().write(pattern(10, 1), written) == TLSRIG_ERROR, "{} after ERROR; ERROR was due",
          stand.client());

  tlsrig_config config{};
  config.struct_size = sizeof config;
  config.role = TLSRIG_SERVER;
  config.protocols = setup.protocol;
  config.certificate_chain = config.private_key = "/nonexistent/tlsrig.pem";
  tlsrig_error error{};
  auto* const canary = reinterpret_cast<tlsrig_context*>(&error);
  tlsrig_context* context = canary;
  const tlsrig_result result = setup.backend->table().create_context(&config, &context, &error);
  require(result == TLSRIG_ERROR,
          "create_context() with certificate files that do not exist answered {}; ERROR was due", name_of(result));
  require(context == canary,
          "create_context() answered ERROR and set *context (law 8: outputs are written on OK only)");
}

// What threads share is the context, which is the same over either transport: over sockets a part of the handshakes is
// enough.
std::string one_context_on_four_threads(const Setup& setup) {
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  constexpr unsigned threads = 4;
  const unsigned handshakes = setup.transport == TLSRIG_WIRE ? 200 : 25;
  std::array<std::string, threads> words;
  {
    std::vector<std::jthread> running;
    for (unsigned i = 0; i < threads; ++i)
      running.emplace_back([&, i] {
        try {
          for (unsigned j = 0; j < handshakes; ++j) {
            Bench bench(contexts, both_over(setup.transport), settings.server_name.c_str());
            shake(bench);
            exchange(bench, 1000);
            end_orderly(bench);
          }
        } catch (const std::exception& exception) {
          words[i] = exception.what();
        }
      });
  }
  for (unsigned i = 0; i < threads; ++i) require(words[i].empty(), "thread {} of {}: {}", i + 1, threads, words[i]);
  return fmt::format("{} threads x {} handshakes", threads, handshakes);
}

// A context is made on one thread, opened from on another, a session closed on a third.
void threads_in_turn(const Setup& setup) {
  std::optional<Stand> stand;
  std::string words;
  const auto on_a_thread = [&](const auto& work) {
    std::jthread([&] {
      try {
        work();
      } catch (const std::exception& exception) {
        words = exception.what();
      }
    }).join();
    require(words.empty(), "{}", words);
  };
  on_a_thread([&] { stand.emplace(setup, usual(setup)); });
  on_a_thread([&] { shake(stand->bench); });
  on_a_thread([&] { exchange(stand->bench, 1000); });
  on_a_thread([&] { end_orderly(stand->bench); });
  on_a_thread([&] { stand.reset(); });
}

}  // namespace

std::vector<Step> lifetime_steps() {
  return {
      {"null-arguments", "close(NULL) and destroy_context(NULL) are allowed", judged<null_arguments>},
      {"close-sends-nothing", "close frees, sends nothing and leaves the descriptor open", judged<close_sends_nothing>},
      {"outputs-on-ok-only", "law 8: outputs are written on OK only", judged<outputs_on_ok_only>},
      {"many-sessions-in-sequence", "a context makes any number of sessions, one after the other",
       judged<many_in_sequence>},
      {"many-sessions-interleaved", "a context makes any number of sessions at once", judged<many_interleaved>},
      {"bad-neighbours", "law 8: a session that fails leaves the others of its thread unharmed",
       judged<bad_neighbours>},
      {"one-context-on-four-threads", "law 8: a context is immutable and serves any thread",
       judged<one_context_on_four_threads>},
      {"threads-in-turn", "law 8: a session is used by one thread at a time, and any", judged<threads_in_turn>},
  };
}

}  // namespace tlsrig::check
