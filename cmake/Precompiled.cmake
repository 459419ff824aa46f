# The standard library's and other projects' headers that most files include, compiled once: reading them is most of the
# time of a build. Never a header of this project, which would undo the rule that a box sees only what it links; and a
# file includes what it uses as if this were not here: with -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON, as the preset tsan
# has it, every file must compile, and on its own.
#
#   tlsrig_precompile(NAME LINKS ... HEADERS ...)          the headers' own target, compiled when first needed
#   tlsrig_use_precompiled(TARGET NAME)                    TARGET has the same options, or the compiler refuses

# ccache takes a precompiled header only when told that its time stamps may differ and macros are not all known, and
# when the preprocessor leaves a mark of it; otherwise it compiles every file anew.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "(^|/)ccache$" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CMAKE_CXX_COMPILER_LAUNCHER})
  set(TLSRIG_PRECOMPILE_OPTIONS -fpch-preprocess)
endif()

function(tlsrig_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 headers "" "" "LINKS;HEADERS")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing: a library has a source.\n")
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE tlsrig_options ${headers_LINKS})
  target_compile_options(${name} PRIVATE ${TLSRIG_PRECOMPILE_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${headers_HEADERS})
endfunction()

function(tlsrig_use_precompiled target name)
  target_precompile_headers(${target} REUSE_FROM ${name})
  target_compile_options(${target} PRIVATE ${TLSRIG_PRECOMPILE_OPTIONS})
endfunction()

set(TLSRIG_STANDARD_HEADERS
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <iterator> <map>
  <memory> <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <system_error> <utility> <vector>)
