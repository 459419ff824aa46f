# Every shipped scenario through the program, shortened, an entry each. Of those with many cells the first and the last
# size stand for all.
get_property(scenario_backends GLOBAL PROPERTY TLSRIG_BACKENDS)
list(JOIN scenario_backends " " scenario_backends)
add_executable(test_program_scenarios ${CMAKE_CURRENT_LIST_DIR}/program_scenarios.cpp)
target_link_libraries(test_program_scenarios PRIVATE tests_support doctest::doctest tlsrig_options)

file(GLOB scenario_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenarios/*.toml)
foreach(file IN LISTS scenario_files)
  cmake_path(GET file STEM name)
  set(filter "")
  set(block 20ms)
  if(name MATCHES "^(secure-pair|socket-vs-engine|socket-vs-engine-server|engine-wrap|engine-operations)$")
    set(filter "message_size=(2B|64B|1MiB|4KiB)")
  elseif(name STREQUAL engine)
    set(filter "operation=handshake|message_size=(64B|64KiB)")
  endif()
  # Of large messages a slow library takes few in so short a time, and without TCP_NODELAY a stream may pause for 40 ms.
  if(name MATCHES "^(secure-pair|echo-ciphers|socket-vs-engine|socket-vs-engine-server)$")
    set(block 150ms)
  endif()
  add_test(NAME scenarios.${name} COMMAND test_program_scenarios)
  set_tests_properties(scenarios.${name} PROPERTIES TIMEOUT 240 ENVIRONMENT
    "TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials;SCENARIO_FILE=${file};SCENARIO_FILTER=${filter};SCENARIO_BLOCK=${block};SCENARIO_BACKENDS=${scenario_backends}")
endforeach()

# That the script for the long pipe finds what is there to find; 10 GiB are its own.
string(REPLACE " " "," scenario_backends "${scenario_backends}")
add_test(NAME scenarios.exact-pipe COMMAND ${PROJECT_SOURCE_DIR}/scripts/exact-pipe 16MiB
  --program $<TARGET_FILE:tlsrig> -b ${scenario_backends} -o ${PROJECT_BINARY_DIR}/exact-pipe)
set_tests_properties(scenarios.exact-pipe PROPERTIES TIMEOUT 120 ENVIRONMENT
  "TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials")
