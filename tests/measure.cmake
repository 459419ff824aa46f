# Histogram, clock, CPU time and buffer placement.
add_executable(test_measure ${CMAKE_CURRENT_LIST_DIR}/measure.cpp)
target_link_libraries(test_measure PRIVATE tlsrig_measure doctest::doctest tlsrig_options)
foreach(part histogram placement time)
  add_test(NAME measure.${part} COMMAND test_measure --test-suite=measure.${part})
  set_tests_properties(measure.${part} PROPERTIES TIMEOUT 30)
endforeach()
