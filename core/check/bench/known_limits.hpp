// What a library is known to be unable to do where its backend cannot answer UNSUPPORTED, because it shows too late or
// at the peer. Each entry is a library's own limit, by name; a backend of another name fails the step.
#pragma once

#include <tlsrig/check/step.hpp>

namespace tlsrig::check {

enum class Limit {
  no_alert_for_a_missing_certificate,  // the server ends without an alert
  handshake_in_small_records,          // a message split over many records is refused
  refused_ticket_is_fatal,             // a client whose ticket is not accepted takes the full handshake for a fault
  verification_lost_with_a_ticket,     // the server does not know whom it had verified
};

// Skips the step, in words, when the limit is known of this backend and protocol.
void skip_if_known(Limit limit, const Setup& setup, const std::string& seen = {});

}  // namespace tlsrig::check
