# The HTML report, by its text.
add_executable(test_report_html ${CMAKE_CURRENT_LIST_DIR}/report_html.cpp ${CMAKE_CURRENT_LIST_DIR}/report_html_parts.cpp
                                ${CMAKE_CURRENT_LIST_DIR}/report_html_plots.cpp)
target_link_libraries(test_report_html PRIVATE tlsrig_report tlsrig_options doctest::doctest)
add_test(NAME report.html COMMAND test_report_html)
set_tests_properties(report.html PROPERTIES TIMEOUT 60)
