// What a context is made from: names that no one knows, files that are not what they should be, fields that are not
// set.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

// A directory of its own that is gone with the step.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "tlsrig-check-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Failed("the step could not make a directory " + name);
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string file(const char* name, std::string_view content) const {
    const std::filesystem::path path = path_ / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

 private:
  std::filesystem::path path_;
};

void require_unsupported(const Setup& setup, Settings settings, const std::string& name) {
  for (host::ContextOptions* options : {&settings.client, &settings.server}) {
    const char* const role = options->role == TLSRIG_CLIENT ? "client" : "server";
    try {
      host::Context context(*setup.backend, *options);
    } catch (const host::Unsupported& unsupported) {
      require(std::string_view(unsupported.what()).find(name) != std::string_view::npos,
              "create_context() for a {} answered UNSUPPORTED without naming {}: \"{}\"", role, name,
              unsupported.what());
      continue;
    } catch (const host::SetupError& error) {
      fail("create_context() for a {} answered ERROR ({}) to the unknown name {}; UNSUPPORTED was due", role,
           words_of(error.error), name);
    }
    fail("create_context() for a {} took the unknown name {}; UNSUPPORTED was due, never another setting", role, name);
  }
}

void unknown_cipher(const Setup& setup) {
  skip_unless_tls(setup);
  Settings settings = usual(setup);
  const std::string name = "TLS_TRIVIAL_WITH_ROT13";
  for (host::ContextOptions* options : {&settings.client, &settings.server}) options->ciphers = {name};
  require_unsupported(setup, settings, name);
  const Settings known = usual(setup);
  settings.client.ciphers = settings.server.ciphers = {known.client.ciphers.front(), name};
  require_unsupported(setup, settings, name);  // also beside a known one: a part of a list is another setting
}

void unknown_group(const Setup& setup) {
  skip_unless_tls(setup);
  Settings settings = usual(setup);
  const std::string name = "secp000r0";
  for (host::ContextOptions* options : {&settings.client, &settings.server}) options->groups = {name};
  require_unsupported(setup, settings, name);
  settings.client.groups = settings.server.groups = {"x25519", name};
  require_unsupported(setup, settings, name);
}

// A suite of the other protocol alone: nothing could be negotiated, so it may not be dropped in silence. Whether that
// is a limit of the library (UNSUPPORTED) or a contradiction in the configuration (ERROR) is the backend's to say.
void cipher_of_another_protocol(const Setup& setup) {
  skip_unless_tls(setup);
  Settings settings = usual(setup);
  const std::string name =
      setup.protocol == TLSRIG_TLS_1_3 ? "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256" : "TLS_AES_128_GCM_SHA256";
  for (host::ContextOptions* options : {&settings.client, &settings.server}) {
    options->ciphers = {name};
    std::string words;
    try {
      host::Context context(*setup.backend, *options);
    } catch (const host::Unsupported& unsupported) {
      words = unsupported.what();
    } catch (const host::SetupError& error) {
      words = words_of(error.error);
      require(error.error.kind == TLSRIG_ERROR_CONFIG, "create_context() for {} and {} says {}; kind CONFIG was due",
              name_of_protocol(setup.protocol), name, words);
    }
    require(!words.empty(), "create_context() took {} for {} alone, which cannot use it", name,
            name_of_protocol(setup.protocol));
    require(words.find(name) != std::string::npos, "create_context() refused {} without naming it: \"{}\"", name,
            words);
  }
}

// ERROR of kind CONFIG at the server that is made from these options, with `named` in its words.
std::string require_refused(const Setup& setup, const host::ContextOptions& options, const std::string& named,
                            const char* what) {
  try {
    host::Context context(*setup.backend, options);
  } catch (const host::SetupError& error) {
    require(error.error.kind == TLSRIG_ERROR_CONFIG, "create_context() refused {} with {}; kind CONFIG was due", what,
            words_of(error.error));
    const std::string words = words_of(error.error);
    require(words.find(named) != std::string::npos, "create_context() refused {} without naming {}: \"{}\"", what,
            named, words);
    return error.error.text;
  } catch (const host::Unsupported& unsupported) {
    fail("create_context() answered UNSUPPORTED to {} ({}); ERROR of kind CONFIG was due", what, unsupported.what());
  }
  fail("create_context() took {}; ERROR of kind CONFIG was due", what);
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename(); }

