add_executable(test_rig ${CMAKE_CURRENT_LIST_DIR}/rig.cpp ${CMAKE_CURRENT_LIST_DIR}/rig_proof.cpp)
target_link_libraries(test_rig PRIVATE tlsrig_rig doctest::doctest tlsrig_options)
add_test(NAME rig COMMAND test_rig)
set_tests_properties(rig PROPERTIES TIMEOUT 30)
