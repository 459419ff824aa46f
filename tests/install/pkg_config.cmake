# The two backends of the projects outside, built by a compiler and pkg-config, without CMake; and the mistake that the
# link options are there for is refused.
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake NO_POLICY_SCOPE)
set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
set(build ${WORK}/outside/pkg-config)
file(REMOVE_RECURSE ${build})
file(MAKE_DIRECTORY ${build})
set(here ${CMAKE_CURRENT_LIST_DIR})

function(ask output)
  run(answer ${PKG_CONFIG} ${ARGN} tlsrig)
  string(STRIP "${answer}" answer)
  separate_arguments(answer UNIX_COMMAND "${answer}")
  set(${output} "${answer}" PARENT_SCOPE)
endfunction()
ask(flags --cflags --libs)
set(strict -shared -fPIC -Wall -Wextra -Wpedantic -Werror)

run(printed ${CC} -std=c11 ${strict} ${here}/c/outside_c.c ${flags} -o ${build}/outside_c.so)
must_be_plugin(${build}/outside_c.so)
run(printed ${CXX} -shared -fPIC ${here}/cpp/toy.cpp -o ${build}/libtoy.so)
run(printed ${CXX} -std=c++20 ${strict} ${here}/cpp/outside_cpp.cpp ${flags} -L${build} -ltoy -Wl,-rpath,${build}
    -o ${build}/outside_cpp.so)
must_be_plugin(${build}/outside_cpp.so)
run(listed ${PREFIX}/${BINDIR}/tlsrig list backends -B ${build}/outside_c.so -B ${build}/outside_cpp.so)
must_match("${listed}" "outside_c" "list backends")
must_match("${listed}" "outside_cpp" "list backends")

# The library forgotten: found when linking, not when a plugin is loaded.
execute_process(COMMAND ${CXX} -std=c++20 ${strict} ${here}/cpp/outside_cpp.cpp ${flags} -o ${build}/unlinked.so
                RESULT_VARIABLE status ERROR_VARIABLE printed)
if(status EQUAL 0)
  message(FATAL_ERROR "a plugin without its library was linked")
endif()
must_match("${printed}" "toy_version" "the linker")

ask(version --modversion)
ask(abi --variable=abi)
ask(plugins --variable=plugindir)
ask(script --variable=exports_script)
must_match("${version}" "^[0-9]+[.][0-9]+[.][0-9]+$" "pkg-config --modversion")
must_match("${abi}" "^1$" "pkg-config --variable=abi")
foreach(path IN ITEMS ${plugins}/plaintcp.so ${script})
  if(NOT EXISTS ${path})
    message(FATAL_ERROR "pkg-config names ${path}, which does not exist")
  endif()
endforeach()
