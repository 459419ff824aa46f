// What `tlsrig check` found, step by step.
#pragma once

#include <string>
#include <vector>

#include <tlsrig/check/step.hpp>
#include <tlsrig/check/trial/call_trace.hpp>
#include <tlsrig/check/trial/message.hpp>

namespace tlsrig::check {

// One step over one transport and version: "pieces-of-1/wire/1.3"; or one of the plugin as a whole: "load".
struct Finding {
  std::string step;                // "pieces-of-1"
  std::string transport, version;  // "wire", "1.3"; "none" for a plain backend; both empty: of the plugin as a whole
  Outcome outcome;
  std::string law, cure;  // what the contract says, what the writer is to do
  std::string where;      // "client read(), call 17 (TLS 1.3, wire)"; empty where no call was made
  bool not_run = false;   // an earlier step of its combination has failed, or the time was over
  double seconds = 0;
  std::string output;             // what the plugin printed, cut
  std::vector<TracedCall> calls;  // the latest, oldest first

  std::string name() const { return transport.empty() ? step : step + "/" + transport + "/" + version; }
};

// Whether a verdict is one for which the plugin is found wanting.
inline bool is_fault(Verdict verdict) {
  return verdict == Verdict::fail || verdict == Verdict::crash || verdict == Verdict::exit || verdict == Verdict::hang;
}

// A plugin judged.
struct Judged {
  Json plugin;                    // path, and of a plugin that has started: name, library, build, files, ...
  std::vector<Finding> findings;  // in the order in which they are to be read
  bool loadable = true;           // false: nothing of the contract could be judged
  double seconds = 0;
};

}  // namespace tlsrig::check
