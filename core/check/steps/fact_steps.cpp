// What a handshake settled is what was asked, and what describe tells is true.
#include <algorithm>
#include <array>
#include <string_view>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/bench/resumption.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

// A cipher of one kind, by protocol and certificate. TLS 1.3 suites say nothing of certificates: both are tried.
struct Suite {
  const char* tls13;
  const char* tls12_ecdsa;
  const char* tls12_rsa;
};

constexpr Suite aes_128_gcm = {"TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                               "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"};
constexpr Suite aes_256_gcm = {"TLS_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                               "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"};
constexpr Suite chacha20_poly1305 = {"TLS_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                                     "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"};
constexpr std::array common_suites = {aes_128_gcm, aes_256_gcm, chacha20_poly1305};

// What is told as the group of a suite, with `asked` as the only one that both sides were given. With DHE a finite
// field may go untold: before RFC 7919 it had no name.
bool is_group_of(std::string_view cipher, std::string_view asked, const char* told) {
  if (!uses_group(cipher)) return !told;
  if (!cipher.starts_with("TLS_DHE_")) return told && asked == told;
  return !told || (asked.empty() ? std::string_view(told).starts_with("ffdhe") : asked == told);
}

// One handshake with everything pinned, its facts compared on both sides.
void negotiate(const Setup& setup, const std::string& cipher, const std::string& group,
               const credentials::Credentials& credentials) {
  Established stand(setup, pinned(setup.protocol, cipher, group, credentials), both_over(setup.transport));
  exchange(stand.bench, 1000);
  for (End* end : {&stand.client(), &stand.server()}) {
    const tlsrig_facts facts = end->describe();
    require(facts.protocol == setup.protocol, "{} was asked for and the {} tells {}", name_of_protocol(setup.protocol),
            end->who(), name_of_protocol(facts.protocol));
    require(facts.cipher, "the {} tells no cipher after {}", end->who(), cipher);
    if (facts.cipher != cipher) skip_where_ciphers_are_no_choice(setup, facts.cipher);
    require(facts.cipher == cipher, "{} was asked for and the {} tells {}", cipher, end->who(), facts.cipher);
    require(is_group_of(cipher, group, facts.group), "group {} was asked for and the {} tells {}",
            uses_group(cipher) && !group.empty() ? group : "none", end->who(), facts.group ? facts.group : "none");
    require(facts.resumed != TLSRIG_YES, "the {} tells of a resumed session, which no one offered", end->who());
    require(facts.hello_retry != TLSRIG_YES,
            "the {} tells of a HelloRetryRequest, with the same group asked of both sides", end->who());
  }
  const tlsrig_facts facts = stand.client().describe();
  require(facts.peer_verified == TLSRIG_YES, "peer_verified is not YES at the client");
  const bool ecdsa = credentials.server_key == setup.credentials.server_key;
  require(
      !facts.signature || !uses_group(cipher) || std::string_view(facts.signature).find(ecdsa ? "ecdsa_" : "rsa_") == 0,
      "the client tells the signature {} of a server with an {} key", facts.signature, ecdsa ? "ECDSA" : "RSA");
}

// The same; a failure names the suite and the group that it came with.
void require_negotiated(const Setup& setup, const std::string& cipher, const std::string& group,
                        const credentials::Credentials& credentials) {
  const auto fault = [&](const std::exception& exception) {
    retell(exception,
           fmt::format("{}{}: {}", cipher, uses_group(cipher) && !group.empty() ? ", " + group : "", exception.what()));
  };
  try {
    negotiate(setup, cipher, group, credentials);
  } catch (const Failed& failed) {
    fault(failed);
  } catch (const host::SetupError& error) {
    fault(error);
  }
}

// Every group that the backend claims for this cipher; returns how many.
unsigned with_every_group(const Setup& setup, const std::string& cipher, const credentials::Credentials& credentials) {
  const std::vector<std::string> groups = groups_for(*setup.backend, setup.protocol, cipher);
  for (const std::string& group : groups) require_negotiated(setup, cipher, group, credentials);
  return static_cast<unsigned>(groups.size());
}

std::string suite(const Setup& setup, const Suite& suite) {
  skip_unless_tls(setup);
  const bool tls13 = setup.protocol == TLSRIG_TLS_1_3;
  const std::string ecdsa = tls13 ? suite.tls13 : suite.tls12_ecdsa, rsa = tls13 ? suite.tls13 : suite.tls12_rsa;
  for (const std::string& cipher : {ecdsa, rsa})
    if (!setup.backend->has_cipher(cipher) && chooses_ciphers(setup)) skip("info.ciphers does not hold {}", cipher);
  return unless_unsupported([&] {
    unsigned handshakes = with_every_group(setup, ecdsa, setup.credentials);
    handshakes += with_every_group(setup, rsa, setup.rsa_credentials);
    if (handshakes == 0) skip("info.groups holds none that fits {}", ecdsa);
    return fmt::format("{} handshakes", handshakes);
  });
}

std::string facts_aes_128_gcm(const Setup& setup) { return suite(setup, aes_128_gcm); }
std::string facts_aes_256_gcm(const Setup& setup) { return suite(setup, aes_256_gcm); }
std::string facts_chacha20_poly1305(const Setup& setup) { return suite(setup, chacha20_poly1305); }

// Every other cipher that the backend claims for this protocol.
std::string facts_of_other_suites(const Setup& setup) {
  skip_unless_tls(setup);
  std::string tried;
  for (const char* const* claimed = setup.backend->info().ciphers; claimed && *claimed; ++claimed) {
    const std::string_view cipher = *claimed;
    const bool tls13 = cipher.find("_WITH_") == std::string_view::npos;
    const bool common = std::any_of(common_suites.begin(), common_suites.end(), [&](const Suite& known) {
      return cipher == known.tls13 || cipher == known.tls12_ecdsa || cipher == known.tls12_rsa;
    });
    if (common || tls13 != (setup.protocol == TLSRIG_TLS_1_3)) continue;
    const bool ecdsa = tls13 || cipher.find("_ECDSA_") != std::string_view::npos;
    const bool finite_field = cipher.starts_with("TLS_DHE_");
    const std::string group = finite_field ? groups_for(*setup.backend, setup.protocol, cipher).front() : "secp256r1";
    require_negotiated(setup, std::string(cipher), group, ecdsa ? setup.credentials : setup.rsa_credentials);
    tried += tried.empty() ? "" : " ";
    tried += cipher;
  }
  if (tried.empty()) skip("claims no other suites");
  return tried;
}

// The client reads what the server sends after its handshake on its own account: tickets.
std::string tickets_of(const Setup& setup, Stand& stand, std::size_t flight) {
  if (stand.server().describe().protocol != TLSRIG_TLS_1_3) return "tickets not counted";
  stand.bench.drive_alone(stand.client(), [&] {
    require(read_once(stand.client()) == TLSRIG_WANT_READ, "{}, WANT_READ was due", stand.client());
    return stand.client().incoming().waiting() == 0;
  });
  const std::size_t bytes = stand.client().incoming().total() - flight;
  const auto resumption = host::Resumption::of(*setup.backend);
  if (!resumption) return fmt::format("tickets of {} bytes", bytes);
  return fmt::format("{} tickets of {} bytes", tickets_received(*resumption, stand.client()), bytes);
}

// A zeroed configuration but for certificate and trust, with any protocol and with the one of this run.
std::string as_shipped_handshake(const Setup& setup) {
  skip_unless_tls(setup);
  std::string seen;
  for (const std::uint32_t protocol : {0u, setup.protocol}) {
    Stand stand(setup, as_shipped(protocol, setup.credentials));
    std::size_t flight = 0;  // of the server, until the client's handshake is done
    stand.bench.drive(
        [&] {
          const bool established = done(stand.client(), stand.client().handshake());
          if (established) flight = stand.client().incoming().total();
          return established;
        },
        [&] { return done(stand.server(), stand.server().handshake()); });
    stand.server().collect_all();
    const std::string tickets = tickets_of(setup, stand, flight);
    exchange(stand.bench, 20 * 1024);
    const tlsrig_facts client = stand.client().describe(), server = stand.server().describe();
    for (const tlsrig_facts* facts : {&client, &server}) {
      require(facts->protocol == TLSRIG_TLS_1_2 || facts->protocol == TLSRIG_TLS_1_3,
              "as shipped, protocol is told as {}", name_of_protocol(facts->protocol));
      require(facts->cipher && *facts->cipher, "as shipped, no cipher is told");
      require(protocol == 0 || facts->protocol == protocol, "{} alone was allowed and {} is told",
              name_of_protocol(protocol), name_of_protocol(facts->protocol));
    }
    require(described(client) == described(server), "as shipped, the client tells {} and the server {}",
            described(client), described(server));
    end_orderly(stand.bench);
    const std::string words = fmt::format("{}, {}, {}", described(client),
                                          client.signature ? client.signature : "signature not told", tickets);
    if (seen.find(described(client)) == std::string::npos) seen += (seen.empty() ? "" : "; ") + words;
  }
  return seen;
}

// The client offers two groups and a key for the first alone, the server takes only the second: one round more.
std::string hello_retry(const Setup& setup) {
  if (setup.protocol != TLSRIG_TLS_1_3) skip("a HelloRetryRequest is a matter of TLS 1.3");
  std::string told;
  for (const bool asked : {true, false}) {
    Settings settings = usual(setup);
    settings.client.groups = {"x25519", "secp384r1"};
    settings.server.groups = {asked ? "secp384r1" : "x25519"};
    Established stand(setup, settings, both_over(setup.transport));
    const bool retried = flight_of(stand.bench).hello_retry;
    require(retried == asked, "the server sent {} HelloRetryRequest where it takes only the client's {} group",
            retried ? "a" : "no", asked ? "second" : "first");
    for (End* end : {&stand.client(), &stand.server()}) {
      const tlsrig_facts facts = end->describe();
      require(facts.hello_retry == (asked ? TLSRIG_YES : TLSRIG_NO) || facts.hello_retry == TLSRIG_UNKNOWN,
              "hello_retry is {} at the {}; the wire shows {} HelloRetryRequest", facts.hello_retry, end->who(),
              retried ? "a" : "no");
      require(facts.group && settings.server.groups.front() == facts.group,
              "the server takes {} alone and the {} tells {}", settings.server.groups.front(), end->who(),
              facts.group ? facts.group : "none");
      if (asked)
        told += fmt::format("{}{} {}", told.empty() ? "" : ", ", end->who(),
                            facts.hello_retry == TLSRIG_YES ? "tells it" : "does not tell it");
    }
    exchange(stand.bench, 1000);
  }
  return told;
}

void plain_facts(const Setup& setup) {
  if (setup.protocol != 0) skip("not plain");
  Established stand(setup);
  const tlsrig_facts facts = stand.client().describe();
  require(facts.protocol == 0 && !facts.cipher && !facts.group && facts.peer_verified != TLSRIG_YES,
          "a plain session tells {}", described(facts));
}

void data_is_encrypted(const Setup& setup) {
  skip_unless_tls(setup);
  Established stand(setup);
  constexpr std::string_view marker = "this sentence must not be seen on the way";
  std::vector<std::uint8_t> data(2000, ' ');
  std::copy(marker.begin(), marker.end(), data.begin() + 700);
  for (End* end : {&stand.client(), &stand.server()}) {
    Sending sending(*end, data);
    End& reader = stand.bench.peer_of(*end);
    stand.bench.drive_alone(*end, [&] { return sending.go_on(); });
    Receiving receiving(reader, data.size());
    stand.bench.drive_alone(reader, [&] { return receiving.go_on(); });
    const auto seen = end->outgoing().history();
    require(std::search(seen.begin(), seen.end(), marker.begin(), marker.end()) == seen.end(),
            "what the {} wrote was found in clear on the way", end->who());
  }
}

}  // namespace

std::vector<Step> fact_steps() {
  const char* const pinned_law = "version, cipher and group are the ones that the configuration pins";
  const char* const ask_library =
      "configure exactly what is asked for (one cipher, one group, one version), and let describe ask the library what "
      "was negotiated (SSL_get_current_cipher, gnutls_ciphersuite_get), translated to IANA names; list in info.ciphers "
      "and info.groups only what works";
  return {
      {"facts-aes-128-gcm", pinned_law, judged<facts_aes_128_gcm>, ask_library},
      {"facts-aes-256-gcm", pinned_law, judged<facts_aes_256_gcm>, ask_library},
      {"facts-chacha20-poly1305", pinned_law, judged<facts_chacha20_poly1305>, ask_library},
      {"facts-of-other-suites", pinned_law, judged<facts_of_other_suites>, ask_library},
      {"facts-of-a-hello-retry", "hello_retry is told as the wire shows it, or not at all", judged<hello_retry>,
       "offer config.groups with a key for the first alone, and leave hello_retry at UNKNOWN where the library does "
       "not "
       "tell it"},
      {"facts-as-shipped", "a zeroed configuration is the library as shipped, and works", judged<as_shipped_handshake>,
       "leave every setting whose field is 0 or NULL as the library has it, and make a context of nothing but "
       "certificate, key and trust work"},
      {"facts-of-a-plain-session", "a plain session tells of no TLS", judged<plain_facts>,
       "leave tlsrig_facts as the caller zeroed it when protocols is 0"},
      {"data-is-encrypted", "what is written is not seen in clear on the way", judged<data_is_encrypted>,
       "send through the library's write, never to out or the socket by yourself, and offer no cipher without "
       "encryption (NULL suites)"},
  };
}

}  // namespace tlsrig::check
