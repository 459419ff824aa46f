// The configuration of a context in wolfSSL's own calls.
#include "context.hpp"

#include <wolfssl/openssl/evp.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <tlsrig/sdk/failure.hpp>

namespace tlsrig::wolfssl {
namespace {

using sdk::Failure;
using sdk::Unsupported;

WOLFSSL_METHOD* method(std::uint32_t protocols, bool server) {
  if (protocols == TLSRIG_TLS_1_2) return server ? wolfTLSv1_2_server_method() : wolfTLSv1_2_client_method();
  if (protocols == TLSRIG_TLS_1_3) return server ? wolfTLSv1_3_server_method() : wolfTLSv1_3_client_method();
  return server ? wolfSSLv23_server_method() : wolfSSLv23_client_method();
}

// Loads one file; `what` is its name in messages. No password callback is ever set: an encrypted key is refused and
// nothing prompts for it.
template <class Load>
void load(const std::string& what, const char* file, Load loader) {
  wolfSSL_ERR_clear_error();
  if (loader(file) == WOLFSSL_SUCCESS) return;
  const unsigned long code = wolfSSL_ERR_get_error();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> readable(std::fopen(file, "r"),
                                                                 [](std::FILE* opened) { return std::fclose(opened); });
  const char* reason = !readable ? std::strerror(errno)
                       : code    ? wolfSSL_ERR_reason_error_string(code)
                                 : "wolfSSL gives no reason; is it a regular file with something in it?";
  throw Failure(TLSRIG_ERROR_CONFIG, what + " " + file + ": " + reason, -static_cast<std::int64_t>(code));
}

// wolfSSL's own check passes every elliptic-curve key, so for those a signature tells.
bool key_belongs_to_certificate(WOLFSSL_CTX* context) {
  if (wolfSSL_CTX_check_private_key(context) != WOLFSSL_SUCCESS) return false;
  WOLFSSL_EVP_PKEY* key = wolfSSL_CTX_get0_privatekey(context);
  if (!key || !wolfSSL_EVP_PKEY_get0_EC_KEY(key)) return true;
  const std::unique_ptr<WOLFSSL_EVP_PKEY, void (*)(WOLFSSL_EVP_PKEY*)> certified(
      wolfSSL_X509_get_pubkey(wolfSSL_CTX_get0_certificate(context)), wolfSSL_EVP_PKEY_free);
  using Digest = std::unique_ptr<WOLFSSL_EVP_MD_CTX, void (*)(WOLFSSL_EVP_MD_CTX*)>;
  const Digest signing(wolfSSL_EVP_MD_CTX_new(), wolfSSL_EVP_MD_CTX_free);
  const Digest verifying(wolfSSL_EVP_MD_CTX_new(), wolfSSL_EVP_MD_CTX_free);
  constexpr char message[] = "tlsrig";
  unsigned char signature[256];
  std::size_t size = sizeof signature;
  return wolfSSL_EVP_DigestSignInit(signing.get(), nullptr, wolfSSL_EVP_sha256(), nullptr, key) == WOLFSSL_SUCCESS &&
         wolfSSL_EVP_DigestSignUpdate(signing.get(), message, sizeof message) == WOLFSSL_SUCCESS &&
         wolfSSL_EVP_DigestSignFinal(signing.get(), signature, &size) == WOLFSSL_SUCCESS &&
         wolfSSL_EVP_DigestVerifyInit(verifying.get(), nullptr, wolfSSL_EVP_sha256(), nullptr, certified.get()) ==
             WOLFSSL_SUCCESS &&
         wolfSSL_EVP_DigestVerifyUpdate(verifying.get(), message, sizeof message) == WOLFSSL_SUCCESS &&
         wolfSSL_EVP_DigestVerifyFinal(verifying.get(), signature, size) == WOLFSSL_SUCCESS;
}

}  // namespace

Context::Context(const tlsrig_config& config)
    : server(config.role == TLSRIG_SERVER),
      verify(config.verify_peer == TLSRIG_ON),
      without_encrypt_then_mac(config.ciphers),
      protocols(config.protocols ? config.protocols : library().info().protocols),
      write_max(config.record_size_max ? config.record_size_max : TLSRIG_WRITE_MAX),
      keeps_tickets(!server && (config.tickets != TLSRIG_NONE || config.session_cache != TLSRIG_NONE)) {
  own_curve_cache();  // the key is tried below
  if (protocols & ~library().info().protocols) throw Unsupported("wolfssl speaks TLS 1.2 and TLS 1.3 only");
  pointer.reset(wolfSSL_CTX_new(method(config.protocols, server)));
  if (!pointer) throw Failure(TLSRIG_ERROR_OTHER, "wolfSSL_CTX_new failed");
  WOLFSSL_CTX* context = pointer.get();
  if (config.protocols == (TLSRIG_TLS_1_2 | TLSRIG_TLS_1_3)) wolfSSL_CTX_SetMinVersion(context, WOLFSSL_TLSV1_2);
  if (config.ciphers) {
    set_ciphers(config.ciphers);
    // Where it is left on it cannot be told whether it was negotiated, and not every library has it.
    wolfSSL_CTX_AllowEncryptThenMac(context, 0);
  }
  if (config.groups) set_groups(config.groups);
  load_files(config);
  if (config.verify_peer == TLSRIG_NONE) wolfSSL_CTX_set_verify(context, WOLFSSL_VERIFY_NONE, nullptr);
  if (verify) wolfSSL_CTX_set_verify(context, WOLFSSL_VERIFY_PEER | WOLFSSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  set_resumption(config);
  if (config.record_size_max) set_record_size(config.record_size_max);
  if (config.release_buffers == TLSRIG_ON)
    throw Unsupported("wolfssl cannot give back the buffers of an idle session: release_buffers has no effect");
  if (config.read_ahead == TLSRIG_ON) throw Unsupported("wolfssl reads one record at a time: read_ahead has no effect");
}

void Context::set_ciphers(const char* const* names) {
  std::string list;
  std::uint32_t usable = 0;
  for (; *names; ++names) {
    if (!library().has_cipher(*names))
      throw Unsupported(std::string("wolfssl does not have the cipher ") + *names + " (not compiled in)");
    usable |= std::strstr(*names, "_WITH_") ? TLSRIG_TLS_1_2 : TLSRIG_TLS_1_3;
    list.append(list.empty() ? "" : ":").append(*names);
  }
  // The library keeps its own choice for a version that the list does not name.
  if (!(usable & protocols))
    throw Failure(TLSRIG_ERROR_CONFIG, "no cipher of " + list + " belongs to the protocol versions asked for");
  if (wolfSSL_CTX_set_cipher_list(pointer.get(), list.c_str()) != WOLFSSL_SUCCESS)
    throw Failure(TLSRIG_ERROR_CONFIG, "wolfSSL refused the cipher list " + list);
}

// TLS 1.3 and TLS 1.2 have a list each. Without the first a TLS 1.3 client sends a key share of the library's choice,
// which costs a HelloRetryRequest.
void Context::set_groups(const char* const* names) {
  std::vector<int> ids;
  const Group* first = nullptr;
  for (; *names; ++names) {
    const Group* group = Library::group(*names);
    if (!group) throw Unsupported(std::string("wolfssl does not have the group ") + *names);
    if (!first) first = group;
    ids.push_back(group->id);
  }
  if (!first) throw Failure(TLSRIG_ERROR_CONFIG, "an empty list of groups");
  bool taken = true;
  if (protocols & TLSRIG_TLS_1_3)
    taken = wolfSSL_CTX_set_groups(pointer.get(), ids.data(), static_cast<int>(ids.size())) == WOLFSSL_SUCCESS;
  if (protocols & TLSRIG_TLS_1_2) {
    for (const int id : ids)
      taken = wolfSSL_CTX_UseSupportedCurve(pointer.get(), static_cast<word16>(id)) == WOLFSSL_SUCCESS && taken;
    if (server)  // goes by this size, not by the list
      taken = wolfSSL_CTX_SetTmpEC_DHE_Sz(pointer.get(), first->server_bytes) == WOLFSSL_SUCCESS && taken;
  }
  if (!taken) throw Failure(TLSRIG_ERROR_CONFIG, "wolfSSL refused the list of groups");
}

void Context::load_files(const tlsrig_config& config) {
  WOLFSSL_CTX* context = pointer.get();
  if (config.certificate_chain)
    load("certificate chain", config.certificate_chain,
         [=](const char* file) { return wolfSSL_CTX_use_certificate_chain_file(context, file); });
  if (config.private_key)
    load("private key", config.private_key,
         [=](const char* file) { return wolfSSL_CTX_use_PrivateKey_file(context, file, WOLFSSL_FILETYPE_PEM); });
  if (config.certificate_chain && config.private_key && !key_belongs_to_certificate(context))
    throw Failure(TLSRIG_ERROR_CONFIG, std::string("private key ") + config.private_key +
                                           " does not belong to the certificate in " + config.certificate_chain);
  if (config.trust_anchors)
    load("trust anchors", config.trust_anchors,
         [=](const char* file) { return wolfSSL_CTX_load_verify_locations(context, file, nullptr); });
}

void Context::set_resumption(const tlsrig_config& config) {
  WOLFSSL_CTX* context = pointer.get();
  if (server && config.tickets == TLSRIG_NONE) {
    wolfSSL_CTX_NoTicketTLSv12(context);
    wolfSSL_CTX_no_ticket_TLSv13(context);
  } else if (server && config.tickets) {
    wolfSSL_CTX_set_num_tickets(context, config.tickets);
  } else if (!server && config.tickets && config.tickets != TLSRIG_NONE && (protocols & TLSRIG_TLS_1_2)) {
    wolfSSL_CTX_UseSessionTicket(context);  // TLS 1.2: no server sends a ticket that was not asked for
  }
  if (!config.session_cache) return;
  // Sessions of tickets would go into the library's own table even with the cache off.
  wolfSSL_CTX_set_session_cache_mode(context, WOLFSSL_SESS_CACHE_NO_INTERNAL);
  if (config.session_cache == TLSRIG_NONE)
    wolfSSL_CTX_set_session_cache_mode(context, WOLFSSL_SESS_CACHE_OFF);
  else if (server)
    store = std::make_unique<SessionStore>(context, config.session_cache);
}

// A client asks for the size by the extension max_fragment_length (RFC 6066, 4), which a wolfSSL server obeys and
// cannot ask for; so writes are held to it on both sides.
void Context::set_record_size(std::uint32_t size) {
  const int code = size == 512    ? WOLFSSL_MFL_2_9
                   : size == 1024 ? WOLFSSL_MFL_2_10
                   : size == 2048 ? WOLFSSL_MFL_2_11
                   : size == 4096 ? WOLFSSL_MFL_2_12
                                  : 0;
  if (!code)
    throw Unsupported("wolfssl sends records of at most 512, 1024, 2048 or 4096 bytes; record_size_max is " +
                      std::to_string(size));
  if (!server && wolfSSL_CTX_UseMaxFragment(pointer.get(), static_cast<unsigned char>(code)) != WOLFSSL_SUCCESS)
    throw Unsupported("wolfssl was built without max_fragment_length");
}

}  // namespace tlsrig::wolfssl
