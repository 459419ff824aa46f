// A lane of the engine: a client and a server session of one thread, joined by two flat buffers. What one side writes
// the other reads where it lies: the output window of the writer is the input window of the reader, and no byte is
// copied by the lane, unless engine.buffers asks for copies (staging.hpp).
//
// Operations take a Watch (watch.hpp), and those on payload the policy of buffers: each is compiled for every
// combination that is used, so that the measured loops decide nothing per message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <tlsrig/host/resumption.hpp>
#include <tlsrig/host/session.hpp>
#include <tlsrig/workloads/engine/staging.hpp>
#include <tlsrig/workloads/engine/watch.hpp>
#include <tlsrig/workloads/failure.hpp>
#include <tlsrig/workloads/layout.hpp>
#include <tlsrig/workloads/pattern.hpp>
#include <tlsrig/workloads/proof.hpp>
#include <tlsrig/workloads/role_counts.hpp>
#include <tlsrig/workloads/wire_reader.hpp>

namespace tlsrig::workloads {

// A context for each side.
struct ContextPair {
  host::Context client, server;
};

ContextPair make_contexts(const Assignment& assignment);

// Of each flat buffer: enough for the longest flight of a handshake, and for a dozen full records.
inline constexpr std::size_t flow_size = 262144;

// What a lane's handshakes settled, as each side tells it.
struct ProofPair {
  ProofTally client, server;
};

class alignas(64) Lane {
 public:
  // contexts: shared with other lanes or the lane's own; empty: every connection makes its own. The assignment outlives
  // the lane.
  Lane(const Assignment& assignment, std::uint32_t number, std::shared_ptr<const ContextPair> contexts);

  // Whether what goes over the flat buffers is read on its way: handshakes always, messages in exchange_verified. On at
  // first; off for measuring.
  void observe(bool on) { observing_ = on; }

  // Opens both sessions and handshakes until both are OK. Throws StepError, host::Unsupported, host::SetupError.
  template <class Watch>
  void open(Watch& watch);
  template <class Watch>
  void close(Watch& watch) noexcept;

  // Reads what the server has sent behind its handshake and keeps the newest ticket or session for `resume`. Throws
  // StepError when there is none.
  void take_ticket();

  // As open, offering the ticket kept, and takes the one for the next time: tickets of TLS 1.3 serve once (RFC 8446,
  // C.4). Throws StepError when the handshake was a full one.
  template <class Watch>
  void resume(Watch& watch);

  // Makes and destroys a context of each side, which no session of the lane uses. Throws host::Unsupported,
  // host::SetupError.
  template <class Watch>
  void new_contexts(Watch& watch);

  // Opens a session of each side, in the place of one that is open, and closes it. Throws likewise.
  template <class Watch>
  void new_sessions(Watch& watch);

  // Takes in the tickets that a server has sent behind its handshake, and tells what was settled.
  void settle(ProofPair& proof);

  // Tickets that the client has read on the open connection; nothing when its library does not tell.
  std::optional<std::uint32_t> tickets_received() const;

  // close_notify both ways, each read to CLOSED.
  void close_in_order();

  // Sends one message and takes it in.
  template <Buffers policy, class Watch>
  void wrap_unwrap(Watch& watch);

  // Sends one message whose records are thrown away. Afterwards the server can read nothing more of this connection: it
  // has missed records.
  template <Buffers policy>
  void wrap();

  // Wraps messages until the records of the next piece might exceed a batch; a message longer than a batch is wrapped
  // in parts. Then takes them in, and returns how many messages became whole.
  template <Buffers policy>
  void wrap_batch();
  template <Buffers policy>
  std::uint64_t unwrap_batch();

  // wrap_unwrap of the pattern, with every byte compared. Returns the bytes verified. Throws StepError("payload").
  template <Buffers policy>
  std::size_t exchange_verified();

  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes_in() const { return bytes_in_; }
  std::uint64_t bytes_out() const { return bytes_out_; }
  std::uint64_t wire_bytes_out() const { return bytes_to_server_; }
  // Handshakes, and what new_contexts and new_sessions have made.
  std::uint64_t connections() const { return handshakes_ + made_; }

