# Proof by counting: the records and flights of core/records, the counted calls of core/net, what the proof makes of both,
# and the counts against those of strace.
function(tlsrig_counting_fixture name source)
  add_library(counting_${name} MODULE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fixtures/counting/${source})
  target_link_libraries(counting_${name} PRIVATE tlsrig_sdk tlsrig_options ${CMAKE_DL_LIBS})
  set_target_properties(counting_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/counting)
  target_link_options(counting_${name} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/core/sdk/exports.version)
endfunction()
tlsrig_counting_fixture(lying lying.c)
tlsrig_counting_fixture(raw_calls raw_calls.cpp)

add_executable(test_counting
  ${CMAKE_CURRENT_LIST_DIR}/counting.cpp ${CMAKE_CURRENT_LIST_DIR}/counting_records.cpp
  ${CMAKE_CURRENT_LIST_DIR}/counting_calls.cpp ${CMAKE_CURRENT_LIST_DIR}/counting_proof.cpp)
target_link_libraries(test_counting PRIVATE tlsrig_rig tests_support doctest::doctest tlsrig_options)
target_compile_definitions(test_counting PRIVATE
  TLSRIG_TEST_PLUGINS="${PROJECT_BINARY_DIR}/lib/tlsrig" TLSRIG_TEST_FIXTURES="${PROJECT_BINARY_DIR}/tests/counting")
add_dependencies(test_counting counting_lying counting_raw_calls tlsrig)

foreach(suite records calls proof)
  add_test(NAME counting.${suite} COMMAND test_counting --test-suite=counting.${suite})
  set_tests_properties(counting.${suite} PROPERTIES TIMEOUT 120
    ENVIRONMENT TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials)
endforeach()

foreach(backend plaintcp openssl boringssl wolfssl gnutls)
  if(TARGET ${backend})
    add_dependencies(test_counting ${backend})
  endif()
  foreach(transport fd wire)
    if(TLSRIG_SANITIZERS)  # their run-time makes system calls of its own
      continue()
    endif()
    add_test(NAME counting.strace.${backend}.${transport} COMMAND test_counting --strace ${backend} ${transport})
    set_tests_properties(counting.strace.${backend}.${transport} PROPERTIES TIMEOUT 60 SKIP_RETURN_CODE 77
      ENVIRONMENT TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials)
  endforeach()
endforeach()

add_test(NAME counting.exports COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DPROGRAM=$<TARGET_FILE:tlsrig>
  -P ${PROJECT_SOURCE_DIR}/cmake/CheckCountedCalls.cmake)
set_tests_properties(counting.exports PROPERTIES TIMEOUT 30)

# The calls go on to AddressSanitizer's, which goes on checking: a buffer that is too small must be found.
if(TLSRIG_SANITIZERS MATCHES address)
  add_test(NAME counting.overflow COMMAND test_counting --overflow)
  set_tests_properties(counting.overflow PROPERTIES TIMEOUT 30 PASS_REGULAR_EXPRESSION "heap-buffer-overflow")
endif()
