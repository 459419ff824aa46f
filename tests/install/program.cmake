# The installed program, from a directory that holds nothing: its plugins and scenarios are those of its prefix.
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake NO_POLICY_SCOPE)
string(REPLACE "," ";" backends "${BACKENDS}")
set(program ${PREFIX}/${BINDIR}/tlsrig)
set(empty ${WORK}/empty)
file(MAKE_DIRECTORY ${empty})

run(listed ${CMAKE_COMMAND} -E chdir ${empty} ${program} list backends -v)
foreach(backend IN LISTS backends)
  must_match("${listed}" "${PREFIX_REGEX}/[^ \n]*lib/tlsrig/${backend}.so" "list backends -v")
endforeach()
run(listed ${CMAKE_COMMAND} -E chdir ${empty} ${program} list scenarios --json)
must_match("${listed}" "\"${PREFIX_REGEX}/[^\"]*share/tlsrig/scenarios/quick-echo.toml\"" "list scenarios --json")
run(valid ${CMAKE_COMMAND} -E chdir ${empty} ${program} validate quick-echo engine)
