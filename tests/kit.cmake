# Tests of `tlsrig check` on the kit: small plugins that each do one thing wrong, and controls that do nothing wrong.
# What check is to say of each stands in kit/expected.cpp; here they are built, and each gets a test entry.
if(TLSRIG_SANITIZERS)
  message(STATUS "Tests left out: kit.* (what crashes, exits or leaks is the sanitizer's to judge first)")
  return()
endif()

set(kit_directory ${CMAKE_CURRENT_LIST_DIR}/kit)
set(kit_output ${PROJECT_BINARY_DIR}/tests/kit)
set(kit_entries "")
add_custom_target(kit_plugins)

# An entry for a file that is there without being built here.
function(tlsrig_kit_entry name)
  add_test(NAME kit.${name} COMMAND test_kit ${name})
  set_tests_properties(kit.${name} PROPERTIES TIMEOUT 120 LABELS kit SKIP_RETURN_CODE 77
    ENVIRONMENT TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials)
  list(APPEND kit_entries ${name})
  set(kit_entries ${kit_entries} PARENT_SCOPE)
endfunction()

# tlsrig_kit(NAME [OPEN] [LINKS ...] [DEFINE ...])   plugins/NAME.c or .cpp; OPEN: linked without the version script
function(tlsrig_kit name)
  cmake_parse_arguments(PARSE_ARGV 1 kit "OPEN" "" "LINKS;DEFINE")
  set(source ${kit_directory}/plugins/${name}.c)
  if(NOT EXISTS ${source})
    set(source ${kit_directory}/plugins/${name}.cpp)
  endif()
  add_library(kit_${name} MODULE ${source})
  target_include_directories(kit_${name} PRIVATE ${kit_directory})
  target_link_libraries(kit_${name} PRIVATE tlsrig_abi tlsrig_options ${kit_LINKS})
  target_compile_definitions(kit_${name} PRIVATE _GNU_SOURCE TOY_NAME="${name}" ${kit_DEFINE})
  set_target_properties(kit_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${kit_output} SKIP_BUILD_RPATH ON)
  if(NOT kit_OPEN)
    target_link_options(kit_${name} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/core/sdk/exports.version)
  endif()
  add_dependencies(kit_plugins kit_${name})
  tlsrig_kit_entry(${name})
  set(kit_entries ${kit_entries} PARENT_SCOPE)
endfunction()

# There when missing_library is linked, and nowhere when it is loaded.
add_library(kit_missing SHARED ${kit_directory}/plugins/missing.c)
target_link_libraries(kit_missing PRIVATE tlsrig_options)
set_target_properties(kit_missing PROPERTIES OUTPUT_NAME missing SOVERSION 99
  LIBRARY_OUTPUT_DIRECTORY ${kit_output}/elsewhere)

# The files, before anything of them runs.
tlsrig_kit(no_entry OPEN)
tlsrig_kit(entry_in_namespace OPEN)
tlsrig_kit(entry_is_local OPEN)
foreach(name text_file empty_file truncated other_machine thirty_two_bits) # made of good by the test
  tlsrig_kit_entry(${name})
endforeach()
tlsrig_kit(undefined_symbol)
tlsrig_kit(missing_library LINKS kit_missing)
tlsrig_kit(abi_too_high)
tlsrig_kit(abi_too_low)
tlsrig_kit(table_too_small)
tlsrig_kit(null_slot)

# What they do to the process.
tlsrig_kit(crash_in_constructor)
tlsrig_kit(throw_in_start)
tlsrig_kit(throw_int_in_handshake)
tlsrig_kit(throw_in_describe)
tlsrig_kit(null_pointer_in_handshake)
tlsrig_kit(abort_on_own_thread LINKS Threads::Threads)
tlsrig_kit(exit_in_start)
tlsrig_kit(exit_in_read)
tlsrig_kit(crash_at_exit)
tlsrig_kit(hang_at_exit)
tlsrig_kit(busy_in_start)
tlsrig_kit(asleep_in_start)
tlsrig_kit(hang_in_read)
tlsrig_kit(hang_in_close)
tlsrig_kit(escapes LINKS Threads::Threads)
tlsrig_kit(writes_to_all_descriptors)
tlsrig_kit(resets_sigpipe)
tlsrig_kit(leaves_process)
tlsrig_kit(anchor_in_libc)
tlsrig_kit(thirty_exports OPEN)

# What the contract forbids.
tlsrig_kit(wants_input_for_ever)
tlsrig_kit(read_says_one_more)
tlsrig_kit(bad_write_retry)
tlsrig_kit(dirty_error_queue)
tlsrig_kit(only_whole_records)
tlsrig_kit(leak_memory)
tlsrig_kit(leak_descriptor)
foreach(name tls_1_2_as_1_3 ignores_cipher no_encryption) # a true backend with one untruth
  if(TARGET openssl)
    tlsrig_kit(${name} LINKS ${CMAKE_DL_LIBS} DEFINE KIT_INNER="$<TARGET_FILE:openssl>")
    add_dependencies(kit_${name} openssl)
  else()
    tlsrig_kit_entry(${name}) # skipped, by name
  endif()
endforeach()

# Nothing is wrong with these.
tlsrig_kit_entry(plaintcp)
tlsrig_kit(good)
tlsrig_kit(slow)
tlsrig_kit(talkative)
tlsrig_kit(longest_names)
tlsrig_kit(wire_only)
tlsrig_kit(newer_contract)
tlsrig_kit(prints_to_stdout)

add_executable(test_kit ${kit_directory}/kit.cpp ${kit_directory}/expected.cpp ${kit_directory}/judge.cpp)
target_link_libraries(test_kit PRIVATE tests_support fmt::fmt tlsrig_options)
target_compile_definitions(test_kit PRIVATE KIT_PLUGINS="${kit_output}")
get_property(kit_backends GLOBAL PROPERTY TLSRIG_BACKENDS)
add_dependencies(test_kit tlsrig ${kit_backends} kit_plugins)
add_test(NAME kit.entries COMMAND test_kit --entries ${kit_entries})
add_test(NAME kit.itself COMMAND test_kit --itself)
set_tests_properties(kit.entries kit.itself PROPERTIES TIMEOUT 30 LABELS kit
  ENVIRONMENT TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials)
