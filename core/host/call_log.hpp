// Who is told of the calls that a backend gets, while they are being made. Loading, start and contexts tell of
// themselves; a session's calls do not, since the one indirect call is all that a measured loop pays: whoever wants
// them told does so around the session.
#pragma once

#include <cstddef>

#include <tlsrig/abi/tlsrig.h>

namespace tlsrig::host {

// A call that begins.
struct CallBegin {
  const char* slot;                   // "read", "load"; outlives the log
  const char* who = "";               // "client"; copied
  std::size_t size = 0;               // capacity of a read, bytes of a write
  const tlsrig_wire* wire = nullptr;  // its windows, nullptr over a socket; looked at during the call alone
};

class CallLog {
 public:
  virtual ~CallLog() = default;

  // Returns what `end` is to be told. [any thread]
  virtual std::size_t begin(const CallBegin& call) noexcept = 0;

  // got: bytes that a read gave or a write took.
  virtual void end(std::size_t call, tlsrig_result result, std::size_t got, const tlsrig_wire* wire) noexcept = 0;

  // While it is paused, calls are not told: those that look into a fault would push out those that led to it.
  virtual void pause(bool paused) noexcept = 0;
};

class PausedLog {
 public:
  explicit PausedLog(CallLog* log) : log_(log) {
    if (log_) log_->pause(true);
  }
  PausedLog(const PausedLog&) = delete;
  PausedLog& operator=(const PausedLog&) = delete;
  ~PausedLog() {
    if (log_) log_->pause(false);
  }

 private:
  CallLog* log_;
};

// A call while it lives: begins with it and ends with it, by ERROR unless `ends` was told otherwise.
class LoggedCall {
 public:
  // log: nullptr for none.
  LoggedCall(CallLog* log, const CallBegin& call) : log_(log), wire_(call.wire), number_(log ? log->begin(call) : 0) {}
  LoggedCall(const LoggedCall&) = delete;
  LoggedCall& operator=(const LoggedCall&) = delete;
  ~LoggedCall() {
    if (log_) log_->end(number_, result_, got_, wire_);
  }

  tlsrig_result ends(tlsrig_result result, std::size_t got = 0) {
    got_ = got;
    return result_ = result;
  }

 private:
  CallLog* log_;
  const tlsrig_wire* wire_;
  std::size_t number_, got_ = 0;
  tlsrig_result result_ = TLSRIG_ERROR;
};

}  // namespace tlsrig::host
