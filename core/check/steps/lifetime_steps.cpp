// Law 8: lifetimes, many sessions of one context, and any thread.
#include <array>
#include <deque>
#include <thread>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

void null_arguments(const Setup& setup) {
  {
    host::LoggedCall closing(setup.backend->log(), {"close"});
    setup.backend->table().close(nullptr);
    closing.ends(TLSRIG_OK);
  }
  {
    host::LoggedCall destroying(setup.backend->log(), {"destroy_context"});
    setup.backend->table().destroy_context(nullptr);
    destroying.ends(TLSRIG_OK);
  }
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

// create_context() with files that do not exist, into a context that must stay as it is and an error between guards.
void refused_context(const Setup& setup) {
  tlsrig_config config{};
  config.struct_size = sizeof config;
  config.role = TLSRIG_SERVER;
  config.protocols = setup.protocol;
  config.certificate_chain = config.private_key = "/nonexistent/tlsrig.pem";
  Guarded<tlsrig_error> error;
  auto* const canary = reinterpret_cast<tlsrig_context*>(&*error);
  tlsrig_context* context = canary;
  tlsrig_result result;
  {
    host::LoggedCall call(setup.backend->log(), {"create_context"});
    result = call.ends(setup.backend->table().create_context(&config, &context, &*error));
  }
  require(result == TLSRIG_ERROR,
          "create_context() with certificate files that do not exist answered {}; ERROR was due", name_of(result));
  require(error.intact(), rules::struct_bounds,
          "create_context() wrote outside the tlsrig_error: its guard bytes were overwritten");
  const std::string complaint = complaint_about(*error);
  require(complaint.empty(), rules::error_words, "create_context() answered ERROR, but {}", complaint);
  require(context == canary,
          "create_context() answered ERROR and set *context (law 8: outputs are written on OK only)");
}

void outputs_on_ok_only(const Setup& setup) {
  skip_unless_tls(setup);
  refused_context(setup);
  Established stand(setup);  // End compares the sizes of each call with what they held before
  std::vector<std::uint8_t> got;
  require(stand.client().read(100, got) == TLSRIG_WANT_READ, "{} without input; WANT_READ was due", stand.client());
  stand.client().incoming().put(pattern(100, 14));
  require(settled(stand.bench, stand.client(), read_once) == TLSRIG_ERROR, "{} with garbage as input; ERROR was due",
          stand.client());
  std::size_t written = 0;
  require(stand.client().write(pattern(10, 1), written) == TLSRIG_ERROR, "{} after ERROR; ERROR was due",
          stand.client());
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
  const char* const sessions_own =
      "keep all that changes in the session: no static buffer, no 'current session', no state in the context or in "
      "what "
      "a callback of the library finds by itself";
  return {
      {"null-arguments", "close(NULL) and destroy_context(NULL) are allowed", judged<null_arguments>,
       "return at once from close and destroy_context when the argument is NULL"},
      {"close-sends-nothing", "close frees, sends nothing and leaves the descriptor open", judged<close_sends_nothing>,
       "free the library's session without its orderly end (SSL_free, no SSL_shutdown), and give it the descriptor "
       "without ownership (BIO_NOCLOSE, SSL_set_fd)"},
      {"outputs-on-ok-only", std::string(rules::outputs_on_ok.law), judged<outputs_on_ok_only>,
       std::string(rules::outputs_on_ok.cure)},
      {"many-sessions-in-sequence", "a context makes any number of sessions, one after the other",
       judged<many_in_sequence>,
       "make a fresh object of the library in each open, and change nothing of the context by a session's end"},
      {"many-sessions-interleaved", "a context makes any number of sessions at once", judged<many_interleaved>,
       sessions_own},
      {"one-context-on-four-threads", "law 8: a context is immutable and serves any thread",
       judged<one_context_on_four_threads>,
       "leave a context as create_context made it, guard what the library changes in it (caches, counters), and ready "
       "a "
       "library that needs locks in start; ThreadSanitizer names what is shared"},
      {"threads-in-turn", "law 8: a session is used by one thread at a time, and any", judged<threads_in_turn>,
       "keep nothing of a session in thread_local variables, nor in a library's per-thread state beyond one call"},
  };
}

}  // namespace tlsrig::check
