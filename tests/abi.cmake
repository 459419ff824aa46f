# The contract and the house rules that a compiler or a linker can check: the headers' layout in both languages, what a
# plugin exports, what the program is linked to, and who includes whom.

# Each header on its own, as C11 and as C++20, whatever the other options of the build are.
set(abi_warnings -Wall -Wextra -Wpedantic -Werror)
file(GLOB abi_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/abi/*.h)
set(abi_alone_c)
set(abi_alone_cpp)
foreach(header IN LISTS abi_headers)
  get_filename_component(header ${header} NAME)
  foreach(language c cpp)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/abi/${header}.${language})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <tlsrig/abi/${header}>\n")
    list(APPEND abi_alone_${language} ${source})
  endforeach()
endforeach()

add_executable(abi_c abi_c.c ${abi_alone_c})
set_target_properties(abi_c PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
add_executable(abi_cpp abi_cpp.cpp ${abi_alone_cpp})
set_target_properties(abi_cpp PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
foreach(language c cpp)
  target_compile_options(abi_${language} PRIVATE ${abi_warnings})
  target_link_libraries(abi_${language} PRIVATE tlsrig_abi)
  add_test(NAME abi.layout.${language} COMMAND abi_${language})
  set_tests_properties(abi.layout.${language} PROPERTIES TIMEOUT 10)
endforeach()

# tests/*.cmake are parts of this list, so scripts that ctest runs lie in cmake/.
find_program(TLSRIG_NM NAMES nm REQUIRED)
find_program(TLSRIG_READELF NAMES readelf REQUIRED)
find_program(TLSRIG_LDD NAMES ldd REQUIRED)
get_property(backends GLOBAL PROPERTY TLSRIG_BACKENDS)
foreach(backend IN LISTS backends)
  add_test(NAME abi.exports.${backend}
    COMMAND ${CMAKE_COMMAND} -DNM=${TLSRIG_NM} -DPLUGIN=$<TARGET_FILE:${backend}>
            -P ${PROJECT_SOURCE_DIR}/cmake/CheckExports.cmake)
  set_tests_properties(abi.exports.${backend} PROPERTIES TIMEOUT 10)
endforeach()

if(TARGET tlsrig)
  add_test(NAME abi.program_links
    COMMAND ${CMAKE_COMMAND} -DREADELF=${TLSRIG_READELF} -DLDD=${TLSRIG_LDD} -DPROGRAM=$<TARGET_FILE:tlsrig>
            -P ${PROJECT_SOURCE_DIR}/cmake/CheckProgramLinks.cmake)
  set_tests_properties(abi.program_links PROPERTIES TIMEOUT 10)
endif()

add_test(NAME abi.includes
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/CheckIncludes.cmake)
set_tests_properties(abi.includes PROPERTIES TIMEOUT 30)
