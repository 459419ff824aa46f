// What the loaded wolfSSL is and has. It tells its version and nothing of its build, so the rest is looked for: ciphers
// by trying their names, AES instructions in its code.
#include "library.hpp"

#include <link.h>
#include <strings.h>
#include <wolfssl/wolfcrypt/ecc.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tlsrig/sdk/failure.hpp>

namespace tlsrig::wolfssl {
namespace {

// Those that a certificate with an ECDSA or RSA key can use and that keep their bytes secret.
constexpr const char* cipher_names[] = {
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_CCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CCM",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA256",
};

constexpr Group known_groups[] = {
    {"x25519", WOLFSSL_ECC_X25519, 32},
    {"secp256r1", WOLFSSL_ECC_SECP256R1, 32},
    {"secp384r1", WOLFSSL_ECC_SECP384R1, 48},
    {"secp521r1", WOLFSSL_ECC_SECP521R1, 66},
};

#ifdef WOLFSSL_AESNI
#define TLSRIG_WOLFSSL_AESNI "on"
#else
#define TLSRIG_WOLFSSL_AESNI "off"
#endif
#ifdef USE_INTEL_SPEEDUP
#define TLSRIG_WOLFSSL_SPEEDUP "on"
#else
#define TLSRIG_WOLFSSL_SPEEDUP "off"
#endif
constexpr const char* compiled_against =
    "compiled against headers of " LIBWOLFSSL_VERSION_STRING " (options.h: AES-NI " TLSRIG_WOLFSSL_AESNI
    ", Intel assembly " TLSRIG_WOLFSSL_SPEEDUP "); hardware AES: ";

struct Search {
  std::uintptr_t anchor;
  bool found_library = false;
  bool found_instruction = false;
};

// AESENC is 66 [REX] 0F 38 DC (Intel SDM, volume 2). Its VEX form need not be looked for: wolfSSL's AVX code for GCM
// exists only in builds that have the plain AES-NI code too.
bool has_aesenc(const std::uint8_t* code, std::size_t size) noexcept {
  for (std::size_t i = 0; i + 5 <= size; ++i) {
    if (code[i] != 0x66) continue;
    const std::uint8_t* next = code + i + 1;
    if ((*next & 0xF0) == 0x40) ++next;
    if (next[0] == 0x0F && next[1] == 0x38 && next[2] == 0xDC) return true;
  }
  return false;
}

int look_into(dl_phdr_info* object, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (search.anchor < begin || search.anchor - begin >= segment.p_memsz) continue;
    search.found_library = true;
    search.found_instruction = has_aesenc(reinterpret_cast<const std::uint8_t*>(begin), segment.p_filesz);
    return 1;
  }
  return 0;
}

// The macro WOLFSSL_AESNI of the headers does not settle it: the library loaded may be another build.
const char* hardware_aes(const void* anchor) noexcept {
#if defined(__x86_64__)
  Search search{reinterpret_cast<std::uintptr_t>(anchor)};
  dl_iterate_phdr(look_into, &search);
  if (!search.found_library) return "unknown";
  return search.found_instruction && __builtin_cpu_supports("aes") ? "yes" : "no";
#else
  (void)anchor;
  return "unknown";
#endif
}

}  // namespace

Library::Library() : anchors_{reinterpret_cast<const void*>(&wolfSSL_CTX_new), nullptr}, build_(compiled_against) {
  if (const int code = wolfSSL_Init(); code != WOLFSSL_SUCCESS)
    throw sdk::Failure(TLSRIG_ERROR_OTHER, "wolfSSL_Init failed", code);
  const ContextPointer probe(wolfSSL_CTX_new(wolfSSLv23_client_method()));
  if (!probe) throw sdk::Failure(TLSRIG_ERROR_OTHER, "wolfSSL_CTX_new failed");
  for (const char* name : cipher_names)
    if (wolfSSL_CTX_set_cipher_list(probe.get(), name) == WOLFSSL_SUCCESS) ciphers_.push_back(name);
  for (const Group& known : known_groups) groups_.push_back(known.name);
  build_ += hardware_aes(anchors_[0]);
  if (std::strcmp(LIBWOLFSSL_VERSION_STRING, wolfSSL_lib_version()) != 0)
    build_ += "; headers: " LIBWOLFSSL_VERSION_STRING;
  ciphers_.push_back(nullptr);
  groups_.push_back(nullptr);
  info_ = {sizeof(tlsrig_info),
           sizeof(tlsrig_config),
           "wolfssl",
           wolfSSL_lib_version(),
           build_.c_str(),
           anchors_,
           TLSRIG_TLS_1_2 | TLSRIG_TLS_1_3,
           TLSRIG_WIRE | TLSRIG_FD,
           ciphers_.data(),
           groups_.data()};
}

bool Library::has_cipher(const char* iana_name) const noexcept {
  for (const char* name : ciphers_)
    if (name && !std::strcmp(name, iana_name)) return true;
  return false;
}

const Group* Library::group(const char* name) noexcept {
  for (const Group& known : known_groups)
    if (!strcasecmp(known.name, name)) return &known;
  return nullptr;
}

void own_curve_cache() noexcept {
  struct Cache {
    void touch() noexcept {}
    ~Cache() { wc_ecc_fp_free(); }
  };
  static thread_local Cache cache;
  cache.touch();  // the first use in a thread is what makes its destructor run at the thread's end
}

const Library& library() {
  static const Library started;
  return started;
}

}  // namespace tlsrig::wolfssl
