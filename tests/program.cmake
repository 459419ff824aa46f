add_library(tests_support STATIC ${CMAKE_CURRENT_LIST_DIR}/support/program.cpp)
target_include_directories(tests_support PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_compile_definitions(tests_support PUBLIC
  TLSRIG_PROGRAM="$<TARGET_FILE:tlsrig>" TLSRIG_PLUGINS="${PROJECT_BINARY_DIR}/lib/tlsrig")
target_link_libraries(tests_support PUBLIC nlohmann_json::nlohmann_json PRIVATE tlsrig_options)

add_executable(test_program ${CMAKE_CURRENT_LIST_DIR}/program.cpp ${CMAKE_CURRENT_LIST_DIR}/program_control.cpp
               ${CMAKE_CURRENT_LIST_DIR}/program_relay.cpp
               ${CMAKE_CURRENT_LIST_DIR}/program_reports.cpp ${CMAKE_CURRENT_LIST_DIR}/program_variants.cpp)
target_link_libraries(test_program PRIVATE tests_support doctest::doctest tlsrig_options)
add_test(NAME program COMMAND test_program)
# Alone: it measures, and it counts the program's processes.
set_tests_properties(program PROPERTIES TIMEOUT 240 RUN_SERIAL ON ENVIRONMENT "TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials")