  // What each side came to so far. There are no calls.
  WireCounts client_counts() const;
  WireCounts server_counts() const;

  // Of the measured loop, kept from slice to slice: how many operations it makes between two looks at the clock, and
  // which side they are for.
  std::uint32_t operations_per_look = 1;
  SideMeter meter;

 private:
  // One direction: a buffer, and the wires whose windows lie on it.
  struct Flow {
    measure::PlacedBuffer buffer;
    tlsrig_wire& writer;
    tlsrig_wire& reader;

    // Lays the windows onto the buffer, empty.
    void join() noexcept {
      reader.in = writer.out = buffer.data();
      writer.out_size = buffer.size();
      reader.in_ended = 0;
      clear();
    }
    // Shows the reader what the writer has put there.
    void show() const noexcept { reader.in_size = writer.out_used; }
    void clear() const noexcept { writer.out_used = reader.in_size = reader.in_used = 0; }
    bool all_used() const noexcept { return reader.in_used == writer.out_used; }
  };

  template <class Watch>
  void begin(Watch& watch);
  template <class Watch>
  void make_own_contexts(Watch& watch);
  void open_client();
  void open_server();
  template <class Watch>
  void handshake(Watch& watch);
  bool handshake_step(host::Session& session, const End& end, const Flow& outward, const Flow& inward, bool& done);
  void show(const Flow& flow, std::size_t from) noexcept;
  void read_nothing(host::Session& session, const End& end, const Flow& flow, tlsrig_result expected, const char* step);
  std::size_t& records_of(std::size_t piece) { return piece == TLSRIG_WRITE_MAX ? whole_records_ : last_records_; }
  template <Buffers policy>
  tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written);
  template <Buffers policy>
  tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size);
  template <Buffers policy>
  std::size_t write_pieces(std::size_t sent);
  template <Buffers policy>
  std::size_t read_pieces(std::size_t got, std::size_t sent);
  [[noreturn]] void fail_write(tlsrig_result result) const;
  [[noreturn]] void fail_read(tlsrig_result result) const;

  const Assignment& assignment_;
  const std::size_t message_size_;
  const End client_end_, server_end_;
  const Pattern pattern_;
  const host::ContextOptions client_options_, server_options_;
  const std::shared_ptr<const ContextPair> contexts_;  // empty: every connection has its own
  std::optional<host::Context> own_client_context_, own_server_context_;
  measure::PlacedBuffer message_, received_;
  tlsrig_wire client_wire_{}, server_wire_{};
  Flow to_server_, to_client_;
  Staging staging_;
  tlsrig_error client_error_{}, server_error_{};
  std::optional<host::Session> client_, server_;
  std::optional<host::Resumption> resumption_;  // of the client's backend
  host::Ticket ticket_;
  std::uint64_t pattern_offset_ = 0;
  std::size_t wrapped_ = 0, unwrapped_ = 0;  // bytes of the current message, between batches
  std::size_t batch_bytes_ = 0;              // payload bytes wrapped and not yet unwrapped
  std::uint64_t messages_ = 0, bytes_in_ = 0, bytes_out_ = 0, handshakes_ = 0, made_ = 0;
  std::uint64_t bytes_to_server_ = 0, bytes_to_client_ = 0;  // on the wire
  std::uint64_t bytes_thrown_away_ = 0;                      // of those to the server: it never saw them
  std::size_t whole_records_ = 0, last_records_ = 0;  // bytes that the last whole and the last shorter piece came to
  bool observing_ = true;
  WireReader reader_{TLSRIG_CLIENT};  // of the open connection: what one side sends is what the other gets
  WireCounts earlier_;                // records of the connections before
};

}  // namespace tlsrig::workloads
