# A test: a plugin exports tlsrig_backend_v1 and nothing else.
#   cmake -DNM=... -DPLUGIN=... -P CheckExports.cmake
execute_process(COMMAND ${NM} -D --defined-only ${PLUGIN} OUTPUT_VARIABLE listing RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "nm cannot read ${PLUGIN} (exit ${status})")
endif()
string(REGEX MATCHALL "[^\n]+" lines "${listing}")
set(names)
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^[0-9a-f]* *[A-Za-z] " "" name "${line}")
  list(APPEND names "${name}")
endforeach()
if(NOT names STREQUAL "tlsrig_backend_v1")
  list(LENGTH names count)
  list(JOIN names ", " names)
  message(FATAL_ERROR "${PLUGIN} exports ${count} symbols: ${names}. It must export tlsrig_backend_v1 alone: "
                      "declare it with TLSRIG_BACKEND and link with core/sdk/exports.version (tlsrig_add_backend does).")
endif()
message(STATUS "${PLUGIN} exports ${names} alone")
