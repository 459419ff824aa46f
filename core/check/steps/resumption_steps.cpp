// The extension tlsrig.resumption/1: sessions that are really resumed, tickets that are counted and used once.
#include <array>
#include <thread>

#include <tlsrig/check/bench/heap.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/bench/known_limits.hpp>
#include <tlsrig/check/bench/resumption.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr const char* same_on_a_socket = "many handshakes, for which a socket makes no difference";

host::Resumption extension_of(const Setup& setup) {
  const auto resumption = host::Resumption::of(*setup.backend);
  if (!resumption) skip("does not offer {}", TLSRIG_RESUMPTION);
  return *resumption;
}

// Contexts for one way to resume, and benches over them.
class Resumable {
 public:
  Resumable(const Setup& setup, const Settings& settings)
      : resumption(extension_of(setup)),
        contexts(*setup.backend, *setup.backend, settings),
        options_(both_over(setup.transport)),
        server_name_(settings.server_name) {}
  Resumable(const Setup& setup, Means means, std::uint32_t count)
      : Resumable(setup, resumable(usual(setup), means, count)) {}

  std::unique_ptr<Bench> open(host::Ticket* ticket = nullptr) const {
    return settled_bench(contexts, options_, server_name_.c_str(), ticket);
  }
  host::Ticket take(const std::unique_ptr<Bench>& bench) const { return taken(resumption, bench->client()); }

  const host::Resumption resumption;
  const Contexts contexts;

 private:
  BenchOptions options_;
  std::string server_name_;
};

void skip_without_session_ids(const Setup& setup) {
  if (setup.protocol == TLSRIG_TLS_1_3) skip("TLS 1.3 has no resumption by session id");
}

// One full handshake, then a chain of resumed ones, each from what the one before gave.
std::string chain(const Setup& setup, Means means) {
  const Resumable stand(setup, means, means == Means::ticket ? 1 : 10);
  auto bench = stand.open();
  require_resumed(*bench, false, "the first handshake");
  const std::size_t full = server_bytes(*bench);
  std::size_t resumed = 0;
  const bool tls13 = setup.protocol == TLSRIG_TLS_1_3;
  constexpr unsigned links = 5;
  for (unsigned i = 0; i < links; ++i) {
    host::Ticket ticket = stand.take(bench);
    exchange(*bench, 1000);
    end_orderly(*bench);
    bench = stand.open(&ticket);
    require_resumed(*bench, true, "a handshake with a ticket of the session before");
    resumed = server_bytes(*bench);
    require(resumed < full, "the server sent {} bytes to resume and {} in the full handshake", resumed, full);
    for (End* end : {&bench->client(), &bench->server()}) {
      const tlsrig_facts facts = end->describe();
      require(facts.protocol == setup.protocol && facts.cipher == usual(setup).server.ciphers.front(),
              "the {} of a resumed session tells {}, {}", end->who(), name_of_protocol(facts.protocol),
              facts.cipher ? facts.cipher : "no cipher");
      const std::string group = facts.group ? facts.group : "none", due = tls13 ? "x25519" : "none";
      require(group == due, "the {} of a resumed session tells the group {}; {} is due, since {}", end->who(), group,
              due, tls13 ? "keys were exchanged again" : "no keys were exchanged");
      require(!facts.signature, "the {} of a resumed session tells the signature {}, but no one signs", end->who(),
              facts.signature);
    }
    require(bench->client().describe().peer_verified == TLSRIG_YES,
            "the client of a resumed session does not tell peer_verified, which holds from the full handshake");
  }
  exchange(*bench, 20 * 1024);
  end_orderly(*bench);
  return fmt::format("the server sent {} bytes, {} to resume", full, resumed);
}

std::string resumed_by_ticket(const Setup& setup) {
  skip_unless_tls(setup);
  extension_of(setup);
  return chain(setup, Means::ticket);
}

std::string resumed_by_session_id(const Setup& setup) {
  skip_unless_tls(setup);
  extension_of(setup);
  skip_without_session_ids(setup);
  return chain(setup, Means::session_id);
}

// A session that is closed without close_notify, or with nothing said at all, leaves a usable ticket.
void resumed_after_an_abrupt_end(const Setup& setup) {
  skip_unless_tls(setup);
  const Resumable stand(setup, Means::ticket, 1);
  host::Ticket ticket;
  {
    const auto bench = stand.open();
    ticket = stand.take(bench);
  }
  const auto resumed = stand.open(&ticket);
  require_resumed(*resumed, true, "a ticket of a session that was closed without close_notify");
  ticket = stand.take(resumed);
  resumed->client().incoming().put(pattern(100, 15));
  require(settled(*resumed, resumed->client(), read_once) == TLSRIG_ERROR, "{} with garbage as input; ERROR was due",
          resumed->client());
  resumed->client().close();
  require_resumed(*stand.open(&ticket), true, "a ticket of a session that failed later");
}

