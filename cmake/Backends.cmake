# Backends: one shared library each, built from the contract and the SDK, exporting tlsrig_backend_v1 and nothing else.
#
#   tlsrig_add_backend(NAME SOURCES ... [LINKS ...] [RPATH DIR])
#   tlsrig_skip_backend(NAME REASON)               the library is missing: a line in the summary
define_property(GLOBAL PROPERTY TLSRIG_BACKENDS BRIEF_DOCS "Backends that are built")
define_property(GLOBAL PROPERTY TLSRIG_SKIPPED_BACKENDS BRIEF_DOCS "Backends left out, each with its reason")

function(tlsrig_add_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 backend "" "RPATH" "SOURCES;LINKS")
  set(script ${PROJECT_SOURCE_DIR}/core/sdk/exports.version)
  add_library(${name} MODULE ${backend_SOURCES})
  target_link_libraries(${name} PRIVATE tlsrig_sdk tlsrig_options ${backend_LINKS})
  target_link_options(${name} PRIVATE -Wl,--version-script=${script} -Wl,-z,nodelete
    -Wl,--enable-new-dtags)  # RUNPATH, which LD_LIBRARY_PATH goes before: variants need it
  if(NOT TLSRIG_SANITIZERS)  # a sanitizer's run-time functions lie in the program
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${script} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/tlsrig)
  if(backend_RPATH)
    set_target_properties(${name} PROPERTIES BUILD_RPATH ${backend_RPATH} INSTALL_RPATH ${backend_RPATH})
  endif()
  set_property(GLOBAL APPEND PROPERTY TLSRIG_BACKENDS ${name})
endfunction()

function(tlsrig_skip_backend name reason)
  set_property(GLOBAL APPEND PROPERTY TLSRIG_SKIPPED_BACKENDS "${name} (${reason})")
endfunction()

function(tlsrig_backend_summary)
  get_property(built GLOBAL PROPERTY TLSRIG_BACKENDS)
  get_property(skipped GLOBAL PROPERTY TLSRIG_SKIPPED_BACKENDS)
  list(JOIN built ", " built)
  message(STATUS "Backends: ${built}")
  foreach(line IN LISTS skipped)
    message(STATUS "Backend left out: ${line}")
  endforeach()
endfunction()
