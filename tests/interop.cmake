# Backends with each other, all in one process. Needs every TLS backend: with one missing it is skipped, by name.
add_executable(test_interop ${CMAKE_CURRENT_LIST_DIR}/interop.cpp)
target_link_libraries(test_interop PRIVATE tlsrig_check tlsrig_scenario tlsrig_options)

set(interop_backends openssl,boringssl,wolfssl,gnutls)
set(interop_plugins --plugins ${PROJECT_BINARY_DIR}/lib/tlsrig --backends ${interop_backends})
foreach(transport wire fd)
  add_test(NAME interop.${transport} COMMAND test_interop pairs ${interop_plugins} --transport ${transport}
    --tally ${PROJECT_BINARY_DIR}/conformance/interop.${transport}.txt)
  add_test(NAME interop.resumption.${transport} COMMAND test_interop resumption ${interop_plugins}
    --transport ${transport} --tally ${PROJECT_BINARY_DIR}/conformance/interop.resumption.${transport}.txt)
endforeach()
add_test(NAME interop.load-order COMMAND test_interop load-order --plugins ${PROJECT_BINARY_DIR}/lib/tlsrig
  --backends ${interop_backends},plaintcp)
set_tests_properties(interop.wire interop.fd interop.resumption.wire interop.resumption.fd interop.load-order PROPERTIES
  TIMEOUT 300 LABELS contract SKIP_RETURN_CODE 77 ENVIRONMENT TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials)

foreach(backend openssl boringssl wolfssl gnutls plaintcp)
  if(TARGET ${backend})
    add_dependencies(test_interop ${backend})
  endif()
endforeach()
