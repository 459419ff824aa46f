# Loading plugins: every refusal, identity, contexts and sessions, the search.
function(host_fixture name)
  cmake_parse_arguments(PARSE_ARGV 1 fixture "OPEN" "" "SOURCES;DEFINE;LINKS")
  add_library(host_fixture_${name} MODULE ${fixture_SOURCES})
  target_compile_definitions(host_fixture_${name} PRIVATE ${fixture_DEFINE})
  target_link_libraries(host_fixture_${name} PRIVATE tlsrig_abi tlsrig_options ${fixture_LINKS})
  set_target_properties(host_fixture_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/host)
  if(NOT fixture_OPEN)  # export the entry alone
    target_link_options(host_fixture_${name} PRIVATE
      -Wl,--version-script=${PROJECT_SOURCE_DIR}/core/sdk/exports.version)
  endif()
  set_property(GLOBAL APPEND PROPERTY HOST_FIXTURES host_fixture_${name})
endfunction()

function(host_library name soname_version directory)
  add_library(host_fixture_${name} SHARED ${host_fixtures}/library.c)
  target_link_libraries(host_fixture_${name} PRIVATE tlsrig_options)
  set_target_properties(host_fixture_${name} PROPERTIES SOVERSION ${soname_version} OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/host/${directory})
  set_property(GLOBAL APPEND PROPERTY HOST_FIXTURES host_fixture_${name})
endfunction()

set(host_fixtures ${CMAKE_CURRENT_LIST_DIR}/fixtures/host)
host_library(fixture_library 1 library)
host_library(stranger 9 stranger)
host_library(absent 99 absent)
host_fixture(good SOURCES ${host_fixtures}/backend.c)
host_fixture(old_config SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_OLD_CONFIG)
host_fixture(abi2 SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_ABI=2)
host_fixture(abi0 SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_ABI=0)
host_fixture(late SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_LATE)
host_fixture(large SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_LARGE)
host_fixture(hidden SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_HIDDEN OPEN)
host_fixture(unresolved SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_UNRESOLVED)
host_fixture(with_library SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_LIBRARY LINKS host_fixture_fixture_library)
host_fixture(old_rpath SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_LIBRARY LINKS host_fixture_fixture_library)
target_link_options(host_fixture_old_rpath PRIVATE -Wl,--disable-new-dtags)
host_fixture(library_inside SOURCES ${host_fixtures}/backend.c ${host_fixtures}/library.c DEFINE FIXTURE_LIBRARY OPEN)
host_fixture(kernel_code SOURCES ${host_fixtures}/backend.c ${host_fixtures}/kernel_code.c OPEN)
host_fixture(missing_library SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_LIBRARY LINKS host_fixture_absent)
set_target_properties(host_fixture_missing_library PROPERTIES BUILD_RPATH_USE_ORIGIN OFF SKIP_BUILD_RPATH ON)
host_fixture(no_linkage SOURCES ${host_fixtures}/no_linkage.cpp OPEN)
host_fixture(no_linkage_scripted SOURCES ${host_fixtures}/no_linkage.cpp)
host_fixture(throws SOURCES ${host_fixtures}/throws.cpp)
host_fixture(entry_function SOURCES ${host_fixtures}/entries.c DEFINE FIXTURE_FUNCTION)
host_fixture(entry_short SOURCES ${host_fixtures}/entries.c DEFINE FIXTURE_SHORT)
host_fixture(entry_v2 SOURCES ${host_fixtures}/entries.c OPEN)

# Libraries that are not whole, and one found through another.
add_library(host_fixture_half SHARED ${host_fixtures}/half.c)
add_library(host_fixture_middle SHARED ${host_fixtures}/library.c)
target_link_options(host_fixture_middle PRIVATE -Wl,--no-as-needed)
target_link_libraries(host_fixture_middle PRIVATE host_fixture_absent)
foreach(library half middle)
  target_link_libraries(host_fixture_${library} PRIVATE tlsrig_options)
  set_target_properties(host_fixture_${library} PROPERTIES OUTPUT_NAME ${library} SKIP_BUILD_RPATH ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/host/library)
  set_property(GLOBAL APPEND PROPERTY HOST_FIXTURES host_fixture_${library})
endforeach()
host_fixture(with_half SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_LIBRARY LINKS host_fixture_half)
host_fixture(with_middle SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_LIBRARY LINKS host_fixture_middle)
target_link_options(host_fixture_with_middle PRIVATE -Wl,--allow-shlib-undefined)

# Where these look for libabsent.so.99, the tests write into copies of them.
foreach(kind runpath rpath)
  host_fixture(${kind}_to_fill SOURCES ${host_fixtures}/backend.c DEFINE FIXTURE_LIBRARY LINKS host_fixture_absent)
  set_target_properties(host_fixture_${kind}_to_fill PROPERTIES SKIP_BUILD_RPATH ON)
  string(REPEAT "x" 200 host_filling)
  target_link_options(host_fixture_${kind}_to_fill PRIVATE -Wl,-rpath,/${host_filling})
endforeach()
target_link_options(host_fixture_runpath_to_fill PRIVATE -Wl,--enable-new-dtags)
target_link_options(host_fixture_rpath_to_fill PRIVATE -Wl,--disable-new-dtags)

