// Where a plugin's code was when its process ended under it. What runs in a signal handler here takes no lock and no
// memory: it reads what was laid out when the plugin was loaded.
#include <tlsrig/host/fault_watch.hpp>

#include <cxxabi.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace tlsrig::host {

namespace {

constexpr std::array fatal_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

struct Range {
  std::uint64_t begin = 0, end = 0;
  bool holds(std::uint64_t address) const { return address >= begin && address < end; }
};

struct CodeFile {
  std::string path;
  std::vector<Range> segments;
  std::uint64_t base = 0;  // what is added to an address as linked
  bool holds(std::uint64_t address) const {
    for (const Range& segment : segments)
      if (segment.holds(address)) return true;
    return false;
  }
};

struct WatchedFunction {
  std::string name;
  std::uint64_t address = 0;
  std::vector<Range> code;  // as its file's symbols tell; empty in a stripped file
};

// Made when functions are watched, read by handlers, never changed, never freed: plugins are never unloaded.
struct WatchedPlugin {
  CodeFile file;
  std::vector<CodeFile> libraries;
  std::vector<WatchedFunction> functions;
  const WatchedPlugin* next = nullptr;
};

// A handler is given a signal's number and no more, so what it needs is static.
struct State {
  std::atomic<FaultReport*> report{nullptr};
  std::atomic<const WatchedPlugin*> plugins{nullptr};
  std::atomic<const char*> loading{nullptr};
  std::atomic<bool> exit_expected{false};
  CodeFile program, c_library;
  std::array<struct sigaction, fatal_signals.size()> before{};
  alignas(16) std::array<char, 65536> stack{};
};
// Never destroyed: a library may still crash when the program's own static objects are gone.
State& state = *new State;

template <std::size_t size>
void put(char (&to)[size], const char* text) {
  std::strncpy(to, text, size - 1);
  to[size - 1] = '\0';
}

CodeFile code_of(const LoadedFile& loaded) {
  CodeFile file{loaded.path.string(), {}, loaded.base};
  for (const auto& [begin, end] : loaded.segments) file.segments.push_back({begin, end});
  return file;
}

// A walk up the stack of the calling thread.
struct Walk {
  bool from_signal = false;  // begin at the code that the signal interrupted, else at the caller of this program's code
  bool entered = false;
  bool program_seen = false;
  bool innermost_seen = false;
  bool ended_in_c_library = false;            // reached the bottom: where the C library starts a thread
  const CodeFile* innermost = nullptr;        // of the innermost code
  std::uint64_t innermost_offset = 0;         // of that code in its file
  std::uint64_t plugin_offset = 0;            // of the innermost code of a plugin; 0: none seen
  const WatchedPlugin* plugin = nullptr;      // of the outermost code of a plugin
  const WatchedFunction* function = nullptr;  // which that code is; nullptr: another function of the plugin
};

const CodeFile* file_of(std::uint64_t address) {
  for (const auto* plugin = state.plugins.load(); plugin; plugin = plugin->next) {
    if (plugin->file.holds(address)) return &plugin->file;
    for (const CodeFile& library : plugin->libraries)
      if (library.holds(address)) return &library;
  }
  if (state.c_library.holds(address)) return &state.c_library;
  return state.program.holds(address) ? &state.program : nullptr;
}

// The compiler moves what it thinks is rare away from a function, so its code is more than one range; a stripped file
// has only its unwind tables, which tell where the function around an address begins.
const WatchedFunction* function_at(const WatchedPlugin& plugin, std::uint64_t address, std::uint64_t function_begin) {
  for (const WatchedFunction& function : plugin.functions) {
    if (function.address == function_begin) return &function;
    for (const Range& range : function.code)
      if (range.holds(address)) return &function;
  }
  return nullptr;
}

void take_frame(Walk& walk, std::uint64_t address, std::uint64_t function_begin) {
  if (!walk.innermost_seen) {
    walk.innermost = file_of(address);
    if (walk.innermost) walk.innermost_offset = address - walk.innermost->base;
  }
  walk.innermost_seen = true;
  walk.program_seen |= state.program.holds(address);
  walk.ended_in_c_library = state.c_library.holds(address);
  const WatchedPlugin* in = nullptr;
  for (const auto* plugin = state.plugins.load(); plugin; plugin = plugin->next) {
    if (walk.plugin_offset == 0 && plugin->file.holds(address)) walk.plugin_offset = address - plugin->file.base;
    if (const WatchedFunction* const function = function_at(*plugin, address, function_begin)) {
      walk.plugin = plugin;
      walk.function = function;
      return;
    }
    if (!in && plugin->file.holds(address)) in = plugin;
  }
  if (!in) return;
  walk.plugin = in;
  walk.function = nullptr;
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* into) {
  Walk& walk = *static_cast<Walk*>(into);
  int interrupted = 0;  // the address is that of an instruction, not behind a call
  const std::uint64_t address = _Unwind_GetIPInfo(context, &interrupted);
  if (address == 0) return _URC_NO_REASON;  // behind the outermost
  const std::uint64_t inside = interrupted ? address : address - 1;
  if (!walk.entered) walk.entered = walk.from_signal ? interrupted != 0 : !state.program.holds(inside);
  if (walk.entered) take_frame(walk, inside, _Unwind_GetRegionStart(context));
  return _URC_NO_REASON;
}

// A call of a function that is not there has no frame that could be walked, but has left the address behind the call on
// the stack. For the walk the thread is put back to its caller.
Walk walk_up_from_signal(void* interrupted) {
  Walk walk;
  walk.from_signal = true;
#if defined(__x86_64__)
  auto& registers = static_cast<ucontext_t*>(interrupted)->uc_mcontext.gregs;
  const greg_t program_counter = registers[REG_RIP], stack_pointer = registers[REG_RSP];
  if (!file_of(static_cast<std::uint64_t>(program_counter))) {
    const std::uint64_t caller = *reinterpret_cast<const std::uint64_t*>(stack_pointer) - 1;
    if (file_of(caller)) {
      registers[REG_RIP] = static_cast<greg_t>(caller);
      registers[REG_RSP] = stack_pointer + static_cast<greg_t>(sizeof caller);
    }
  }
  _Unwind_Backtrace(visit, &walk);
  registers[REG_RIP] = program_counter;
  registers[REG_RSP] = stack_pointer;
#else
  (void)interrupted;
  _Unwind_Backtrace(visit, &walk);
#endif
  return walk;
}

Walk walk_up() {
  Walk walk;
  _Unwind_Backtrace(visit, &walk);
  return walk;
}

bool on_main_thread() { return ::gettid() == ::getpid(); }

void tell_place(FaultReport& report, const Walk& walk) {
  const char* const loading = state.loading.load();
  if (walk.innermost && (report.cause == FaultReport::Cause::signal || report.cause == FaultReport::Cause::asked)) {
    put(report.file, walk.innermost->path.c_str());
    report.offset = walk.innermost_offset;
    report.plugin_offset = walk.plugin_offset;
  }
  if (!on_main_thread() && !walk.program_seen && walk.ended_in_c_library) {
    report.place = FaultReport::Place::plugin_thread;
    ::prctl(PR_GET_NAME, report.thread);
  } else if (walk.function) {
    report.place = FaultReport::Place::function;
    put(report.function, walk.function->name.c_str());
  } else if (walk.plugin) {
    report.place = FaultReport::Place::plugin;
  } else if (loading) {
    report.place = FaultReport::Place::loading;
  } else if (walk.innermost == &state.program) {
    report.place = FaultReport::Place::runner;
  }
  if (walk.plugin)
    put(report.plugin, walk.plugin->file.path.c_str());
  else if (loading)
    put(report.plugin, loading);
}

// info: of a signal, nullptr for other causes.
void tell(FaultReport::Cause cause, const siginfo_t* info, const Walk& walk, const char* words) {
  FaultReport* const report = state.report.load();
  std::uint32_t nothing = 0;
  if (!report || !report->stage.compare_exchange_strong(nothing, 1)) return;
  report->cause = cause;
  if (info) {
    report->signal = info->si_signo;
    report->has_address = info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS);
    if (report->has_address) report->address = reinterpret_cast<std::uint64_t>(info->si_addr);
  }
  put(report->words, words);
  tell_place(*report, walk);
  report->stage.store(2);
}

