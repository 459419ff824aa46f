# What a result comes to in words, and in the forms that need no other program: terminal, CSV, Markdown, Google
# Benchmark's JSON.
add_executable(test_findings ${CMAKE_CURRENT_LIST_DIR}/findings.cpp
                             ${CMAKE_CURRENT_LIST_DIR}/findings_reasons.cpp ${CMAKE_CURRENT_LIST_DIR}/report_csv.cpp
                             ${CMAKE_CURRENT_LIST_DIR}/report_google_benchmark.cpp
                             ${CMAKE_CURRENT_LIST_DIR}/report_markdown.cpp ${CMAKE_CURRENT_LIST_DIR}/report_sides.cpp
                             ${CMAKE_CURRENT_LIST_DIR}/report_text.cpp ${CMAKE_CURRENT_LIST_DIR}/report_withheld.cpp)
target_compile_definitions(test_findings
                           PRIVATE TLSRIG_SCIPY_STAND_IN="${CMAKE_CURRENT_LIST_DIR}/support/scipy_stand_in")
target_link_libraries(test_findings PRIVATE tlsrig_report tlsrig_options doctest::doctest Threads::Threads)
add_test(NAME report.findings COMMAND test_findings --test-case-exclude=csv:*,google_benchmark:*,markdown:*,text:*)
add_test(NAME report.csv COMMAND test_findings --test-case=csv:*)
add_test(NAME report.google_benchmark COMMAND test_findings --test-case=google_benchmark:*)
add_test(NAME report.markdown COMMAND test_findings --test-case=markdown:*)
add_test(NAME report.text COMMAND test_findings --test-case=text:*)
set_tests_properties(report.findings report.csv report.text report.markdown report.google_benchmark PROPERTIES TIMEOUT 60)
