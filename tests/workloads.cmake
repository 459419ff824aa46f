# The workloads, in one process: the parts, then engine, echo, stream and relay with each backend, then with a backend
# that has faults.
add_library(workloads_faulty MODULE ${CMAKE_CURRENT_LIST_DIR}/workloads_faulty.cpp)
target_link_libraries(workloads_faulty PRIVATE tlsrig_sdk tlsrig_options)
set_target_properties(workloads_faulty PROPERTIES PREFIX "" OUTPUT_NAME faulty CXX_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/workloads)
target_link_options(workloads_faulty PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/core/sdk/exports.version)

add_executable(test_workloads
  ${CMAKE_CURRENT_LIST_DIR}/workloads.cpp ${CMAKE_CURRENT_LIST_DIR}/workloads_parts.cpp
  ${CMAKE_CURRENT_LIST_DIR}/workloads_engine.cpp ${CMAKE_CURRENT_LIST_DIR}/workloads_echo.cpp
  ${CMAKE_CURRENT_LIST_DIR}/workloads_engine_buffers.cpp ${CMAKE_CURRENT_LIST_DIR}/workloads_engine_made.cpp
  ${CMAKE_CURRENT_LIST_DIR}/workloads_stream.cpp ${CMAKE_CURRENT_LIST_DIR}/workloads_stream_failures.cpp
  ${CMAKE_CURRENT_LIST_DIR}/workloads_failures.cpp
  ${CMAKE_CURRENT_LIST_DIR}/workloads_relay.cpp ${CMAKE_CURRENT_LIST_DIR}/workloads_relay_ends.cpp
  ${CMAKE_CURRENT_LIST_DIR}/workloads_relay_support.cpp)
target_link_libraries(test_workloads PRIVATE tlsrig_workloads tlsrig_credentials doctest::doctest tlsrig_options)
target_compile_definitions(test_workloads PRIVATE
  TLSRIG_TEST_PLUGINS="${PROJECT_BINARY_DIR}/lib/tlsrig" TLSRIG_TEST_FAULTY="$<TARGET_FILE:workloads_faulty>")
add_dependencies(test_workloads workloads_faulty)

# A process of its own per backend, as in a run. A backend that is not built is skipped, by name.
function(tlsrig_workloads_test name suite backend)
  add_test(NAME workloads.${name} COMMAND test_workloads --test-suite=workloads.${suite})
  set_tests_properties(workloads.${name} PROPERTIES TIMEOUT 240 SKIP_RETURN_CODE 77
    ENVIRONMENT "TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials;TLSRIG_TEST_BACKEND=${backend}")
endfunction()

tlsrig_workloads_test(parts parts "")
tlsrig_workloads_test(failures failures "")
foreach(backend plaintcp openssl boringssl wolfssl gnutls)
  tlsrig_workloads_test(engine.${backend} engine ${backend})
  tlsrig_workloads_test(echo.${backend} echo ${backend})
  tlsrig_workloads_test(stream.${backend} stream ${backend})
  tlsrig_workloads_test(relay.${backend} relay ${backend})
  if(TARGET ${backend})
    add_dependencies(test_workloads ${backend})
  endif()
endforeach()
