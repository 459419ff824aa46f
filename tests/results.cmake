# Results as files: read back, found consistent, put together.
add_executable(test_results ${CMAKE_CURRENT_LIST_DIR}/results_read.cpp ${CMAKE_CURRENT_LIST_DIR}/results_consistency.cpp ${CMAKE_CURRENT_LIST_DIR}/results_merge.cpp)
target_link_libraries(test_results PRIVATE tlsrig_judge tlsrig_options doctest::doctest)
target_compile_definitions(test_results PRIVATE TLSRIG_SOURCE="${PROJECT_SOURCE_DIR}")
add_test(NAME results COMMAND test_results)
set_tests_properties(results PROPERTIES TIMEOUT 60)
