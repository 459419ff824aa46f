add_executable(test_stats ${CMAKE_CURRENT_LIST_DIR}/stats.cpp)
target_link_libraries(test_stats PRIVATE tlsrig_stats tlsrig_options doctest::doctest)
add_test(NAME stats COMMAND test_stats)
set_tests_properties(stats PROPERTIES TIMEOUT 60)
