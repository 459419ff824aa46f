// What describe tells is what stands in clear in the server's first flight: neither side's word is taken for it.
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/bench/resumption.hpp>
#include <tlsrig/check/steps/lists.hpp>
#include <tlsrig/records/names.hpp>

namespace tlsrig::check {
namespace {

// Fails where an end tells something else than the wire shows. What it does not tell is no contradiction.
void require_as_on_the_wire(const records::Flight& flight, const End& end) {
  const tlsrig_facts facts = end.describe();
  const auto same = [&](const char* what, const std::string& told, const std::string& shown) {
    require(told == shown, "the {} tells {} {}, and the server's first flight shows {}", end.who(), what, told, shown);
  };
  const auto same_answer = [&](const char* what, std::uint32_t told, bool shown) {
    if (told != TLSRIG_UNKNOWN) same(what, told == TLSRIG_YES ? "yes" : "no", shown ? "yes" : "no");
  };
  same("version",
       facts.protocol == TLSRIG_TLS_1_3   ? "1.3"
       : facts.protocol == TLSRIG_TLS_1_2 ? "1.2"
                                          : "none",
       records::version_name(flight.version));
  same("cipher", facts.cipher ? facts.cipher : "none", records::cipher_name(flight.cipher));
  if (flight.group && facts.group) same("group", facts.group, records::group_name(*flight.group));
  if (flight.without_group) same("group", facts.group ? facts.group : "none", "none");
  if (flight.signature && facts.signature && end.who() == "client")  // the server's own view is of the client's
    same("signature", facts.signature, records::signature_name(*flight.signature));
  same_answer("resumed", facts.resumed, flight.resumed);
  same_answer("hello_retry", facts.hello_retry, flight.hello_retry);
  same_answer("encrypt_then_mac", facts.encrypt_then_mac, flight.encrypt_then_mac);
}

// As shipped, with each group, with the RSA certificate, and in TLS 1.3 with a group that the client guessed wrongly.
std::string as_on_the_wire(const Setup& setup) {
  skip_unless_tls(setup);
  std::vector<Settings> all = {as_shipped(setup.protocol, setup.credentials),
                               as_shipped(setup.protocol, setup.rsa_credentials)};
  const std::string cipher = usual(setup).client.ciphers.front();
  for (const std::string& group : groups_for(*setup.backend, setup.protocol, cipher))
    all.push_back(pinned(setup.protocol, cipher, group, setup.credentials));
  if (setup.protocol == TLSRIG_TLS_1_3) {
    all.push_back(usual(setup));
    all.back().client.groups = {"x25519", "secp384r1"};
    all.back().server.groups = {"secp384r1"};
  }
  for (const Settings& settings : all) {
    Established stand(setup, settings, both_over(setup.transport));
    const records::Flight flight = flight_of(stand.bench);
    for (End* end : {&stand.client(), &stand.server()}) require_as_on_the_wire(flight, *end);
  }
  return fmt::format("{} handshakes", all.size());
}

}  // namespace

std::vector<Step> wire_fact_steps() {
  return {
      {"facts-as-on-the-wire", "version, cipher, group, signature, resumed and hello_retry are as the wire shows them",
       judged<as_on_the_wire>,
       "let describe ask the library what was negotiated, not the configuration what was asked for, and leave a fact "
       "at "
       "NULL or UNKNOWN where the library does not tell it"},
  };
}

}  // namespace tlsrig::check
