# What the scripts of the installation's tests share. PREFIX is where the installed tree lies after it was moved.
cmake_minimum_required(VERSION 3.25)

# Paths as parts of regular expressions: one may well hold a + or a dot.
foreach(path PREFIX WORK SOURCE BUILD)
  string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" ${path}_REGEX "${${path}}")
endforeach()

# run(OUTPUT COMMAND...): runs it, which must end with 0; what it printed, both streams, is in OUTPUT.
function(run output)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "exit ${status}: ${command}\n${printed}")
  endif()
  set(${output} "${printed}" PARENT_SCOPE)
endfunction()

# must_match(TEXT REGEX WHAT): WHAT says where the text comes from.
function(must_match text regex what)
  if(NOT text MATCHES "${regex}")
    message(FATAL_ERROR "${what} does not say \"${regex}\":\n${text}")
  endif()
endfunction()

# must_be_plugin(FILE): it exports the entry alone, is never unloaded, and says in RUNPATH, not RPATH, where to look.
function(must_be_plugin file)
  run(exports ${CMAKE_COMMAND} -DNM=${NM} -DPLUGIN=${file} -P ${SOURCE}/cmake/CheckExports.cmake)
  run(dynamic ${READELF} -dW ${file})
  must_match("${dynamic}" "NODELETE" "readelf -d ${file}")
  if(dynamic MATCHES "\\(RPATH\\)")
    message(FATAL_ERROR "${file} has an RPATH, which LD_LIBRARY_PATH does not go before:\n${dynamic}")
  endif()
endfunction()
