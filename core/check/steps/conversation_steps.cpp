// The first step: what a backend is for, in the usual way. As long as it fails, the words of all others are noise.
#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

std::string conversation(const Setup& setup) {
  Established stand(setup);
  const std::string client = described(stand.client().describe()), server = described(stand.server().describe());
  require(client == server, "the client tells {} and the server {}", client, server);
  exchange(stand.bench, 20 * 1024);
  end_orderly(stand.bench);
  return client;
}

}  // namespace

std::vector<Step> conversation_steps() {
  return {
      {"conversation", "a handshake, data both ways and an orderly end", judged<conversation>,
       "make this step pass before any other; --trace shows the calls, their windows and answers up to the failure"},
  };
}

}  // namespace tlsrig::check
