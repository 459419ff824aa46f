# cmake --install, and what is made of it: a prefix that is moved, two projects outside, and the program that runs them.
# The scripts lie in tests/install; what they share is in there too.
set(install_scripts ${CMAKE_CURRENT_LIST_DIR}/install)
set(install_work ${PROJECT_BINARY_DIR}/tests/install)
get_property(backends GLOBAL PROPERTY TLSRIG_BACKENDS)
list(JOIN backends "," install_backends)
find_program(TLSRIG_PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
find_program(TLSRIG_STRACE NAMES strace REQUIRED)

# install_test(NAME SCRIPT [ARGUMENT=VALUE...] [MAKES FIXTURE] [NEEDS FIXTURE...] [TIMEOUT SECONDS])
function(install_test name script)
  cmake_parse_arguments(PARSE_ARGV 2 test "" "MAKES;TIMEOUT" "NEEDS")
  list(TRANSFORM test_UNPARSED_ARGUMENTS PREPEND -D)
  add_test(NAME install.${name}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR} -DWORK=${install_work}
            -DPREFIX=${install_work}/moved -DBINDIR=${CMAKE_INSTALL_BINDIR} -DLIBDIR=${CMAKE_INSTALL_LIBDIR}
            -DINCLUDEDIR=${CMAKE_INSTALL_INCLUDEDIR} -DDOCDIR=${CMAKE_INSTALL_DOCDIR} -DNM=${TLSRIG_NM}
            -DREADELF=${TLSRIG_READELF} -DGENERATOR=${CMAKE_GENERATOR} -DCC=${CMAKE_C_COMPILER}
            -DCXX=${CMAKE_CXX_COMPILER} ${test_UNPARSED_ARGUMENTS} -P ${install_scripts}/${script}.cmake)
  set_tests_properties(install.${name} PROPERTIES TIMEOUT ${test_TIMEOUT}
    ENVIRONMENT "TLSRIG_CACHE_DIR=${PROJECT_BINARY_DIR}/test-credentials"
    ENVIRONMENT_MODIFICATION TLSRIG_BACKEND_PATH=unset:)
  if(test_MAKES)
    set_tests_properties(install.${name} PROPERTIES FIXTURES_SETUP ${test_MAKES})
  endif()
  if(test_NEEDS)
    set_tests_properties(install.${name} PROPERTIES FIXTURES_REQUIRED "${test_NEEDS}")
  endif()
endfunction()

install_test(tree tree BACKENDS=${install_backends} MAKES install_tree TIMEOUT 60)
install_test(refusals refusals NEEDS install_tree TIMEOUT 60)
install_test(outside.c outside NAME=outside_c PROJECT=${install_scripts}/c NEEDS install_tree MAKES install_c
             TIMEOUT 60)
install_test(outside.cpp outside NAME=outside_cpp PROJECT=${install_scripts}/cpp NEEDS install_tree MAKES install_cpp
             TIMEOUT 60)
# The directory that the guide says to copy, as it is.
install_test(outside.example outside NAME=plaintcp
             PROJECT=${install_work}/moved/${CMAKE_INSTALL_DOCDIR}/plugins/plaintcp
             NEEDS install_tree TIMEOUT 60)
install_test(outside.pkg-config pkg_config PKG_CONFIG=${TLSRIG_PKG_CONFIG} NEEDS install_tree TIMEOUT 60)
install_test(program program BACKENDS=${install_backends} NEEDS install_tree TIMEOUT 60)
install_test(opened opened STRACE=${TLSRIG_STRACE} NEEDS install_tree TIMEOUT 60)
set_tests_properties(install.opened PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: ")
install_test(run run NEEDS install_tree install_c install_cpp TIMEOUT 120)
install_test(check check NEEDS install_tree install_c install_cpp TIMEOUT 120)
