// Law 7, second half: whose certificate is accepted, who is refused, and that the refused one is told.
#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/bench/known_limits.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

struct Side {
  const char* name;
  const std::optional<tlsrig_error>& error;
};

void require_refused(const Side& side, const char* why) {
  require(side.error.has_value(), "the {} accepted its peer, {}; ERROR of kind CERTIFICATE was due", side.name, why);
  require(side.error->kind == TLSRIG_ERROR_CERTIFICATE,
          "the {} refused its peer, {}, with {}; kind CERTIFICATE was due", side.name, why, words_of(*side.error));
}

void require_alerted(const Side& side, const char* why) {
  require(side.error.has_value(), "the {} was not told that it is refused, {}; ERROR of kind ALERT was due (law 7)",
          side.name, why);
  require(side.error->kind == TLSRIG_ERROR_ALERT && side.error->alert >= 0,
          "the {} was refused, {}, and learnt {}; ERROR of kind ALERT with the alert's number was due (law 7)",
          side.name, why, words_of(*side.error));
}

std::string server_refused(const Setup& setup, const Settings& settings, const char* why) {
  Stand stand(setup, settings);
  const Refused refused = expect_refusal(stand.bench);
  require_refused({"client", refused.client}, why);
  require_alerted({"server", refused.server}, why);
  return fmt::format("{} (alert {})", refused.client->text, refused.server->alert);
}

std::string unknown_ca(const Setup& setup) {
  skip_unless_tls(setup);
  Settings settings = usual(setup);
  settings.server.certificate_chain = setup.untrusted.server_chain;
  settings.server.private_key = setup.untrusted.server_key;
  return server_refused(setup, settings, "whose root is unknown");
}

std::string expired_certificate(const Setup& setup) {
  skip_unless_tls(setup);
  Settings settings = usual(setup);
  settings.server.certificate_chain = setup.expired.server_chain;
  settings.server.private_key = setup.expired.server_key;
  settings.client.trust_anchors = setup.expired.trust;
  return server_refused(setup, settings, "whose certificate has expired");
}

std::string wrong_host_name(const Setup& setup) {
  skip_unless_tls(setup);
  Settings settings = usual(setup);
  settings.server_name = "other.tlsrig.test";
  return server_refused(setup, settings, "which has another host name");
}

std::string wrong_ip_address(const Setup& setup) {
  skip_unless_tls(setup);
  Settings settings = usual(setup);
  settings.server_name = "192.0.2.1";
  return unless_unsupported([&] { return server_refused(setup, settings, "which has another IP address"); });
}

void server_accepted(const Setup& setup, const char* name) {
  Settings settings = usual(setup);
  settings.server_name = name;
  Established stand(setup, settings, both_over(setup.transport));
  exchange(stand.bench, 1000);
  const std::uint32_t verified = stand.client().describe().peer_verified;
  require(verified == TLSRIG_YES, "peer_verified is {} at the client; YES (2) is due after a checked certificate",
          verified);
}

void right_host_name(const Setup& setup) {
  skip_unless_tls(setup);
  for (const char* const name : {credentials::server_name, "localhost"}) server_accepted(setup, name);
}

void no_host_name(const Setup& setup) {
  skip_unless_tls(setup);
  server_accepted(setup, "");  // the chain is checked, the name is not
  Settings settings = usual(setup);
  settings.server_name.clear();
  settings.server.certificate_chain = setup.untrusted.server_chain;
  settings.server.private_key = setup.untrusted.server_key;
  server_refused(setup, settings, "whose root is unknown");
}

void right_ipv4_address(const Setup& setup) {
  skip_unless_tls(setup);
  unless_unsupported([&] { server_accepted(setup, "127.0.0.1"); });
}

void right_ipv6_address(const Setup& setup) {
  skip_unless_tls(setup);
  unless_unsupported([&] { server_accepted(setup, "::1"); });
}

