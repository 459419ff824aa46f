// Where a plugin's code was when its process ended under it: at a fatal signal, at an exit, at an exception that nobody
// caught; or when it is asked, because a call does not return.
//
// A slot is known by the stack, not by a note that every call would have to leave: a measured loop pays nothing. Where
// the stack does not tell (a slot that ends in a jump to another function, a library that cannot be unwound), the
// report says so and does not guess.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/host/elf.hpp>
#include <tlsrig/host/fault_report.hpp>
#include <tlsrig/host/loaded_files.hpp>

namespace tlsrig::host {

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

}  // namespace tlsrig::host
