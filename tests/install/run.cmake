# The installed program runs the two backends from outside beside one of its own.
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake NO_POLICY_SCOPE)
set(program ${PREFIX}/${BINDIR}/tlsrig)
set(results ${WORK}/results)
file(REMOVE_RECURSE ${results})
set(plugins -B ${WORK}/outside/c/outside_c.so -B ${WORK}/outside/cpp/outside_cpp.so)

run(listed ${program} list backends -v ${plugins})
must_match("${listed}" "outside_c: none.*outside/c/outside_c.so.*C11 from tlsrig.h alone" "list backends -v")
must_match("${listed}" "outside_cpp: toy 1.2.3.*outside/cpp/outside_cpp.so.*outside/cpp/toy/libtoy.so"
           "list backends -v")

# must_be_ok(SCENARIO FILTER): one cell, in which each backend is an arm that ends ok.
function(must_be_ok scenario filter)
  run(printed ${program} run ${scenario} --filter ${filter} --quick -r 2 -q ${plugins} -b plaintcp,outside_c,outside_cpp
      -o ${results}/${scenario})
  file(READ ${results}/${scenario}/result.json result)
  string(JSON cells LENGTH "${result}" cells)
  if(NOT cells EQUAL 1)
    message(FATAL_ERROR "${scenario} --filter ${filter} has ${cells} cells, not 1")
  endif()
  string(JSON count LENGTH "${result}" cells 0 arms)
  math(EXPR last "${count} - 1")
  set(ok "")
  foreach(arm RANGE ${last})
    string(JSON backend GET "${result}" cells 0 arms ${arm} backend)
    string(JSON status GET "${result}" cells 0 arms ${arm} status)
    if(status STREQUAL "ok")
      list(APPEND ok ${backend})
    endif()
  endforeach()
  foreach(backend plaintcp outside_c outside_cpp)
    if(NOT backend IN_LIST ok)
      message(FATAL_ERROR "${scenario}: no arm of ${backend} is ok:\n${printed}")
    endif()
  endforeach()
endfunction()
must_be_ok(quick-echo message_size=1KiB)   # over sockets
must_be_ok(quick-engine message_size=1KiB)  # over a wire
