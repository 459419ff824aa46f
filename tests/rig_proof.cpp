// What the rig demands of a life's proof: of both sides, of each leg.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include <tlsrig/rig/prove.hpp>

using namespace tlsrig;
using rig::Json;

namespace {

Json side(const std::string& version = "1.3", const std::string& cipher = "TLS_AES_128_GCM_SHA256",
          const std::string& group = "x25519", bool verified = true) {
  return {{"version", version},
          {"cipher", cipher},
          {"group", group},
          {"signature", "ecdsa_secp256r1_sha256"},
          {"resumed", {{"yes", 0}, {"no", 4}}},
          {"hello_retry", false},
          {"peer_verified", verified},
          {"encrypt_then_mac", nullptr},
          {"connections", {{"asked", 4}, {"achieved", 4}}}};
}

// What the server tells when only the client was to verify.
Json unverifying(Json told) {
  told["peer_verified"] = false;
  return told;
}

scenario::TlsSettings asked() {
  scenario::TlsSettings tls;
  tls.cipher = "TLS_AES_128_GCM_SHA256";
  return tls;
}

rig::Demand demand(const scenario::TlsSettings& tls, bool chooses = true, bool resumed = false) {
  return {"", "client", "server", tls, 4, false, chooses, resumed};
}

std::string failure(const std::map<std::string, Json>& sides, const scenario::TlsSettings& tls = asked(),
                    bool chooses = true, bool resumed = false) {
  report::Proof proof;
  try {
    rig::prove_life(sides, {demand(tls, chooses, resumed)}, proof);
  } catch (const rig::ArmFailure& refused) {
    return (refused.unsupported ? "unsupported: " : "failed: ") + std::string(refused.what());
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// What a relay with these legs is asked for.
std::vector<rig::Demand> relayed(const scenario::TlsSettings& tls, bool inbound_plain, bool outbound_plain) {
  return {{"inbound", "client", "relay_inbound", tls, 4, inbound_plain},
          {"outbound", "relay_outbound", "server", tls, 4, outbound_plain}};
}

Json plain_side() { return {{"version", "none"}, {"connections", {{"asked", 4}, {"achieved", 4}}}}; }

}  // namespace

TEST_CASE("a life whose facts are those asked for is proved, and the proof says so") {
  report::Proof proof;
  auto client = side(), server = side();
  server["peer_verified"] = false;
  const auto tls = asked();
  rig::prove_life({{"client", client}, {"server", server}}, {demand(tls)}, proof);
  CHECK(proof.version == "1.3");
  CHECK(proof.cipher == "TLS_AES_128_GCM_SHA256");
  CHECK(proof.group == "x25519");
  CHECK(proof.peer_verified == true);
  CHECK(proof.connections_achieved == 4);
  CHECK(proof.source.at("cipher") == "library");
}

TEST_CASE("a life that differs from the request is a failure that names both") {
  auto server = side();
  server["peer_verified"] = false;
  CHECK(failure({{"client", side()}, {"server", server}}).empty());
  const auto other_cipher = side("1.3", "TLS_AES_256_GCM_SHA384");
  CHECK(contains(failure({{"client", other_cipher}, {"server", unverifying(other_cipher)}}),
                 "failed: asked for cipher TLS_AES_128_GCM_SHA256, negotiated TLS_AES_256_GCM_SHA384"));
  CHECK(contains(failure({{"client", side()}, {"server", unverifying(other_cipher)}}), "the client says cipher"));
  const auto other_version = side("1.2");
  CHECK(contains(failure({{"client", other_version}, {"server", unverifying(other_version)}}), "version"));
  const auto other_group = side("1.3", "TLS_AES_128_GCM_SHA256", "secp256r1");
  CHECK(contains(failure({{"client", other_group}, {"server", unverifying(other_group)}}), "group"));
  const auto unverified = side("1.3", "TLS_AES_128_GCM_SHA256", "x25519", false);
  CHECK(contains(failure({{"client", unverified}, {"server", server}}), "certificate was to be verified"));
  CHECK(contains(failure({{"client", side()}, {"server", side()}}), "was not to be verified"));
  auto silent = side();
  silent["group"] = nullptr;
  CHECK(contains(failure({{"client", silent}, {"server", unverifying(silent)}}), "neither side tells"));
  auto resumed = side();
  resumed["resumed"] = {{"yes", 1}, {"no", 3}};
  CHECK(contains(failure({{"client", resumed}, {"server", server}}), "resumed"));
  auto untold = side(), untold_server = server;
  untold["resumed"] = untold_server["resumed"] = nullptr;
  CHECK(contains(failure({{"client", untold}, {"server", untold_server}}), "neither side tells"));
  auto mixed = side();
  mixed["encrypt_then_mac"] = "mixed: yes, no";
  CHECK(contains(failure({{"client", mixed}, {"server", server}}), "encrypt-then-MAC"));
  auto rsa = asked();
  rsa.certificate = "rsa-2048";
  CHECK(contains(failure({{"client", side()}, {"server", server}}, rsa), "certificate of kind rsa-2048"));
  auto fewer = side();
  fewer["connections"]["achieved"] = 3;
  CHECK(contains(failure({{"client", fewer}, {"server", server}}), "4 connections asked, 3 achieved"));
}

TEST_CASE("a backend that cannot choose TLS 1.3 ciphers is unsupported when it negotiates another") {
  const auto other = side("1.3", "TLS_AES_256_GCM_SHA384");
  CHECK(contains(failure({{"client", other}, {"server", unverifying(other)}}, asked(), false),
                 "unsupported: cannot choose"));
}

TEST_CASE("verification is demanded from the side that was told to verify") {
  auto tls = asked();
  tls.verify = scenario::Verify::both;
  auto not_verified = side();
  not_verified["peer_verified"] = false;
  CHECK(failure({{"client", side()}, {"server", side()}}, tls).empty());
  CHECK(contains(failure({{"client", side()}, {"server", not_verified}}, tls), "the client's certificate"));
  tls.verify = scenario::Verify::client;
  CHECK(failure({{"client", not_verified}, {"server", side()}}, tls).empty());
}

TEST_CASE("resumed handshakes are demanded of every connection, with a key exchange in TLS 1.3 alone") {
  const auto resumed = [](Json told, int yes, int no) {
    told["resumed"] = {{"yes", yes}, {"no", no}};
    told["signature"] = nullptr;
    return told;
  };
  const auto judge = [](const Json& client, const scenario::TlsSettings& tls = asked()) {
    return failure({{"client", client}, {"server", unverifying(client)}}, tls, true, true);
  };
  CHECK(judge(resumed(side(), 4, 0)).empty());
  CHECK(contains(judge(resumed(side(), 3, 1)), "failed: asked for resumed handshakes, 1 were full"));
  CHECK(contains(judge(side()), "failed: asked for resumed handshakes, 4 were full"));
  Json without_group = resumed(side(), 4, 0);
  without_group["group"] = nullptr;
  CHECK(contains(judge(without_group), "neither side tells"));
  Json unverified = resumed(side(), 4, 0);
  unverified["peer_verified"] = false;
  CHECK(contains(judge(unverified), "unsupported: the client does not keep over resumption"));

  auto tls_1_2 = asked();
  tls_1_2.version = "1.2";
  tls_1_2.cipher = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
  Json shorter = resumed(side("1.2", tls_1_2.cipher), 4, 0);
  CHECK(contains(judge(shorter, tls_1_2), "resumption in TLS 1.2 has no group, but x25519 was negotiated"));
  shorter["group"] = nullptr;
  CHECK(judge(shorter, tls_1_2).empty());
}

TEST_CASE("the legs of a relay are proved one by one, and a failure names its leg") {
  const scenario::TlsSettings tls = asked();
  std::map<std::string, Json> parts{{"client", side()},
                                    {"relay_inbound", unverifying(side())},
                                    {"relay_outbound", plain_side()},
                                    {"server", plain_side()}};
  report::Proof proof;
  for (int life = 0; life < 2; ++life) {  // what one life has shown the next is held to
    rig::prove_life(parts, relayed(tls, false, true), proof);
    CHECK(proof.version == "1.3");
    CHECK(proof.connections_achieved == 4);
    CHECK(proof.peer_verified == true);
  }

  const auto words = [&](bool inbound_plain, bool outbound_plain) -> std::string {
    report::Proof fresh;
    try {
      rig::prove_life(parts, relayed(tls, inbound_plain, outbound_plain), fresh);
    } catch (const rig::ArmFailure& failure) {
      return failure.what();
    }
    return "";
  };
  parts["relay_outbound"] = side();
  parts["server"] = unverifying(side());
  CHECK(words(false, false).empty());
  parts["server"] = unverifying(side("1.3", "TLS_AES_256_GCM_SHA384"));
  CHECK(contains(words(false, false), "outbound leg: the client says cipher"));
  parts["relay_outbound"] = side("1.3", "TLS_AES_256_GCM_SHA384");
  parts["server"] = unverifying(side("1.3", "TLS_AES_256_GCM_SHA384"));
  CHECK(contains(words(false, false), "outbound leg: asked for cipher TLS_AES_128_GCM_SHA256, negotiated"));
  parts["relay_outbound"] = side();
  parts["relay_outbound"]["signature"] = "ecdsa_secp384r1_sha384";
  parts["server"] = unverifying(side());
  CHECK(words(false, false).empty());  // which one is for the two libraries of a leg to choose
  parts["relay_outbound"] = side();
  parts["server"] = unverifying(side());
  parts["client"] = side("1.2");
  CHECK(contains(words(false, false), "inbound leg: "));
  parts["client"] = side();
  parts["relay_outbound"]["peer_verified"] = false;
  CHECK(contains(words(false, false), "outbound leg: the server's certificate was to be verified"));
  parts["relay_outbound"] = parts["server"] = plain_side();
  parts["server"]["connections"]["achieved"] = 3;
  CHECK(contains(words(false, true), "outbound leg: 4 connections asked, 3 achieved"));
}

TEST_CASE("libraries as shipped may settle something else on each leg, and both are told") {
  scenario::TlsSettings tls;
  tls.policy = scenario::Policy::as_shipped;
  std::map<std::string, Json> parts{{"client", side()},
                                    {"relay_inbound", unverifying(side())},
                                    {"relay_outbound", side("1.3", "TLS_AES_256_GCM_SHA384")},
                                    {"server", unverifying(side("1.3", "TLS_AES_256_GCM_SHA384"))}};
  report::Proof proof;
  for (int life = 0; life < 2; ++life) {
    rig::prove_life(parts, relayed(tls, false, false), proof);
    CHECK(proof.version == "1.3");
    CHECK(proof.cipher == "TLS_AES_128_GCM_SHA256, outbound TLS_AES_256_GCM_SHA384");
  }
  parts["relay_outbound"] = side();
  parts["server"] = unverifying(side());
  try {
    rig::prove_life(parts, relayed(tls, false, false), proof);
    FAIL("another life settled something else, and that was not seen");
  } catch (const rig::ArmFailure& failure) {
    CHECK(contains(failure.what(), "cipher was \"TLS_AES_128_GCM_SHA256, outbound"));
  }
}

TEST_CASE("without TLS on any leg the version is none") {
  const scenario::TlsSettings tls = asked();
  report::Proof proof;
  const std::map<std::string, Json> parts{{"client", plain_side()},
                                          {"relay_inbound", plain_side()},
                                          {"relay_outbound", plain_side()},
                                          {"server", plain_side()}};
  rig::prove_life(parts, relayed(tls, true, true), proof);
  CHECK(proof.version == "none");
}
