# A test: the program exports the calls that it counts, so that libraries call them, and no other function of its own.
# (Weak symbols are those of templates, which the linker exports where a library has them too.)
#   cmake -DNM=... -DPROGRAM=... -P CheckCountedCalls.cmake
execute_process(COMMAND ${NM} -D --defined-only ${PROGRAM} OUTPUT_VARIABLE listing RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "nm cannot read ${PROGRAM} (exit ${status})")
endif()
string(REGEX MATCHALL " T [^\n]+" found "${listing}")
list(TRANSFORM found REPLACE " T " "")
list(SORT found)
set(needed read readv recv recvfrom recvmsg send sendmsg sendto write writev)
if(NOT found STREQUAL needed)
  message(FATAL_ERROR "${PROGRAM} exports the functions ${found}; needed are exactly ${needed}: see "
                      "core/net/counted_calls.list and the link options of core/net")
endif()
message(STATUS "${PROGRAM} exports ${found}")