// The handler that was there before (the default, or a sanitizer's) has the last word: it ends the process.
void on_fatal_signal(int signal, siginfo_t* info, void* interrupted) {
  for (std::size_t i = 0; i < fatal_signals.size(); ++i)
    if (fatal_signals[i] == signal) ::sigaction(signal, &state.before[i], nullptr);
  tell(FaultReport::Cause::signal, info, walk_up_from_signal(interrupted), "");
  // One that was sent, or that is met behind its instruction, does not come again by itself.
  if (info->si_code <= 0 || signal == SIGTRAP || signal == SIGSYS) ::raise(signal);
}

// Only a thread that is in a plugin's code has something to say.
void on_look(int, siginfo_t*, void* interrupted) {
  const Walk walk = walk_up_from_signal(interrupted);
  if (walk.plugin || (state.loading.load() && on_main_thread())) tell(FaultReport::Cause::asked, nullptr, walk, "");
}

void on_exit_of_process() {
  if (!state.exit_expected.load()) tell(FaultReport::Cause::exit, nullptr, walk_up(), "");
}

std::string words_of_exception() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (!type) return {};
  int failed = 0;
  char* const readable = abi::__cxa_demangle(type->name(), nullptr, nullptr, &failed);
  std::string words = readable ? readable : type->name();
  std::free(readable);
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::exception& exception) {
    words += fmt::format(" \"{}\"", exception.what());
  } catch (...) {
  }
  return words;
}

