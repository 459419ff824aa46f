// A plugin with another backend as its peer.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/bench/resumption.hpp>
#include <tlsrig/check/trial/job.hpp>

namespace tlsrig::check {

namespace {

using Backends = std::pair<const host::Backend*, const host::Backend*>;

std::vector<std::string> ciphers_of(const host::Backend& backend, std::uint32_t protocol) {
  std::vector<std::string> ciphers;
  for (const char* const* cipher = backend.info().ciphers; cipher && *cipher; ++cipher) {
    const bool tls12 = std::string_view(*cipher).find("_WITH_") != std::string_view::npos;  // tells its key exchange
    if (tls12 == (protocol == TLSRIG_TLS_1_2)) ciphers.emplace_back(*cipher);
  }
  return ciphers;
}

std::vector<std::string> in_both(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  std::vector<std::string> both;
  std::ranges::copy_if(left, std::back_inserter(both),
                       [&](const std::string& name) { return std::ranges::find(right, name) != right.end(); });
  return both;
}

// One that lists none of this protocol cannot choose among them, and goes along with what its peer chooses.
std::vector<std::string> common_ciphers(const Backends& pair, std::uint32_t protocol) {
  const auto left = ciphers_of(*pair.first, protocol), right = ciphers_of(*pair.second, protocol);
  return left.empty() ? right : right.empty() ? left : in_both(left, right);
}

class Conversations {
 public:
  Conversations(const Backends& backends, const Setup& setup) : backends_(backends), setup_(setup) {}

  // Both ways: each of the two is client and server once.
  void hold(const std::string& cipher, const std::string& group) {
    for (const Pair& pair : both_ways(cipher, group)) count(pair, "", interoperate(pair));
  }

  void resume(const std::string& cipher, const std::string& group, Means means) {
    const char* const how = means == Means::ticket ? ", resumed by ticket" : ", resumed by session id";
    for (const Pair& pair : both_ways(cipher, group)) count(pair, how, check::resume(pair, means));
  }

  Outcome outcome() const {
    if (!failure_.empty()) return {Verdict::fail, failure_};
    const std::string skips = skipped_ ? fmt::format("; {} not possible ({})", skipped_, reason_) : "";
    if (passed_ == 0) return {Verdict::skip, skipped_ ? reason_ : "no cipher and group that both have"};
    return {Verdict::pass, fmt::format("{} conversations{}", passed_, skips)};
  }

 private:
  std::vector<Pair> both_ways(const std::string& cipher, const std::string& group) const {
    const bool rsa = cipher.find("RSA_WITH") != std::string::npos;
    Pair pair{backends_.first,
              backends_.second,
              setup_.protocol,
              setup_.transport,
              cipher,
              group,
              rsa ? setup_.rsa_credentials : setup_.credentials};
    Pair back = pair;
    std::swap(back.client, back.server);
    return {pair, back};
  }

  void count(const Pair& pair, const char* how, const Outcome& outcome) {
    if (outcome.verdict == Verdict::pass) ++passed_;
    if (outcome.verdict == Verdict::skip) {
      ++skipped_;
      if (reason_.empty()) reason_ = outcome.words;
    }
    if (outcome.verdict == Verdict::fail && failure_.empty())
      failure_ = fmt::format("client {}, server {}, {}{}{}: {}", pair.client->name(), pair.server->name(), pair.cipher,
                             uses_group(pair.cipher) ? ", " + pair.group : "", how, outcome.words);
  }

  Backends backends_;
  const Setup& setup_;
  unsigned passed_ = 0, skipped_ = 0;
  std::string failure_, reason_;  // the first ones
};

// Over sockets the records are the same and their way is another: one cipher is enough there.
Outcome converse(const Backends& backends, const Setup& setup) {
  const auto ciphers = common_ciphers(backends, setup.protocol);
  const auto groups = in_both(curves_of(*backends.first), curves_of(*backends.second));
  if (ciphers.empty() || groups.empty()) return {Verdict::skip, "no cipher and group that both have"};
  Conversations conversations(backends, setup);
  for (const std::string& cipher : ciphers) {
    conversations.hold(cipher, groups.front());
    if (setup.transport == TLSRIG_FD) break;
  }
  if (setup.transport == TLSRIG_WIRE) {
    const auto exchanging = std::ranges::find_if(ciphers, [](const std::string& cipher) { return uses_group(cipher); });
    for (std::size_t i = 1; i < groups.size() && exchanging != ciphers.end(); ++i)
      conversations.hold(*exchanging, groups[i]);
  }
  if (host::Resumption::of(*backends.first) && host::Resumption::of(*backends.second)) {
    conversations.resume(ciphers.front(), groups.front(), Means::ticket);
    if (setup.protocol == TLSRIG_TLS_1_2) conversations.resume(ciphers.front(), groups.front(), Means::session_id);
  }
  return conversations.outcome();
}

Told told(Workplace& here, const std::filesystem::path& plugin, const Peer& peer, Setup setup) {
  const host::Backend& subject = here.backend(plugin);
  const host::Backend* other = nullptr;
  try {
    other = &here.backend(peer.plugin);
  } catch (const host::Refusal& refusal) {
    return {{Verdict::skip, fmt::format("the peer cannot be used: {}", refusal.what())}};
  }
  if (other->plain()) return {{Verdict::skip, fmt::format("{} has no TLS", peer.name)}};
  if (!(other->info().protocols & setup.protocol))
    return {{Verdict::skip, fmt::format("{} has no {}", peer.name, name_of_protocol(setup.protocol))}};
  if (!(other->info().transports & setup.transport))
    return {{Verdict::skip, fmt::format("{} does not offer this transport", peer.name)}};
  return {converse({&subject, other}, setup)};
}

}  // namespace

Job interop_job(const std::filesystem::path& plugin, const Peer& peer, const Setup& setup, const Combination& over) {
  Job job;
  job.finding.step = "interop/" + peer.name;
  job.finding.transport = over.transport_word();
  job.finding.version = over.version_word();
  job.finding.law = "what is asked for is what both sides and the wire see, whoever the peer is";
  job.finding.cure =
      "compare what the configuration asks for (protocols, ciphers, groups, verify_peer) with what the "
      "library was told; the peer is another library and reads the standards as it does";
  job.peer = peer;
  Setup with = setup;
  with.protocol = over.protocol;
  with.transport = over.transport;
  job.work = [plugin, peer, with](Workplace& here) { return told(here, plugin, peer, with); };
  return job;
}

}  // namespace tlsrig::check
