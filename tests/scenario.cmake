# Scenario files: faults, plans, overrides, the reference of keys.
foreach(topic errors overrides plan reference units)
  add_executable(scenario_${topic}_test ${PROJECT_SOURCE_DIR}/tests/scenario_${topic}.cpp)
  target_link_libraries(scenario_${topic}_test PRIVATE tlsrig_scenario tlsrig_options doctest::doctest)
  target_compile_definitions(scenario_${topic}_test PRIVATE TLSRIG_SCENARIOS="${PROJECT_SOURCE_DIR}/scenarios")
  add_test(NAME scenario.${topic} COMMAND scenario_${topic}_test)
  set_tests_properties(scenario.${topic} PROPERTIES TIMEOUT 60)
endforeach()