[[noreturn]] void on_terminate() {
  const Walk walk = walk_up();
  tell(FaultReport::Cause::exception, nullptr, walk, words_of_exception().c_str());
  std::abort();
}

// "NAME.cold" is the part of NAME that the compiler has moved away.
std::vector<Range> code_of(const WatchedFunction& function, const std::vector<ElfSymbol>& symbols, std::uint64_t base) {
  std::vector<Range> ranges;
  std::vector<std::string_view> names;
  for (const ElfSymbol& symbol : symbols)
    if (symbol.defined && symbol.type == STT_FUNC && base + symbol.value == function.address)
      names.push_back(symbol.name);
  for (const ElfSymbol& symbol : symbols) {
    if (!symbol.defined || symbol.type != STT_FUNC) continue;
    for (const std::string_view name : names)
      if (symbol.name.starts_with(name) &&
          (symbol.name.size() == name.size() ? base + symbol.value == function.address
                                             : symbol.name.substr(name.size()).starts_with(".cold")))
        ranges.push_back({base + symbol.value, base + symbol.value + symbol.size});
  }
  return ranges;
}

}  // namespace

int look_signal() { return SIGUSR2; }

void watch_faults(FaultReport& report) {
  const LoadedFiles loaded;
  if (const LoadedFile* const program = loaded.program()) state.program = code_of(*program);
  if (const LoadedFile* const library = loaded.find(reinterpret_cast<const void*>(&::getpid)))
    state.c_library = code_of(*library);
  state.report.store(&report);

  const stack_t stack{state.stack.data(), 0, state.stack.size()};
  ::sigaltstack(&stack, nullptr);  // of this thread alone: the others' overflows are known by their signal only
  struct sigaction action {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigset_t watched;
  ::sigemptyset(&watched);
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) {
    ::sigaction(fatal_signals[i], &action, &state.before[i]);
    ::sigaddset(&watched, fatal_signals[i]);
  }
  action.sa_sigaction = on_look;
  action.sa_flags |= SA_RESTART;
  ::sigaction(look_signal(), &action, nullptr);
  ::sigaddset(&watched, look_signal());
  ::sigprocmask(SIG_UNBLOCK, &watched, nullptr);
  std::set_terminate(on_terminate);
  std::atexit(on_exit_of_process);
}

void expect_exit() { state.exit_expected.store(true); }

LoadingMark::LoadingMark(const std::filesystem::path& plugin) { state.loading.store(plugin.c_str()); }

LoadingMark::~LoadingMark() { state.loading.store(nullptr); }

std::vector<NamedFunction> slots_of(const tlsrig_backend& table) {
  const auto code = [](auto function) { return reinterpret_cast<const void*>(function); };
  return {{"start", code(table.start)},
          {"create_context", code(table.create_context)},
          {"destroy_context", code(table.destroy_context)},
          {"open", code(table.open)},
          {"close", code(table.close)},
          {"handshake", code(table.handshake)},
          {"read", code(table.read)},
          {"write", code(table.write)},
          {"shutdown", code(table.shutdown)},
          {"describe", code(table.describe)},
          {"extension", code(table.extension)}};
}

void watch_functions(const LoadedFiles& loaded, const LoadedFile& plugin, const ElfFile& elf,
                     const std::vector<NamedFunction>& functions) {
  const std::vector<ElfSymbol> symbols = elf.debug_symbols();
  auto* const watched = new WatchedPlugin{code_of(plugin), {}, {}, state.plugins.load()};
  for (const LoadedFile* const library : own_files(loaded, plugin))
    if (library != &plugin) watched->libraries.push_back(code_of(*library));
  for (const auto& [name, address] : functions) {
    WatchedFunction function{name, reinterpret_cast<std::uint64_t>(address), {}};
    function.code = code_of(function, symbols, plugin.base);
    watched->functions.push_back(std::move(function));
  }
  state.plugins.store(watched);
}

}  // namespace tlsrig::host
