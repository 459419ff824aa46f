// What steps and the interop table have in common about resumption: settings, tickets, and what the wire says.
#pragma once

#include <memory>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/records/flight_reader.hpp>

namespace tlsrig::check {

enum class Means { session_id, ticket };  // TLS 1.3 has tickets alone

// The settings with one way to resume and not the other. count: tickets, or sessions that the server holds.
Settings resumable(Settings settings, Means means, std::uint32_t count);

// The client reads all that the server has sent after its handshake; no data may be there.
void read_tickets(Bench& bench);

// Bytes that the server has sent so far.
std::size_t server_bytes(Bench& bench);

// What the server's first flight says, read from the bytes that it sent.
records::Flight flight_of(Bench& bench);

// As the extension's calls, in the log of the client's calls.
tlsrig_result take(const host::Resumption& resumption, End& client, host::Ticket& ticket);
std::uint32_t tickets_received(const host::Resumption& resumption, const End& client);

// Takes a ticket of the client, which must have one.
host::Ticket taken(const host::Resumption& resumption, End& client);

// A bench whose handshake is done and whose tickets are read. ticket: what the client offers, if anything.
std::unique_ptr<Bench> settled_bench(const Contexts& contexts, const BenchOptions& options, const char* server_name,
                                     host::Ticket* ticket = nullptr);

// Fails unless both sides and the wire say that the session was resumed, or that it was not.
void require_resumed(Bench& bench, bool resumed, const char* what);

// A full handshake of the pair and then one that resumes it, each with data and an orderly end.
Outcome resume(const Pair& pair, Means means);

}  // namespace tlsrig::check