void no_verification(const Setup& setup) {
  skip_unless_tls(setup);
  Settings settings = usual(setup);
  settings.client.verify_peer = TLSRIG_NONE;
  settings.server.certificate_chain = setup.untrusted.server_chain;
  settings.server.private_key = setup.untrusted.server_key;
  settings.server_name = "other.tlsrig.test";
  Established stand(setup, settings, both_over(setup.transport));
  exchange(stand.bench, 1000);
  const std::uint32_t verified = stand.client().describe().peer_verified;
  require(verified != TLSRIG_YES, "peer_verified is YES at the client, whose configuration verifies nothing");
}

Settings mutual(const Setup& setup) {
  Settings settings = usual(setup);
  settings.client.certificate_chain = setup.credentials.client_chain;
  settings.client.private_key = setup.credentials.client_key;
  settings.server.verify_peer = TLSRIG_ON;
  settings.server.trust_anchors = setup.credentials.trust;
  return settings;
}

void client_certificate(const Setup& setup) {
  skip_unless_tls(setup);
  Established stand(setup, mutual(setup), both_over(setup.transport));
  exchange(stand.bench, 1000);
  for (End* end : {&stand.client(), &stand.server()})
    require(end->describe().peer_verified == TLSRIG_YES, "peer_verified is {} at the {}; YES (2) is due on both sides",
            end->describe().peer_verified, end->who());
  end_orderly(stand.bench);
}

void client_certificate_not_asked_for(const Setup& setup) {
  skip_unless_tls(setup);
  Established stand(setup);
  const std::uint32_t verified = stand.server().describe().peer_verified;
  require(verified != TLSRIG_YES, "peer_verified is YES at a server that asked for no certificate");
}

Settings without_client_certificate(const Setup& setup) {
  Settings settings = mutual(setup);
  settings.client.certificate_chain.clear();
  settings.client.private_key.clear();
  return settings;
}

std::string missing_client_certificate(const Setup& setup) {
  skip_unless_tls(setup);
  Stand stand(setup, without_client_certificate(setup));
  const Refused refused = expect_refusal(stand.bench);
  require_refused({"server", refused.server}, "which sent no certificate");
  require(refused.client.has_value(), "the client never learns that it is refused");
  return refused.server->text;
}

void missing_client_certificate_alert(const Setup& setup) {
  skip_unless_tls(setup);
  Stand stand(setup, without_client_certificate(setup));
  const Refused refused = expect_refusal(stand.bench);
  if (refused.client && refused.client->kind != TLSRIG_ERROR_ALERT)
    skip_if_known(Limit::no_alert_for_a_missing_certificate, setup);
  require_alerted({"client", refused.client}, "as it sent no certificate");
}

std::string client_refused(const Setup& setup, const credentials::Credentials& shown, const std::string& trust,
                           const char* why) {
  Settings settings = mutual(setup);
  settings.client.certificate_chain = shown.client_chain;
  settings.client.private_key = shown.client_key;
  settings.server.trust_anchors = trust;
  Stand stand(setup, settings);
  const Refused refused = expect_refusal(stand.bench);
  require_refused({"server", refused.server}, why);
  require_alerted({"client", refused.client}, why);
  return fmt::format("{} (alert {})", refused.server->text, refused.client->alert);
}

std::string unknown_client_ca(const Setup& setup) {
  skip_unless_tls(setup);
  return client_refused(setup, setup.untrusted, setup.credentials.trust, "whose root is unknown");
}

std::string expired_client_certificate(const Setup& setup) {
  skip_unless_tls(setup);
  return client_refused(setup, setup.expired, setup.expired.trust, "whose certificate has expired");
}

// Each side shows the certificate of the other role, which is good but for its extended key usage. Without a name too,
// where the chain alone is checked: there no other name can be the reason of the refusal.
std::string key_purpose(const Setup& setup) {
  skip_unless_tls(setup);
  const credentials::Credentials& good = setup.credentials;
  Settings settings = usual(setup);
  settings.server.certificate_chain = good.client_chain;
  settings.server.private_key = good.client_key;
  std::string words;
  for (const char* const name : {"client.tlsrig.test", ""}) {
    settings.server_name = name;
    words = server_refused(setup, settings, "whose certificate is for clients alone");
  }
  credentials::Credentials shown = good;
  shown.client_chain = good.server_chain;
  shown.client_key = good.server_key;
  return words + "; " + client_refused(setup, shown, good.trust, "whose certificate is for servers alone");
}

}  // namespace