std::string missing_files(const Setup& setup) {
  skip_unless_tls(setup);
  const std::string missing = "/nonexistent/tlsrig-missing.pem";
  const Settings good = usual(setup);
  host::ContextOptions options = good.server;
  options.certificate_chain = missing;
  const std::string words = require_refused(setup, options, file_name(missing), "a certificate file that is missing");
  options = good.server;
  options.private_key = missing;
  require_refused(setup, options, file_name(missing), "a key file that is missing");
  options = good.client;
  options.trust_anchors = missing;
  require_refused(setup, options, file_name(missing), "a trust file that is missing");
  return words;
}

std::string files_that_are_not_pem(const Setup& setup) {
  skip_unless_tls(setup);
  const TemporaryDirectory directory;
  const Settings good = usual(setup);
  std::string words;
  for (const std::string& path :
       {directory.file("words.pem", "This is no certificate, only words.\n"), directory.file("empty.pem", "")}) {
    const std::string name = file_name(path);
    host::ContextOptions options = good.server;
    options.certificate_chain = path;
    words = require_refused(setup, options, name, "a certificate file that is not PEM");
    options = good.server;
    options.private_key = path;
    require_refused(setup, options, name, "a key file that is not PEM");
    options = good.client;
    options.trust_anchors = path;
    require_refused(setup, options, name, "a trust file that is not PEM");
  }
  return words;
}

std::string key_of_another_certificate(const Setup& setup) {
  skip_unless_tls(setup);
  host::ContextOptions options = usual(setup).server;
  options.private_key = setup.untrusted.server_key;
  const std::string words =
      require_refused(setup, options, file_name(options.private_key), "a key that does not match its certificate");
  options.private_key = setup.rsa_credentials.server_key;
  require_refused(setup, options, file_name(options.private_key), "a key of another kind than its certificate");
  return words;
}

void protocol_is_pinned(const Setup& setup) {
  skip_unless_tls(setup);
  const std::uint32_t other = setup.protocol == TLSRIG_TLS_1_3 ? TLSRIG_TLS_1_2 : TLSRIG_TLS_1_3;
  if (!(setup.backend->info().protocols & other)) skip("offers {} alone", name_of_protocol(setup.protocol));
  Settings settings = as_shipped(setup.protocol, setup.credentials);
  settings.server.protocols = other;
  Stand stand(setup, settings);
  const Refused refused = expect_refusal(stand.bench);
  require(refused.client && refused.server, "a client of {} and a server of {} agreed on {}",
          name_of_protocol(setup.protocol), name_of_protocol(other),
          refused.client || refused.server ? "half a handshake" : name_of_protocol(stand.client().describe().protocol));

  settings.server.protocols = setup.protocol | other;  // the common one is taken
  Established common(setup, settings, both_over(setup.transport));
  require(common.server().describe().protocol == setup.protocol, "a client of {} alone got {}",
          name_of_protocol(setup.protocol), name_of_protocol(common.server().describe().protocol));
}

void cipher_is_pinned(const Setup& setup) {
  skip_unless_tls(setup);
  Settings settings = usual(setup);
  const bool tls13 = setup.protocol == TLSRIG_TLS_1_3;
  settings.server.ciphers = {tls13 ? "TLS_AES_256_GCM_SHA384" : "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"};
  Stand stand(setup, settings);
  const Refused refused = expect_refusal(stand.bench);
  if (!refused.client && !refused.server) skip_where_ciphers_are_no_choice(setup, stand.client().describe().cipher);
  require(refused.client && refused.server, "a client and a server without a common cipher made a session");
  require(refused.server->kind == TLSRIG_ERROR_PROTOCOL,
          "a server without a common cipher says {}; kind PROTOCOL was due", words_of(*refused.server));
}

// The ciphers that an ECDSA certificate fits, as the backend lists them.
std::vector<std::string> claimed_ciphers(const Setup& setup) {
  const bool tls13 = setup.protocol == TLSRIG_TLS_1_3;
  std::vector<std::string> claimed;
  for (const char* const* cipher = setup.backend->info().ciphers; cipher && *cipher; ++cipher) {
    const std::string_view name = *cipher;
    if (tls13 ? name.find("_WITH_") == name.npos : name.starts_with("TLS_ECDHE_ECDSA_")) claimed.emplace_back(name);
  }
  return claimed;
}

