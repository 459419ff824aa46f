# The backends of this tree. How one is built is in core/sdk/add_backend.cmake, for projects outside too; what only this
# tree does to its own is here.
#
#   tlsrig_skip_backend(NAME REASON)               the library is missing: a line in the summary
#   tlsrig_ship_backends()                         once all are there: warnings, sanitizers, and where they lie
include(${PROJECT_SOURCE_DIR}/core/sdk/add_backend.cmake)
define_property(GLOBAL PROPERTY TLSRIG_BACKENDS BRIEF_DOCS "Backends that are built")
define_property(GLOBAL PROPERTY TLSRIG_SKIPPED_BACKENDS BRIEF_DOCS "Backends left out, each with its reason")

function(tlsrig_skip_backend name reason)
  set_property(GLOBAL APPEND PROPERTY TLSRIG_SKIPPED_BACKENDS "${name} (${reason})")
endfunction()

function(tlsrig_ship_backends)
  get_property(backends GLOBAL PROPERTY TLSRIG_BACKENDS)
  foreach(name IN LISTS backends)
    target_link_libraries(${name} PRIVATE tlsrig_options)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/tlsrig)
    if(TLSRIG_SANITIZERS)  # a sanitizer's run-time functions lie in the program; the last -z counts
      target_link_options(${name} PRIVATE -Wl,-z,undefs)
    endif()
  endforeach()
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