// As many as the server was told to send; in TLS 1.2 a handshake has one at most (RFC 5077, 3.3).
void tickets_counted(const Setup& setup) {
  skip_unless_tls(setup);
  extension_of(setup);
  for (const std::uint32_t asked : {TLSRIG_NONE, 1u, 2u}) {
    Settings settings = resumable(usual(setup), Means::ticket, 1);
    settings.server.tickets = asked;
    const Resumable stand(setup, settings);
    const auto bench = stand.open();
    const std::uint32_t most = setup.protocol == TLSRIG_TLS_1_3 ? 2 : 1;
    const std::uint32_t due = asked == TLSRIG_NONE ? 0 : std::min(asked, most);
    const std::uint32_t counted = tickets_received(stand.resumption, bench->client());
    require(counted == due, "tickets_received() is {} with a server told to send {}; {} is due", counted,
            asked == TLSRIG_NONE ? 0 : asked, due);
    exchange(*bench, 1000);
    require(tickets_received(stand.resumption, bench->client()) == due,
            "tickets_received() changed while data was read");
    if (due == 0) continue;
    host::Ticket ticket = stand.take(bench);
    const auto resumed = stand.open(&ticket);
    const std::uint32_t renewed = tickets_received(stand.resumption, resumed->client());
    require(setup.protocol == TLSRIG_TLS_1_2 ? renewed <= 1 : renewed >= 1 && renewed <= asked,
            "tickets_received() is {} in a resumed session of a server told to send {}", renewed, asked);
  }
}

// TLS 1.3: no more tickets than were read, each once. TLS 1.2: the session stays usable, and is given again.
void tickets_used_once(const Setup& setup) {
  skip_unless_tls(setup);
  const Resumable stand(setup, Means::ticket, 2);
  const auto bench = stand.open();
  host::Ticket first = stand.take(bench);
  host::Ticket second;
  tlsrig_result result = take(stand.resumption, bench->client(), second);
  if (setup.protocol == TLSRIG_TLS_1_2) {
    require(result == TLSRIG_OK, "a second take() answered {}; OK was due, since a TLS 1.2 session stays usable",
            name_of(result));
    require_resumed(*stand.open(&first), true, "the first ticket that was taken");
    require_resumed(*stand.open(&second), true, "the second ticket that was taken");
    return;
  }
  std::uint32_t given = 1;
  const std::uint32_t received = tickets_received(stand.resumption, bench->client());
  for (host::Ticket more; result == TLSRIG_OK && given <= received; ++given)
    result = take(stand.resumption, bench->client(), more);
  require(result == TLSRIG_WANT_READ,
          "take() answered {} for the {}th time after {} tickets were read; WANT_READ was due", name_of(result),
          given + 1, received);
  require_resumed(*stand.open(&first), true, "the first ticket that was taken");
}

// Of a server with other keys, or that does not know the session's id: nothing is resumed, and nothing fails.
void of_another_server(const Setup& setup, Means means) {
  const Resumable stand(setup, means, 4), other(setup, means, 4);
  host::Ticket ticket = other.take(other.open());
  const auto bench = stand.open(&ticket);
  require_resumed(*bench, false, "a session of another server");
  exchange(*bench, 1000);
  ticket = stand.take(bench);
  require_resumed(*stand.open(&ticket), true, "a session of the handshake that was a full one");
}

void ticket_of_another_server(const Setup& setup) {
  skip_unless_tls(setup);
  extension_of(setup);
  try {
    of_another_server(setup, Means::ticket);
  } catch (const Failed& failed) {
    skip_if_known(Limit::refused_ticket_is_fatal, setup, failed.what());
    throw;
  }
}

void session_id_of_another_server(const Setup& setup) {
  skip_unless_tls(setup);
  extension_of(setup);
  skip_without_session_ids(setup);
  of_another_server(setup, Means::session_id);
}

// What a context for full handshakes is made from gives nothing to resume.
void nothing_to_resume(const Setup& setup) {
  skip_unless_tls(setup);
  const Resumable stand(setup, usual(setup));
  const auto bench = stand.open();
  const std::uint32_t counted = tickets_received(stand.resumption, bench->client());
  require(counted == 0, "tickets_received() is {} with tickets off", counted);
  host::Ticket ticket;
  const tlsrig_result result = take(stand.resumption, bench->client(), ticket);
  require(result == TLSRIG_WANT_READ, "take() answered {} with tickets and cache off; WANT_READ was due",
          name_of(result));
}

