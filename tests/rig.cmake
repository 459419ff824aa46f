add_executable(rig_test ${CMAKE_CURRENT_LIST_DIR}/rig.cpp)
target_link_libraries(rig_test PRIVATE tlsrig_rig doctest::doctest tlsrig_options)
add_test(NAME rig COMMAND rig_test)
set_tests_properties(rig PROPERTIES TIMEOUT 30)
