// One client x server pair of the interop table.
#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>

namespace tlsrig::check {
namespace {

constexpr std::size_t kibibyte = 1024;

// Whether a backend can be told which cipher of this protocol to take; BoringSSL cannot for TLS 1.3.
bool chooses(const host::Backend* backend, std::uint32_t protocol) {
  Setup setup;
  setup.backend = backend;
  setup.protocol = protocol;
  return chooses_ciphers(setup);
}

// What one side tells, compared with the request. What a library does not tell is no contradiction.
void require_facts(const Pair& pair, End& end) {
  const tlsrig_facts facts = end.describe();
  require(facts.protocol == pair.protocol, "the {} tells {}, {} was asked for", end.who(),
          name_of_protocol(facts.protocol), name_of_protocol(pair.protocol));
  if (pair.protocol == 0) return;
  if (facts.cipher && facts.cipher != pair.cipher && !chooses(pair.client, pair.protocol) &&
      !chooses(pair.server, pair.protocol))
    skip("neither can choose {} ciphers (negotiated {})", name_of_protocol(pair.protocol), facts.cipher);
  require(facts.cipher && facts.cipher == pair.cipher, "the {} tells {}, {} was asked for", end.who(),
          facts.cipher ? facts.cipher : "no cipher", pair.cipher);
  const bool exchanged = uses_group(pair.cipher);
  const char* const told = facts.group ? facts.group : "no group";
  require(exchanged ? told == pair.group : !facts.group, "the {} tells {}, {} was asked for", end.who(), told,
          exchanged ? pair.group : "none");
  require(facts.hello_retry != TLSRIG_YES, "the {} tells of a HelloRetryRequest, with one group asked of both",
          end.who());
  require(facts.resumed != TLSRIG_YES, "the {} tells of a resumed session", end.who());
}

void converse(const Pair& pair) {
  const Settings settings =
      pair.protocol == 0 ? bare(0) : pinned(pair.protocol, pair.cipher, pair.group, pair.credentials);
  const Contexts contexts(*pair.client, *pair.server, settings);
  Bench bench(contexts, both_over(pair.transport), settings.server_name.c_str());
  shake(bench);
  for (End* end : {&bench.client(), &bench.server()}) require_facts(pair, *end);
  if (pair.protocol != 0)
    require(bench.client().describe().peer_verified == TLSRIG_YES, "the client did not verify the server");
  exchange(bench, 20 * kibibyte);
  end_orderly(bench);
}

}  // namespace

Outcome interoperate(const Pair& pair) {
  return judged_pair([&] { converse(pair); });
}

}  // namespace tlsrig::check