// An open that fails consumes its ticket, and a ticket that is released is gone: rounds of both leave the heap as it
// was. The first ones may not, since the allocator counts blocks that it keeps for reuse as in use; a leak never stops.
std::string tickets_freed(const Setup& setup) {
  skip_unless_tls(setup);
  skip_unless_wire(setup, same_on_a_socket);
  const Resumable stand(setup, Means::ticket, 1);
  constexpr unsigned tickets = 40, rounds_max = 10;
  constexpr std::size_t growth_max = tickets * 50;  // less than half of them, whatever a ticket is
  const auto spend = [&] {
    std::vector<host::Ticket> held;
    for (unsigned i = 0; i < tickets; ++i) held.push_back(stand.take(stand.open()));
    const tlsrig_transport unusable{0, -1, nullptr};
    for (unsigned i = 0; i < tickets / 2; ++i) {
      tlsrig_error error{};
      const host::LoggedCall call(setup.backend->log(), {"resumption.open", "client"});
      try {
        stand.resumption.open(stand.contexts.client, unusable, nullptr, std::move(held[i]), error);
      } catch (const host::SetupError&) {
        continue;
      }
      fail("open() took a transport that is neither a wire nor an fd");
    }
  };
  spend();
  std::size_t growth = 0;
  for (unsigned round = 1; round <= rounds_max; ++round) {
    const std::size_t before = allocated_bytes();
    spend();
    const std::size_t after = allocated_bytes();
    growth = after > before ? after - before : 0;
    if (growth < growth_max) return fmt::format("{} bytes more after {} tickets", growth, tickets);
  }
  fail(
      "each of {} rounds of {} tickets, half offered to an open that failed and half released, left memory behind, the "
      "last {} bytes",
      rounds_max, tickets, growth);
}

// Both sides were verified in the full handshake, and the resumed one is bound to it.
void verified_is_kept(const Setup& setup) {
  skip_unless_tls(setup);
  extension_of(setup);
  Settings settings = resumable(usual(setup), Means::ticket, 1);
  settings.server.verify_peer = TLSRIG_ON;
  settings.server.trust_anchors = setup.credentials.trust;
  settings.client.certificate_chain = setup.credentials.client_chain;
  settings.client.private_key = setup.credentials.client_key;
  const auto check = [&](const Settings& given, const char* means) {
    const Resumable stand(setup, given);
    const auto full = stand.open();
    require(full->server().describe().peer_verified == TLSRIG_YES, "the server did not verify the client");
    host::Ticket ticket = stand.take(full);
    const auto resumed = stand.open(&ticket);
    require_resumed(*resumed, true, "a session whose both sides were verified");
    require(resumed->client().describe().peer_verified == TLSRIG_YES, "by {}, the client lost peer_verified", means);
    return resumed->server().describe().peer_verified == TLSRIG_YES;
  };
  if (setup.protocol == TLSRIG_TLS_1_2)
    require(check(resumable(settings, Means::session_id, 10), "session id"),
            "by session id, the server lost peer_verified");
  if (check(settings, "ticket")) return;
  skip_if_known(Limit::verification_lost_with_a_ticket, setup);
  fail("by ticket, the server lost peer_verified, which holds from the full handshake");
}

// A cache of ten sessions holds about ten, the newest ones.
std::string session_cache_bounded(const Setup& setup) {
  skip_unless_tls(setup);
  skip_unless_wire(setup, same_on_a_socket);
  extension_of(setup);
  skip_without_session_ids(setup);
  constexpr std::uint32_t cache = 10;
  constexpr unsigned sessions = 30;
  const Resumable stand(setup, Means::session_id, cache);
  std::vector<host::Ticket> tickets;
  for (unsigned i = 0; i < sessions; ++i) tickets.push_back(stand.take(stand.open()));
  unsigned resumed = 0;
  for (; !tickets.empty(); tickets.pop_back())  // newest first: one that is refused makes a new session
    resumed += stand.open(&tickets.back())->server().describe().resumed == TLSRIG_YES;
  require(resumed >= cache - 2 && resumed <= cache, "{} of {} sessions were resumed with session_cache = {}", resumed,
          sessions, cache);
  return fmt::format("{} of {} sessions with room for {}", resumed, sessions, cache);
}

void every_session_resumed(const Setup& setup) {
  skip_unless_tls(setup);
  skip_unless_wire(setup, same_on_a_socket);
  extension_of(setup);
  skip_without_session_ids(setup);
  constexpr unsigned sessions = 100;
  const Resumable stand(setup, Means::session_id, sessions + 28);
  std::vector<host::Ticket> tickets;
  for (unsigned i = 0; i < sessions; ++i) tickets.push_back(stand.take(stand.open()));
  unsigned resumed = 0;
  for (host::Ticket& ticket : tickets) resumed += stand.open(&ticket)->server().describe().resumed == TLSRIG_YES;
  require(resumed == sessions, "{} of {} sessions were resumed by their ids", resumed, sessions);
}

