# Certificates: what is in them, how they are kept, and what goes wrong.
add_executable(test_credentials credentials.cpp credentials_failures.cpp)
target_link_libraries(test_credentials PRIVATE tlsrig_credentials doctest::doctest tlsrig_options)
foreach(part contents cache failures)
  add_test(NAME credentials.${part} COMMAND test_credentials --test-suite=credentials.${part})
  set_tests_properties(credentials.${part} PROPERTIES TIMEOUT 120)
endforeach()
