add_executable(test_stats ${CMAKE_CURRENT_LIST_DIR}/stats.cpp ${CMAKE_CURRENT_LIST_DIR}/stats_shift.cpp
                          ${CMAKE_CURRENT_LIST_DIR}/stats_simulation.cpp)
# Half the time of a run; the precompiled headers are not optimised, and the compiler takes no others.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/stats_simulation.cpp PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
target_link_libraries(test_stats PRIVATE tlsrig_stats tlsrig_options doctest::doctest)
add_test(NAME stats COMMAND test_stats --test-suite-exclude=simulation)
set_tests_properties(stats PROPERTIES TIMEOUT 60)
add_test(NAME stats.simulation COMMAND test_stats --test-suite=simulation)
set_tests_properties(stats.simulation PROPERTIES TIMEOUT 300)
