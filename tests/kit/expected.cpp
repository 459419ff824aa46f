// The kit: what is bad, at which step it shows, and the words that its writer gets.
#include "expected.hpp"

namespace tlsrig::tests::kit {

namespace {

// A file that cannot be loaded: exit 2.
Expected refused(const char* number, const char* name, const char* step, const char* what) {
  return {.number = number, .name = name, .status = 2, .steps = {{step, "FAIL", what}}};
}

// A plugin that starts, and does not do what the contract says.
Expected wanting(const char* number, const char* name, std::vector<ExpectedStep> steps) {
  return {.number = number, .name = name, .steps = std::move(steps)};
}

// Around the openssl backend: not built without it.
Expected wrapping(const char* number, const char* name, std::vector<ExpectedStep> steps) {
  Expected row = wanting(number, name, std::move(steps));
  row.wraps = "openssl";
  return row;
}

// A plugin that works, and should not be as it is: exit 0.
Expected doubtful(const char* number, const char* name, const char* step, const char* what) {
  return {.number = number, .name = name, .status = 0, .verdict = "WARN", .steps = {{step, "WARN", what}}};
}

// A backend with nothing wrong: exit 0, nothing but PASS and SKIP; the steps are those whose words matter.
Expected control(const char* number, const char* name, std::vector<ExpectedStep> steps) {
  return {.number = number, .name = name, .status = 0, .verdict = "PASS", .steps = std::move(steps)};
}

Expected with_lines(Expected row, std::vector<std::string> lines) {
  row.lines = std::move(lines);
  return row;
}

Expected repeated(Expected row) {
  row.repeats = true;
  return row;
}

std::vector<Expected> files() {
  return {
      refused("P1", "no_entry", "entry",
              R"(exports no entry tlsrig_backend_v1; exported instead: bar, foo\..*extern "C")"),
      refused("P2", "entry_in_namespace", "entry",
              R"(tlsrig_backend_v1 without C linkage \(found _ZN3toy17tlsrig_backend_v1E\).*extern "C")"),
      refused("P2", "entry_is_local", "entry",
              R"(tlsrig_backend_v1 without C linkage \(found _ZL17tlsrig_backend_v1\).*extern "C")"),
      refused("P3", "text_file", "file",
              R"(is not a library: it begins with "This is no libra"; needed is an ELF shared library)"),
      refused("P3", "empty_file", "file", R"(is empty \(0 bytes\))"),
      refused("P3", "truncated", "file", "is truncated or damaged: .* lies beyond its 4000 bytes"),
      refused("P3", "other_machine", "file", "another machine: aarch64, 64-bit; needed is x86-64, 64-bit"),
      refused("P3", "thirty_two_bits", "file", "another machine: x86-64, 32-bit; needed is x86-64, 64-bit"),
      refused("P4", "undefined_symbol", "undefined-symbols",
              R"(undefined symbol not_there \(needed by .*undefined_symbol\.so\).*ldd -r)"),
      refused("P5", "missing_library", "needs",
              R"(libmissing\.so\.99.*not found.*LD_LIBRARY_PATH \(.*RUNPATH \(.*system's directories)"),
      refused("P6", "abi_too_high", "entry", "built for plugin ABI 2, this tlsrig speaks 1: rebuild .*nothing of it"),
      refused("P6", "abi_too_low", "entry", "built for plugin ABI 0, this tlsrig speaks 1: rebuild .*nothing of it"),
      refused("P7", "null_slot", "load", "the slot write is NULL; every slot of the table is required"),
      refused("E1", "table_too_small", "entry", "struct_size 88, this tlsrig needs at least 96"),
  };
}

std::vector<Expected> ends_of_the_process() {
  return {
      wanting(
          "P8", "crash_in_constructor",
          {{"load", "CRASH",
            R"(crashed \(SIGSEGV\) while .*crash_in_constructor\.so was being loaded: in a constructor)", "loading"}}),
      wanting("P9", "throw_in_start",
              {{"start", "FAIL", "an exception left start: no config; a backend catches it and answers ERROR",
                R"(start\(\))"}}),
      with_lines(
          repeated(wanting("P10", "null_pointer_in_handshake",
                           {{"conversation/wire/none", "CRASH", "SIGSEGV.*handshake.*address 0x0",
                             R"(client handshake\(\), call [0-9]+ \(.*wire\))"},
                            {"conversation/fd/none", "CRASH", "SIGSEGV.*handshake", R"(client handshake\(\))"},
                            {"pieces-of-1/wire/none", "SKIP", "not run: conversation must pass first"}})),
          {"^CRASH +conversation/wire/none$", "what .*SIGSEGV", R"(where +client handshake\(\), call )", "contract ",
           "cure ", "repeat +tlsrig check .*--step conversation/wire/none --seed 7 --in-process", "^FAIL "}),
      wanting("P11", "abort_on_own_thread",
              {{"conversation/wire/none", "CRASH",
                R"(SIGABRT.* on a thread that the plugin started \(named "worker"\).*the host was in client )"
                R"(handshake\(\), call)",
                R"(client handshake\(\))"}}),
      wanting("P12", "exit_in_start",
              {{"start", "EXIT",
                R"(ended the process by an exit in start .*exit status 0\): a backend answers ERROR instead)",
                R"(start\(\))"}}),
      wanting("E2", "crash_at_exit",
              {{"orderly-exit", "CRASH", R"(SIGSEGV.*crash_at_exit\.so.*the process came to its end)"},
               {"conversation/wire/none", "PASS", "plain"}}),
      wanting("E3", "exit_in_read",
              {{"conversation/wire/none", "EXIT",
                R"(ended the process by itself .*read\(\), call [0-9]+; exit status 0\), without a whole result)",
                R"((client|server) read\(\))"}}),
      wanting("E4", "throw_int_in_handshake",
              {{"conversation/wire/none", "CRASH",
                "let an exception out of handshake: int .*: a backend catches it and answers ERROR",
                R"(client handshake\(\))"}}),
      wanting("E9", "throw_in_describe",
              {{"conversation/wire/none", "CRASH", "let an exception out of describe: .*no facts",
                R"((client|server) describe\(\))"}}),
      wanting("E11", "escapes",
              {{"empty-write/wire/none", "CRASH", R"(write.*client write\(\), call)", R"(client write\(\))"},
               {"empty-write/fd/none", "CRASH", R"(write.*client write\(\), call)", R"(client write\(\))"},
               {"conversation/wire/none", "PASS", "plain"},
               {"write-of-64-kib/wire/none", "PASS", ""},
               {"write-of-64-kib/fd/none", "PASS", ""},
               {"orderly-exit", "PASS", ""},
               {"interop", "SKIP", "not TLS"}}),
  };
}

std::vector<Expected> hangs() {
  return {
      with_lines(
          wanting("P13", "busy_in_start",
                  {{"start", "HANG", R"(start\(\) did not come back within 10 s \(CPU time [0-9.]+ s: busy\).*Killed)",
                    R"(start\(\))"}}),
          {"^HANG +start$", R"(what +start\(\) did not come back within 10 s .*busy)", "contract ", "cure ",
           "repeat +tlsrig check .*--step start --seed 7 --in-process", "^FAIL "}),
      wanting("P14", "asleep_in_start",
              {{"start", "HANG", R"(start\(\) did not come back within 10 s \(CPU time 0\.0 s: waiting\).*SIGKILL)",
                R"(start\(\))"}}),
      wanting("E5", "hang_in_read",
              {{"conversation/wire/none", "HANG", R"(read\(\).* did not come back within 2 s .*waiting)",
                R"((client|server) read\(\))"}}),
      wanting("E6", "hang_in_close",
              {{"conversation/wire/none", "HANG", R"(close\(\).* did not come back within 2 s .*waiting)",
                R"((client|server) close\(\))"}}),
      wanting("E10", "hang_at_exit",
              {{"orderly-exit", "HANG",
                R"(did not come to its end after its step was done within 5 s .*waiting.*hang_at_exit\.so.*SIGKILL)",
                "an exit handler"},
               {"conversation/wire/none", "PASS", "plain"},
               {"conversation/fd/none", "PASS", "plain"}}),
      wanting("E12", "writes_to_all_descriptors",
              {{"conversation/wire/none", "HANG", R"(client handshake\(\), call [0-9]+ did not come back within 10 s)",
                R"(client handshake\(\))"},
               {"conversation/fd/none", "EXIT", "without a whole result of the step"},
               {"orderly-exit", "SKIP", "not run"}}),
  };
}

std::vector<Expected> traces_left() {
  return {
      doubtful("E7", "resets_sigpipe", "signals-untouched/wire/none",
               R"(start\(\), set SIGPIPE to its default: a peer that goes away would end the whole program)"),
      doubtful("E13", "leaves_process", "start", "left a process of its own behind"),
      doubtful("E14", "anchor_in_libc", "anchors",
               R"(no anchor lies in the plugin or in a library of its own \(.*libc\.so)"),
      doubtful("E8", "thirty_exports", "exports",
               R"(exports 30 symbols besides tlsrig_backend_v1 \((first|second|third)_[0-9].* and 27 more\))"),
  };
}

std::vector<Expected> laws() {
  return {
      wanting("P15", "wants_input_for_ever",
              {{"conversation/wire/none", "FAIL",
                R"(server handshake\(\).*WANT_READ with 517 of 517 bytes of in unused)", R"(server handshake\(\))"},
               {"conversation/fd/none", "FAIL", R"(server handshake\(\))", R"(server handshake\(\))"}}),
      with_lines(repeated(wanting(
                     "P16", "read_says_one_more",
                     {{"conversation/wire/none", "FAIL",
                       R"(read\(\) says 16385 bytes into a buffer of 16384; a guard byte behind it was overwritten)",
                       R"((client|server) read\(\), call [0-9]+ \()"}})),
                 {"^FAIL +conversation/wire/none$", R"(what +.*read\(\))", R"(where +.*read\(\), call )", "contract ",
                  "cure ", "repeat +tlsrig check .*--step conversation/wire/none --seed 7 --in-process", "^FAIL "}),
      wanting("P17", "bad_write_retry",
              {{"conversation/wire/none", "PASS", "plain"},
               {"blocked-write/wire/none", "FAIL", R"(client write\(\) .*bad write retry)", R"(client write\(\))"},
               {"blocked-write/fd/none", "FAIL", R"(client write\(\) .*bad write retry)", R"(client write\(\))"}}),
      wanting("P18", "dirty_error_queue",
              {{"conversation/wire/1.3", "PASS", "TLS 1.3"},
               {"bad-neighbours/wire/1.3", "FAIL",
                "after session A's garbage handshake on the same thread: .*an error that another session left behind",
                R"(handshake\(\))"},
               {"garbage-among-a-hundred/wire/1.3", "FAIL", "an error that another session left behind",
                R"(handshake\(\))"}}),
      wanting("P19", "only_whole_records",
              {{"pieces-of-5/wire/none", "PASS", ""},
               {"pieces-of-3/wire/none", "FAIL",
                R"(input comes 3 bytes at a time \(works from 5\): server handshake\(\))", R"(handshake\(\))"},
               {"pieces-of-1/wire/none", "FAIL",
                R"(input comes 1 byte at a time \(works from 5\): server handshake\(\))", R"(server handshake\(\))"}}),
      wanting(
          "P20", "leak_memory",
          {{"conversation/wire/none", "PASS", "plain"},
           {"flat-over-a-thousand/wire/none", "FAIL", R"(memory grows by 10\.[0-9] KB a session \(1,000 sessions\))"}}),
      wanting("P20", "leak_descriptor",
              {{"conversation/wire/none", "PASS", "plain"},
               {"flat-over-a-thousand/wire/none", "FAIL",
                "after 1,000 sessions, 1,000 descriptors are left open: /dev/null x 1,000"}}),
      wrapping("P21", "tls_1_2_as_1_3",
               {{"facts-as-on-the-wire/wire/1.3", "FAIL", "tells version 1.3, and .* shows 1.2"}}),
      wrapping("P21", "ignores_cipher",
               {{"facts-aes-128-gcm/wire/1.3", "FAIL",
                 "TLS_AES_128_GCM_SHA256 was asked for and the client tells TLS_AES_256_GCM_SHA384"}}),
      wrapping("P21", "no_encryption",
               {{"data-is-encrypted/wire/1.3", "FAIL", "found in clear on the way"},
                {"data-is-encrypted/fd/1.3", "FAIL", "found in clear on the way"}}),
  };
}

std::vector<Expected> controls() {
  const ExpectedStep over_wire = {"conversation/wire/none", "PASS", "plain"};
  const ExpectedStep over_socket = {"conversation/fd/none", "PASS", "plain"};
  return {
      control("G1", "plaintcp", {over_wire, over_socket}),
      control("G2", "good", {over_wire, over_socket, {"tampered-record/wire/none", "SKIP", "not TLS"}}),
      control("G3", "slow", {over_wire}),
      control("G5", "talkative",
              {over_wire,
               over_socket,
               {.name = "start",
                .verdict = "PASS",
                .what = "toy",
                .output = "^\\.+.*[(]10000000 bytes in all, 9995904 left out[)].*\\.+\n$"}}),
      control("G6", "longest_names", {over_wire, over_socket, {"start", "PASS", "n{64}, w{4000}"}}),
      control("G7", "wire_only", {over_wire}),
      control("G8", "newer_contract", {over_wire, over_socket}),
      control("G10", "prints_to_stdout",
              {over_wire,
               over_socket,
               {.name = "start", .verdict = "PASS", .what = "toy", .output = "no result of the host"}}),
  };
}

}  // namespace

const std::vector<Expected>& expected() {
  static const std::vector<Expected> all = [] {
    std::vector<Expected> rows = files();
    for (std::vector<Expected> more : {ends_of_the_process(), hangs(), traces_left(), laws(), controls()})
      rows.insert(rows.end(), more.begin(), more.end());
    return rows;
  }();
  return all;
}

}  // namespace tlsrig::tests::kit
