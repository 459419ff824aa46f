# Bad scenario files in the real program.
add_executable(test_bad_scenarios ${CMAKE_CURRENT_LIST_DIR}/bad_scenarios.cpp)
target_link_libraries(test_bad_scenarios PRIVATE tests_support doctest::doctest tlsrig_options)
add_dependencies(test_bad_scenarios tlsrig)
add_test(NAME bad-scenarios COMMAND test_bad_scenarios)
set_tests_properties(bad-scenarios PROPERTIES TIMEOUT 60
  ENVIRONMENT "TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials")
