# A project outside builds the backend NAME in PROJECT, told nothing but where tlsrig is installed.
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake NO_POLICY_SCOPE)
cmake_path(GET PROJECT FILENAME directory)
set(build ${WORK}/outside/${directory})
file(REMOVE_RECURSE ${build})
run(configured ${CMAKE_COMMAND} -S ${PROJECT} -B ${build} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${PREFIX}
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=RelWithDebInfo --no-warn-unused-cli)
run(built ${CMAKE_COMMAND} --build ${build})
must_be_plugin(${build}/${NAME}.so)

file(STRINGS ${build}/CMakeCache.txt cached REGEX "^CMAKE_(C|CXX)_COMPILER_AR:")
run(dynamic ${READELF} -dW ${build}/${NAME}.so)
if(NAME STREQUAL "outside_c")
  if(cached MATCHES "CMAKE_CXX_" OR dynamic MATCHES "libstdc")
    message(FATAL_ERROR "a project in C alone got C++: ${cached}\n${dynamic}")
  endif()
elseif(NAME STREQUAL "outside_cpp")
  must_match("${dynamic}" "\\(RUNPATH\\)[^\n]*/outside/cpp/toy" "readelf -d ${NAME}.so")
  # Its install rule: among the installed program's plugins, here below DESTDIR so that the tree stays as it is.
  run(installed ${CMAKE_COMMAND} -E env DESTDIR=${build}/staged ${CMAKE_COMMAND} --install ${build})
  file(GLOB_RECURSE placed RELATIVE ${build}/staged${PREFIX} ${build}/staged/*.so)
  must_match("${placed}" "^[^;]*lib/tlsrig/${NAME}.so$" "${build}/staged")
endif()
