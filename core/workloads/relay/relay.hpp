// The relay of pipe and echo: a third process between client and server. For each connection that it accepts (inbound)
// it opens one to the server (outbound), and forwards bytes both ways.
#pragma once

#include <memory>

#include <tlsrig/workloads/participant.hpp>

namespace tlsrig::workloads {

// Assignment.server plays the inbound legs, Assignment.client the outbound ones. Throws StepError for settings that it
// does not offer.
//
// Its totals: payload_bytes_in is what it read from, payload_bytes_out what it wrote to, both legs together; messages
// and the operations of "counts" are the payload forwarded in the direction of the messages (of echo: of the requests)
// in units of traffic.message_size. A connection that fails harms no other; its failure, the first one's words and the
// number of each kind, is thrown at the end of the step, in warm_up soon after it happened. Tickets are not told: those
// of the handshakes with the client are the client's to tell.
std::unique_ptr<Participant> make_relay(const Assignment& assignment);

}  // namespace tlsrig::workloads
