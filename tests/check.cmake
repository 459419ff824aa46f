# Tests of `tlsrig check` through the program: every backend that tlsrig ships is without a fault and without a warning,
# by name and with all that were built as its peers; and the command's flags.
if(TLSRIG_SANITIZERS)
  # The plugins of the kit are not built there. The steps themselves are run there by conformance.* and interop.*.
  message(STATUS "Tests left out: check.* (a sanitizer slows each step's process, and its deadlines with it; "
                 "conformance.* runs the same steps)")
  return()
endif()

get_property(check_backends GLOBAL PROPERTY TLSRIG_BACKENDS)
set(check_tls_backends ${check_backends})
list(REMOVE_ITEM check_tls_backends plaintcp)
foreach(backend plaintcp openssl boringssl wolfssl gnutls)
  set(peers ${check_tls_backends})
  list(REMOVE_ITEM peers ${backend})
  add_test(NAME check.${backend} COMMAND test_kit --shipped ${backend} ${peers})
  set_tests_properties(check.${backend} PROPERTIES TIMEOUT 120 LABELS check SKIP_RETURN_CODE 77
    ENVIRONMENT TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials)
endforeach()

list(JOIN check_tls_backends " " words)
add_executable(test_check ${CMAKE_CURRENT_LIST_DIR}/check_program.cpp)
target_link_libraries(test_check PRIVATE tests_support doctest::doctest tlsrig_options)
target_compile_definitions(test_check PRIVATE KIT_PLUGINS="${PROJECT_BINARY_DIR}/tests/kit"
  TLS_BACKENDS="${words}" CHECK_REFERENCE="${PROJECT_SOURCE_DIR}/core/check/README.md")
add_dependencies(test_check tlsrig plaintcp kit_hang_in_read kit_resets_sigpipe kit_wire_only ${check_backends})
add_test(NAME check.program COMMAND test_check)
set_tests_properties(check.program PROPERTIES TIMEOUT 120 LABELS check
  ENVIRONMENT TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials)
list(LENGTH check_tls_backends count)
if(count LESS 2)
  message(STATUS "Tests left out: one case of check.program (no two backends with TLS are built)")
endif()
