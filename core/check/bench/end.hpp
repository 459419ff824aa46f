// One end of a bench: a session whose every call is checked against the laws that hold for all calls: input used up
// before WANT_READ, `out` full before WANT_WRITE, outputs written on OK only, nothing written outside a buffer or
// struct or into what is only lent, words with every ERROR. A call that breaks one throws Failed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/check/bench/flow.hpp>
#include <tlsrig/check/bench/guard.hpp>
#include <tlsrig/check/bench/port.hpp>
#include <tlsrig/host/resumption.hpp>
#include <tlsrig/host/session.hpp>

namespace tlsrig::check {

class End {
 public:
  // who: "client"; incoming and outgoing are borrowed and outlive the end. ticket: what to offer, consumed; nullptr:
  // nothing. Throws what host::Session throws.
  End(std::string who, const host::Context& context, std::unique_ptr<Port> port, const char* server_name,
      Flow& incoming, Flow& outgoing, host::Ticket* ticket = nullptr);
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  ~End() { close(); }

  // As the contract's calls. Input is offered before and output collected after each. UNSUPPORTED throws
  // host::Unsupported.
  tlsrig_result handshake();
  tlsrig_result read(std::size_t capacity, std::vector<std::uint8_t>& got);       // appends to got
  tlsrig_result write(std::span<const std::uint8_t> data, std::size_t& written);  // at another address each time
  tlsrig_result shutdown();

  // After handshake was OK.
  tlsrig_facts describe() const;

  // For a call that a step makes by itself: it is in the log like those above while what is returned lives.
  host::LoggedCall logged(const char* slot, std::size_t size = 0) const {
    return {log_, {slot, who_.c_str(), size, wire()}};
  }

  // Takes what is still in the transport; returns how many bytes came.
  std::size_t collect();

  // Collects after all that was sent so far has arrived, however slow the sockets are.
  std::size_t collect_all();

  // The runner's end of the TCP direction: the peer reads to the end.
  void finish();

  // Frees the session.
  void close();

  const std::string& who() const { return who_; }
  const tlsrig_error& error() const { return *error_; }
  tlsrig_session* session() const { return session_->get(); }
  Port& port() { return *port_; }
  Flow& incoming() { return *incoming_; }
  const Flow& incoming() const { return *incoming_; }
  Flow& outgoing() { return *outgoing_; }

  // Grows whenever this end gets anywhere: bytes used, bytes sent, a call that answered other than WANT_*.
  std::uint64_t progress() const { return progress_; }

  tlsrig_result last_result() const { return last_.result; }

  // Whether the last call asked to be repeated.
  bool waits() const { return last_.result == TLSRIG_WANT_READ || last_.result == TLSRIG_WANT_WRITE; }

  // Whether it waits for input while nothing is under way.
  bool starved() const { return last_.result == TLSRIG_WANT_READ && last_.offered == 0 && incoming_->waiting() == 0; }

  // What this end has done so far with the answer OK.
  struct Deeds {
    bool handshake = false, shutdown = false;
    std::uint64_t written = 0, read = 0;     // bytes of data
    std::uint64_t sent_after_handshake = 0;  // bytes on the way
  };
  const Deeds& deeds() const { return deeds_; }

  // What this end waits for: "handshake() asked for input 100 times without using any; 517 bytes were offered each
  // time".
  std::string state() const;

  // "client read() answered ERROR (TRUNCATED: ...)". An end as an argument of `require` gives these words of its last
  // call when they are needed, not before the call in the condition was made.
  std::string last_words() const;

 private:
  template <class Call>
  tlsrig_result checked(const char* name, std::size_t size, const std::size_t* got, Call&& call);
  const tlsrig_wire* wire() const { return port_->transport().wire; }
  void note(const char* name, tlsrig_result result, std::size_t offered);
  void refuse_misfit(tlsrig_result result, bool closed_fits, bool unsupported_fits) const;
  [[noreturn]] void accuse(const std::string& what, const Rule& broken) const;

  struct LastCall {
    const char* name = "open";
    tlsrig_result result = TLSRIG_OK;
    std::size_t offered = 0;
    unsigned in_vain = 0;  // times in a row without getting anywhere
  };

  std::string who_;
  const tlsrig_backend* table_;
  host::CallLog* log_;
  std::unique_ptr<Port> port_;
  Flow* incoming_;
  Flow* outgoing_;
  Guarded<tlsrig_error> error_;
  std::optional<host::Session> session_;  // goes before the port and the error, which it uses
  std::vector<std::uint8_t> copy_;        // what the last write was given, between guard bytes
  LastCall last_;
  Deeds deeds_;
  std::uint64_t progress_ = 0;
  unsigned shutdowns_ = 0;  // calls
};

}  // namespace tlsrig::check

template <>
struct fmt::formatter<tlsrig::check::End> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const tlsrig::check::End& end, Context& context) const {
    return fmt::formatter<std::string>::format(end.last_words(), context);
  }
};
