// What a process tells of the fault that ended it, or of the call that it does not come back from, and in what words.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace tlsrig::host {

// What a process leaves behind. It lies in memory that another process shares, so that it outlives its writer; all of
// it is written once, by the first fault.
struct FaultReport {
  enum class Cause : std::int32_t { none, signal, exit, exception, asked };
  enum class Place : std::int32_t {
    unknown,
    function,       // a slot, or a function of an extension: `function` names it
    plugin,         // code of the plugin, in a call that is not known
    plugin_thread,  // on a thread that the runner has not started
    loading,        // while the plugin was being loaded: a constructor
    runner,         // no code of a plugin was running on this thread
  };

  std::atomic<std::uint32_t> stage{0};  // 0: nothing, 1: being written, 2: whole
  Cause cause = Cause::none;
  std::int32_t signal = 0;
  Place place = Place::unknown;
  char function[32] = {};           // "read", "resumption.take"
  char plugin[256] = {};            // path; of `loading`, `function` and `plugin`
  char file[256] = {};              // signal, asked: whose code ran; empty: not known
  std::uint64_t offset = 0;         // in that file, as linked: what addr2line(1) takes
  std::uint64_t plugin_offset = 0;  // of the innermost code of the plugin itself; 0: not known
  char thread[16] = {};             // plugin_thread: its name
  std::uint64_t address = 0;        // signal: that was not to be reached; with has_address
  bool has_address = false;
  char words[240] = {};  // exception: its type and text
};

// Whether the report has all that it will have.
bool is_whole(const FaultReport& report);

// What happened, in words that follow the name of a role; meanwhile: what was being done. "crashed (SIGSEGV) in read,
// in code of /usr/lib/libcrypto.so.3 (step slice)". Nothing while the report is not whole.
std::string fault_words(const FaultReport& report, std::string_view meanwhile);

// ", in code of /usr/lib/libc.so.6+0xd3dd0, called from mylib.so+0x1950"; nothing where it is not known.
std::string code_words(const FaultReport& report);

}  // namespace tlsrig::host
