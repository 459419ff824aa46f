// From a session's error to the words that an arm fails with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::workloads {

// Which end of which connection something happened to.
struct End {
  std::string_view backend;
  std::string_view role;
  std::uint32_t connection = 0;
};

// Throws StepError (UNSUPPORTED: host::Unsupported) with the session's own words, "openssl client connection 3: ...
// (handshake)". step: what was being done.
[[noreturn]] void fail_session(const End& end, tlsrig_result result, const tlsrig_error& error, std::string_view step);

// Throws StepError of this kind, worded like the above.
[[noreturn]] void fail_end(const End& end, std::string kind, std::string_view words, std::string_view step);

// Throws StepError("payload"): the byte at `offset` of the stream that `connection` received is not what was sent.
[[noreturn]] void fail_payload(const End& end, std::uint64_t offset, std::uint8_t expected, std::uint8_t found);

}  // namespace tlsrig::workloads
