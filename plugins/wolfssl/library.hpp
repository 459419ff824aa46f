// What the loaded wolfSSL is and has, found out once.
#pragma once

#include <wolfssl/options.h>  // before every other header of the library: how it was built

#include <wolfssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

#include <tlsrig/abi/tlsrig.h>

namespace tlsrig::wolfssl {

struct Free {
  void operator()(WOLFSSL_CTX* context) const noexcept { wolfSSL_CTX_free(context); }
  void operator()(WOLFSSL* session) const noexcept { wolfSSL_free(session); }
};
using ContextPointer = std::unique_ptr<WOLFSSL_CTX, Free>;
using SessionPointer = std::unique_ptr<WOLFSSL, Free>;

struct Group {
  const char* name;  // IANA's and, but for case, the library's
  word16 id;
  word16 server_bytes;  // size of the key by which a TLS 1.2 server chooses it
};

class Library {
 public:
  // Starts wolfSSL; throws sdk::Failure.
  Library();
  Library(const Library&) = delete;

  const tlsrig_info& info() const noexcept { return info_; }
  bool has_cipher(const char* iana_name) const noexcept;
  // nullptr: there is none of that name, whose case does not matter.
  static const Group* group(const char* name) noexcept;

 private:
  const void* anchors_[2];
  std::vector<const char*> ciphers_, groups_;
  std::string build_;
  tlsrig_info info_;
};

// Gives the calling thread's cache of curve points back when the thread ends, which the library itself does not (1.6 MB
// a thread). To be called before a thread's first key operation; later calls do nothing.
void own_curve_cache() noexcept;

// The one of this process; started by the first call.
const Library& library();

}  // namespace tlsrig::wolfssl