std::string negotiated_cipher(const Setup& setup, const std::vector<std::string>& client,
                              const std::vector<std::string>& server) {
  Settings settings = usual(setup);
  settings.client.ciphers = client;
  settings.server.ciphers = server;
  Established stand(setup, settings, both_over(setup.transport));
  exchange(stand.bench, 1000);
  const tlsrig_facts at_client = stand.client().describe(), at_server = stand.server().describe();
  require(at_client.cipher && at_server.cipher && std::string_view(at_client.cipher) == at_server.cipher,
          "the client tells {} and the server {}", described(at_client), described(at_server));
  return at_client.cipher;
}

// Whose list weighs more is not said: with opposite orders either is right, and nothing else.
std::string order_kept(const Setup& setup, const std::string& one, const std::string& other) {
  const std::vector<std::string> forwards = {one, other}, backwards = {other, one};
  for (const auto& list : {forwards, backwards}) {
    const std::string taken = negotiated_cipher(setup, list, list);
    require(taken == list[0], "with {} before {} at both ends {} was negotiated; the first was due", list[0], list[1],
            taken);
  }
  const std::string taken = negotiated_cipher(setup, forwards, backwards);
  require(taken == one || taken == other, "with {} and {} at both ends, in opposite orders, {} was negotiated", one,
          other, taken);
  return fmt::format("with opposite orders the {}'s first is taken", taken == one ? "client" : "server");
}

std::string order_of_ciphers(const Setup& setup) {
  skip_unless_tls(setup);
  const std::vector<std::string> claimed = claimed_ciphers(setup);
  if (claimed.size() < 2)
    skip("info.ciphers holds no two that fit {} and an ECDSA key", name_of_protocol(setup.protocol));
  return unless_unsupported([&] { return order_kept(setup, claimed[0], claimed[1]); });
}

}  // namespace

std::vector<Step> configuration_steps() {
  const char* const names = "an algorithm that the library does not know is UNSUPPORTED by name";
  const char* const files = "a file that cannot be used is ERROR of kind CONFIG, and named";
  const char* const translate =
      "translate each IANA name by a table of your own and answer UNSUPPORTED with the first one that is not in it; "
      "libraries drop what they do not know and use the rest";
  const char* const check_files =
      "look at the answer of each function that loads a file (SSL_CTX_use_certificate_chain_file and its like) and "
      "answer ERROR of kind CONFIG with the file's name and the library's reason";
  return {
      {"unknown-cipher", names, judged<unknown_cipher>, translate},
      {"unknown-group", names, judged<unknown_group>, translate},
      {"cipher-of-another-protocol", "a list of ciphers without one for the allowed protocols is refused, naming it",
       judged<cipher_of_another_protocol>,
       "answer ERROR of kind CONFIG, or UNSUPPORTED, to a list of ciphers without one for the allowed protocols, "
       "naming "
       "it; OpenSSL's SSL_CTX_set_cipher_list and SSL_CTX_set_ciphersuites each take only their own kind"},
      {"order-of-ciphers", "config.ciphers are in order of preference: the first of the list that both have is taken",
       judged<order_of_ciphers>,
       "give the library the names in the order of config.ciphers, at client and server, as one list "
       "(SSL_CTX_set_cipher_list and SSL_CTX_set_ciphersuites keep it, a sorted table does not)"},
      {"missing-files", files, judged<missing_files>, check_files},
      {"files-that-are-not-pem", files, judged<files_that_are_not_pem>, check_files},
      {"key-of-another-certificate", files, judged<key_of_another_certificate>,
       "compare key and certificate in create_context (SSL_CTX_check_private_key) and answer ERROR of kind CONFIG that "
       "names the key's file"},
      {"protocol-is-pinned", "no other protocol than the allowed ones is negotiated", judged<protocol_is_pinned>,
       "set both the lowest and the highest version from config.protocols (SSL_CTX_set_min_proto_version and "
       "SSL_CTX_set_max_proto_version), at client and server alike"},
      {"cipher-is-pinned", "no other cipher than the allowed ones is negotiated", judged<cipher_is_pinned>,
       "give the library exactly config.ciphers in place of its default list, and answer ERROR of kind PROTOCOL where "
       "nothing is in common"},
  };
}

}  // namespace tlsrig::check
