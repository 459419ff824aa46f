# What the SDK enforces once for every backend: session laws, set-up failures as answers, hosts of another age.
add_executable(test_sdk ${CMAKE_CURRENT_LIST_DIR}/sdk.cpp ${CMAKE_CURRENT_LIST_DIR}/sdk_extensions.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sdk_setup.cpp)
target_link_libraries(test_sdk PRIVATE tlsrig_sdk tlsrig_options doctest::doctest)
foreach(suite laws setup extensions)
  add_test(NAME sdk.${suite} COMMAND test_sdk --test-suite=sdk.${suite})
  set_tests_properties(sdk.${suite} PROPERTIES TIMEOUT 10 LABELS contract)
endforeach()