std::vector<Step> certificate_steps() {
  const char* const refused =
      "law 7: a refused certificate is ERROR of kind CERTIFICATE, and its alert reaches the peer";
  const char* const accepted = "a certificate for the name that open was given is accepted and verified";
  const char* const report =
      "answer ERROR of kind CERTIFICATE when the library's verification fails (SSL_get_verify_result, "
      "gnutls_session_get_verify_cert_status), and put its alert into out before that answer";
  const char* const chain =
      "turn verification on in create_context when verify_peer is ON (SSL_VERIFY_PEER, for a server with "
      "SSL_VERIFY_FAIL_IF_NO_PEER_CERT), with trust_anchors as the only roots; then answer ERROR of kind CERTIFICATE";
  const char* const names =
      "hand server_name to the library's own check in open: a host name with SSL_set1_host or "
      "gnutls_session_set_verify_cert, an IP address, which these do not cover, with X509_VERIFY_PARAM_set1_ip_asc or "
      "GNUTLS_DT_IP_ADDRESS";
  const char* const verified =
      "set peer_verified to YES only when verification was asked for, the peer showed a certificate, and it held";
  const char* const client =
      "let a server with verify_peer ON ask for a certificate and demand it, and answer ERROR of kind CERTIFICATE "
      "without one (SSL_VERIFY_FAIL_IF_NO_PEER_CERT, GNUTLS_CERT_REQUIRE)";
  const char* const alert =
      "drain the alert that the library made into out before the answer ERROR, and tell a received one as kind ALERT "
      "with its number";
  return {
      {"unknown-ca", refused, judged<unknown_ca>, chain},
      {"expired-certificate", refused, judged<expired_certificate>, report},
      {"wrong-host-name", refused, judged<wrong_host_name>, names},
      {"wrong-ip-address", refused, judged<wrong_ip_address>, names},
      {"right-host-name", accepted, judged<right_host_name>, names},
      {"right-ipv4-address", accepted, judged<right_ipv4_address>, names},
      {"right-ipv6-address", accepted, judged<right_ipv6_address>, names},
      {"no-host-name", "server_name NULL: the chain is checked, the name is not", judged<no_host_name>,
       "with server_name NULL leave out the name alone, from the ClientHello and from the check, and verify the chain "
       "as ever"},
      {"verification-off", "verify_peer NONE accepts any certificate and calls none verified", judged<no_verification>,
       "with verify_peer NONE turn the library's verification off (SSL_VERIFY_NONE, MBEDTLS_SSL_VERIFY_NONE), the "
       "check of the name too, and leave peer_verified at NO or UNKNOWN"},
      {"client-certificate", "verify_peer at a server demands and verifies the client's certificate",
       judged<client_certificate>, client},
      {"client-certificate-not-asked-for", "a server that verifies no one calls no one verified",
       judged<client_certificate_not_asked_for>, verified},
      {"client-certificate-missing", "verify_peer at a server refuses a client without certificate",
       judged<missing_client_certificate>, client},
      {"client-certificate-missing-alert", "law 7: the alert of a refusal reaches the client",
       judged<missing_client_certificate_alert>, alert},
      {"client-certificate-unknown-ca", refused, judged<unknown_client_ca>, chain},
      {"client-certificate-expired", refused, judged<expired_client_certificate>, report},
      {"key-purpose", "a certificate for clients alone is no server's, and one for servers alone no client's",
       judged<key_purpose>,
       "ask the library's verification for the purpose of the peer's role, as RFC 5280, 4.2.1.12 has it: "
       "SSL_CTX_set_purpose where it is not set by itself, GNUTLS_DT_KEY_PURPOSE_OID in "
       "gnutls_certificate_verify_peers"},
  };
}

}  // namespace tlsrig::check
