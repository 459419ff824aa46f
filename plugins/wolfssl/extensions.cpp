// What sessions of wolfSSL can do beyond the table of the contract.
#include <cstring>

#include <tlsrig/abi/pending.h>
#include <tlsrig/sdk/backend.hpp>

#include "session.hpp"

namespace tlsrig::wolfssl {
namespace {

using Slots = sdk::Slots<Context, Session>;

constexpr tlsrig_pending pending_table{[](tlsrig_session* session) { return Slots::held(session).session.pending(); }};

}  // namespace

const void* Context::extension(const char* name) noexcept {
  return std::strcmp(name, TLSRIG_PENDING) ? nullptr : &pending_table;
}

}  // namespace tlsrig::wolfssl
