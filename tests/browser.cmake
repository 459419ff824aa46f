# The HTML report in headless Chromium. Only with `ctest -C browser`, which `scripts/test --browser` calls: it needs a
# package that building and running do not.
add_executable(test_browser ${CMAKE_CURRENT_LIST_DIR}/browser/pages.cpp ${CMAKE_CURRENT_LIST_DIR}/browser/chromium.cpp)
target_link_libraries(test_browser PRIVATE tests_support tlsrig_report tlsrig_options doctest::doctest)
target_compile_definitions(test_browser PRIVATE TLSRIG_BROWSER_OUTPUT="${PROJECT_BINARY_DIR}/browser"
                           TLSRIG_BROWSER_PROBE="${CMAKE_CURRENT_LIST_DIR}/browser/probe.js")
add_test(NAME browser COMMAND test_browser CONFIGURATIONS browser)
# Alone: it measures, and Chromium takes both processors.
set_tests_properties(browser PROPERTIES TIMEOUT 180 RUN_SERIAL ON LABELS browser
                     ENVIRONMENT "TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials")
