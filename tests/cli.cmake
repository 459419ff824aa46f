# What the commands are made of, and thresholds, without a run.
add_executable(test_cli ${CMAKE_CURRENT_LIST_DIR}/cli.cpp ${CMAKE_CURRENT_LIST_DIR}/cli_outcome.cpp
               ${CMAKE_CURRENT_LIST_DIR}/check_trial.cpp ${CMAKE_CURRENT_LIST_DIR}/check_children.cpp
               ${CMAKE_CURRENT_LIST_DIR}/judge_thresholds.cpp)
target_link_libraries(test_cli PRIVATE tlsrig_cli tlsrig_options doctest::doctest)
add_test(NAME cli COMMAND test_cli)
set_tests_properties(cli PROPERTIES TIMEOUT 60)
