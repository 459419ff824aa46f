# Scenario files: faults, certificate files, plans, JSON, overrides, variants, the reference of keys.
foreach(topic errors files json overrides plan reference relay thresholds units variants)
  add_executable(test_scenario_${topic} ${PROJECT_SOURCE_DIR}/tests/scenario_${topic}.cpp)
  target_link_libraries(test_scenario_${topic} PRIVATE tlsrig_scenario tlsrig_options doctest::doctest)
  target_compile_definitions(test_scenario_${topic} PRIVATE TLSRIG_SCENARIOS="${PROJECT_SOURCE_DIR}/scenarios")
  add_test(NAME scenario.${topic} COMMAND test_scenario_${topic})
  set_tests_properties(scenario.${topic} PROPERTIES TIMEOUT 60)
endforeach()
