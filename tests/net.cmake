# Descriptors, sockets, epoll and timers.
add_executable(test_net ${CMAKE_CURRENT_LIST_DIR}/net.cpp)
target_link_libraries(test_net PRIVATE tlsrig_net tlsrig_measure doctest::doctest tlsrig_options)
foreach(part descriptors sockets events)
  add_test(NAME net.${part} COMMAND test_net --test-suite=net.${part})
  set_tests_properties(net.${part} PROPERTIES TIMEOUT 30)
endforeach()