void resumed_on_four_threads(const Setup& setup) {
  skip_unless_tls(setup);
  extension_of(setup);
  const Means means = setup.protocol == TLSRIG_TLS_1_3 ? Means::ticket : Means::session_id;
  const Resumable stand(setup, means, means == Means::ticket ? 1 : 8);  // few: the threads push each other's out
  constexpr unsigned threads = 4, handshakes = 20;
  std::array<std::string, threads> words;
  {
    std::vector<std::jthread> running;
    for (std::string& said : words)
      running.emplace_back([&] {
        try {
          auto bench = stand.open();
          for (unsigned i = 0; i < handshakes; ++i) {
            host::Ticket ticket = stand.take(bench);
            const bool offered = i % 4 != 3;
            bench = stand.open(offered ? &ticket : nullptr);
            // The server may have forgotten an id, but no ticket; and nobody resumes what was not offered.
            const bool resumed = offered && (means == Means::ticket || flight_of(*bench).resumed);
            require_resumed(*bench, resumed, "a handshake beside those of other threads");
            exchange(*bench, 100);
          }
        } catch (const std::exception& exception) {
          said = exception.what();
        }
      });
  }
  for (const std::string& said : words) require(said.empty(), "on one of four threads: {}", said);
}

}  // namespace

std::vector<Step> resumption_steps() {
  const char* const resumed = "resumption: the session is resumed, and both sides and the wire say so";
  const char* const once = "resumption: take gives what was read, for one use";
  const char* const really =
      "let the client offer the ticket before its first handshake call (SSL_set_session, gnutls_session_set_data), "
      "keep "
      "ticket keys in the server's context, and tell resumed as the library says (SSL_session_reused), never from the "
      "offer";
  const char* const not_accepted =
      "go on with a full handshake when a ticket or id is not accepted, and tell resumed = NO; a library that takes it "
      "for a failure needs the offer checked first";
  const char* const bounded =
      "set the library's cache to about session_cache entries (SSL_CTX_sess_set_cache_size, with lookup inside the "
      "library on), or keep a cache of your own that drops the oldest";
  return {
      {"resumed-by-ticket", resumed, judged<resumed_by_ticket>, really},
      {"resumed-by-session-id", resumed, judged<resumed_by_session_id>, really},
      {"resumed-after-an-abrupt-end", resumed, judged<resumed_after_an_abrupt_end>,
       "keep a copy of a taken ticket that its session's end cannot spoil: OpenSSL makes the session of a connection "
       "that was not shut down unusable (SSL_SESSION_dup, or SSL_set_shutdown before SSL_free)"},
      {"resumed-on-four-threads", resumed, judged<resumed_on_four_threads>,
       "guard the cache and the ticket keys of a context, which all of its threads use, and let none of them change a "
       "ticket that another one offers"},
      {"tickets-counted", "resumption: every ticket that was read is counted", judged<tickets_counted>,
       "count in the library's callback for new tickets (SSL_CTX_sess_set_new_cb, gnutls_handshake_set_hook_function), "
       "once for each, and let the server send as many as tickets says (SSL_CTX_set_num_tickets)"},
      {"tickets-used-once", once, judged<tickets_used_once>,
       "hand out each TLS 1.3 ticket once and answer WANT_READ when none is left; a TLS 1.2 session is given again"},
      {"tickets-freed", "resumption: open consumes its ticket whatever it answers", judged<tickets_freed>,
       "free the ticket in open on every path, the failing ones too, and in release"},
      {"ticket-of-another-server", "resumption: a ticket that is not accepted makes a full handshake",
       judged<ticket_of_another_server>, not_accepted},
      {"session-id-of-another-server", "resumption: a session that is not known makes a full handshake",
       judged<session_id_of_another_server>, not_accepted},
      {"nothing-to-resume", "resumption: with tickets and cache off there is nothing to take",
       judged<nothing_to_resume>,
       "turn tickets off on both sides and the cache off when both fields are NONE (SSL_OP_NO_TICKET, "
       "SSL_CTX_set_num_tickets(0), SSL_SESS_CACHE_OFF), and answer take with WANT_READ"},
      {"verified-is-kept", "resumption: a verified peer stays verified", judged<verified_is_kept>,
       "tell peer_verified of a resumed session as its full handshake left it (SSL_get_verify_result with the peer's "
       "certificate of the session), and give a server a session id context (SSL_CTX_set_session_id_context)"},
      {"session-cache-bounded", "a server holds about as many sessions as session_cache says",
       judged<session_cache_bounded>, bounded},
      {"every-session-resumed", "a server resumes every session that it holds", judged<every_session_resumed>, bounded},
  };
}

}  // namespace tlsrig::check
