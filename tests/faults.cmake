# Plugins that come to grief in the real program.
function(faults_plugin name directory)
  add_library(${name} MODULE ${CMAKE_CURRENT_LIST_DIR}/fixtures/faults/fragile.cpp)
  target_link_libraries(${name} PRIVATE tlsrig_abi tlsrig_options Threads::Threads ${ARGN})
  target_link_options(${name} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/core/sdk/exports.version)
  set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME fragile CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/faults/${directory})
endfunction()
faults_plugin(faults_fragile whole)
faults_plugin(faults_stripped stripped)
target_link_options(faults_stripped PRIVATE -s)

add_executable(test_faults ${CMAKE_CURRENT_LIST_DIR}/faults.cpp)
target_link_libraries(test_faults PRIVATE tests_support doctest::doctest tlsrig_options Threads::Threads)
target_compile_definitions(test_faults PRIVATE
  FAULTS_PLUGIN="$<TARGET_FILE:faults_fragile>" FAULTS_STRIPPED="$<TARGET_FILE:faults_stripped>")
add_dependencies(test_faults tlsrig faults_fragile faults_stripped)
foreach(part none crashes exits exceptions sizes output hangs)
  add_test(NAME faults.${part} COMMAND test_faults --test-suite=faults.${part} --no-skip)
  set_tests_properties(faults.${part} PROPERTIES TIMEOUT 120
    ENVIRONMENT "TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials")
endforeach()