host_fixture(executable_stack SOURCES ${host_fixtures}/backend.c)
target_link_options(host_fixture_executable_stack PRIVATE -Wl,-z,execstack)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  host_fixture(text_relocations SOURCES ${host_fixtures}/backend.c ${host_fixtures}/text_relocation.c)
  set_source_files_properties(${host_fixtures}/text_relocation.c PROPERTIES COMPILE_OPTIONS
    "-fno-pic;-mcmodel=large;-fno-sanitize=all")
  target_link_options(host_fixture_text_relocations PRIVATE -Wl,-z,notext)
endif()

get_property(host_fixture_targets GLOBAL PROPERTY HOST_FIXTURES)
add_executable(host_load host_load.cpp)
target_link_libraries(host_load PRIVATE tlsrig_host tlsrig_options)
add_executable(test_host host.cpp host_needed.cpp host_refusals.cpp host_search.cpp host_static.cpp)
target_link_libraries(test_host PRIVATE tlsrig_check tlsrig_host doctest::doctest fmt::fmt tlsrig_options)
target_compile_definitions(test_host PRIVATE HOST_FIXTURES="${PROJECT_BINARY_DIR}/tests/host"
  HOST_ARCHIVE="$<TARGET_FILE:tlsrig_host>" HOST_LOAD="$<TARGET_FILE:host_load>")
add_dependencies(test_host host_load ${host_fixture_targets})

foreach(part refusals start identity contexts elf search needed static)
  add_test(NAME host.${part} COMMAND test_host --test-suite=host.${part} --no-skip)
  set_tests_properties(host.${part} PROPERTIES TIMEOUT 60)
endforeach()

# Another TLS library loaded first under the same names must never run under a backend's name.
function(host_preload_test name backend preload expected)
  add_test(NAME host.preload.${name} COMMAND host_load $<TARGET_FILE:${backend}>)
  set_tests_properties(host.preload.${name} PROPERTIES TIMEOUT 30 PASS_REGULAR_EXPRESSION "${expected}"
    ENVIRONMENT "LD_PRELOAD=${preload};ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0")
endfunction()
if(NOT (TARGET boringssl AND TARGET openssl AND TARGET wolfssl) OR TLSRIG_BORINGSSL_ROOT OR TLSRIG_OPENSSL_ROOT)
  message(STATUS "Tests left out: host.preload.* (they need the three TLS backends on the system's libraries)")
else()
  set(host_android /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/android)
  host_preload_test(boringssl-under-openssl boringssl libssl.so.3:libcrypto.so.3
    "refused .*boringssl.so: .* would run [^ ]*/lib(ssl|crypto).so.3 in place of [^ ]*/android/lib(ssl|crypto).so.0")
  host_preload_test(boringssl-under-libcrypto boringssl libcrypto.so.3
    "refused .*boringssl.so: .* would run [^ ]*/libcrypto.so.3 in place of [^ ]*/android/libcrypto.so.0")
  host_preload_test(openssl-under-boringssl openssl ${host_android}/libssl.so.0:${host_android}/libcrypto.so.0
    "refused .*openssl.so: .* would run [^ ]*/android/lib(ssl|crypto).so.0 in place of [^ ]*/lib(ssl|crypto).so.3")
  host_preload_test(openssl-under-openssl openssl libssl.so.3:libcrypto.so.3 "^loaded openssl\n.*warning LD_PRELOAD")
  host_preload_test(wolfssl-under-openssl wolfssl libssl.so.3:libcrypto.so.3 "^loaded wolfssl\nfile [^ ]*wolfssl")
  host_preload_test(wolfssl-under-boringssl wolfssl ${host_android}/libssl.so.0:${host_android}/libcrypto.so.0
    "^loaded wolfssl\nfile [^ ]*wolfssl")
endif()

# The same in the real program, and what it lists.
if(TARGET boringssl AND TARGET openssl AND TARGET wolfssl AND NOT TLSRIG_BORINGSSL_ROOT AND NOT TLSRIG_OPENSSL_ROOT
   AND NOT TLSRIG_WOLFSSL_ROOT)
  add_library(host_allocator SHARED ${host_fixtures}/allocator.c)
  set_target_properties(host_allocator PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/host)
  add_executable(test_host_program ${CMAKE_CURRENT_LIST_DIR}/host_program.cpp)
  target_link_libraries(test_host_program PRIVATE tests_support doctest::doctest tlsrig_options)
  target_compile_definitions(test_host_program PRIVATE HOST_ANDROID="${host_android}"
    HOST_LIBSSL="/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libssl.so.3" HOST_ALLOCATOR="$<TARGET_FILE:host_allocator>"
    HOST_ABI2="$<TARGET_FILE:host_fixture_abi2>")
  add_dependencies(test_host_program tlsrig openssl boringssl wolfssl plaintcp host_allocator host_fixture_abi2)
  foreach(part preload library-path list search)
    add_test(NAME host.program.${part} COMMAND test_host_program --test-suite=host.program.${part} --no-skip)
    set_tests_properties(host.program.${part} PROPERTIES TIMEOUT 60
      ENVIRONMENT "TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials")
  endforeach()
endif()
