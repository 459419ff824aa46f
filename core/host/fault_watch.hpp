// Where a plugin's code was when its process ended under it: at a fatal signal, at an exit, at an exception that nobody
// caught; or when it is asked, because a call does not return.
//
// A slot is known by the stack, not by a note that every call would have to leave: a measured loop pays nothing. Where
// the stack does not tell (a slot that ends in a jump to another function, a library that cannot be unwound), the
// report says so and does not guess.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/host/elf.hpp>
#include <tlsrig/host/loaded_files.hpp>

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

// The signal at which a watched process reports where it is, and goes on.
int look_signal();

// From now on this process writes its first fault into `report`, which must stay in place to the end. Once per process,
// before its threads and plugins: signal handlers are given nothing but what is static.
void watch_faults(FaultReport& report);

// From now on an exit is no fault: the process ends because it is done.
void expect_exit();

// A plugin is being loaded as long as this lives: code of it that runs now is a constructor. One at a time; the path
// outlives it.
class LoadingMark {
 public:
  explicit LoadingMark(const std::filesystem::path& plugin);
  ~LoadingMark();
  LoadingMark(const LoadingMark&) = delete;
  LoadingMark& operator=(const LoadingMark&) = delete;
};

using NamedFunction = std::pair<std::string, const void*>;

// Lets reports know these functions of a loaded plugin, its file and those that it needs. `elf` is the plugin's file.
void watch_functions(const LoadedFiles& loaded, const LoadedFile& plugin, const ElfFile& elf,
                     const std::vector<NamedFunction>& functions);

// The slots of a table by name, in its order.
std::vector<NamedFunction> slots_of(const tlsrig_backend& table);

// Whether the report has all that it will have.
bool is_whole(const FaultReport& report);

// What happened, in words that follow the name of a role; meanwhile: what was being done. "crashed (SIGSEGV) in read,
// in code of /usr/lib/libcrypto.so.3 (step slice)". Nothing while the report is not whole.
std::string fault_words(const FaultReport& report, std::string_view meanwhile);

}  // namespace tlsrig::host
