# What one run says of another, and what an arm's blocks say of each other.
add_executable(test_compare ${CMAKE_CURRENT_LIST_DIR}/compare.cpp ${CMAKE_CURRENT_LIST_DIR}/compare_program.cpp
                            ${CMAKE_CURRENT_LIST_DIR}/judge_flags.cpp ${CMAKE_CURRENT_LIST_DIR}/judge_metrics.cpp)
target_link_libraries(test_compare PRIVATE tlsrig_judge tests_support doctest::doctest tlsrig_options)
target_compile_definitions(test_compare PRIVATE TLSRIG_SOURCE="${PROJECT_SOURCE_DIR}")
add_test(NAME compare COMMAND test_compare)
set_tests_properties(compare PROPERTIES TIMEOUT 120)
