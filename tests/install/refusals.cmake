# What tlsrig_add_backend refuses, and the cure that it names.
include(${CMAKE_CURRENT_LIST_DIR}/support.cmake NO_POLICY_SCOPE)
set(project ${WORK}/refusals)
# A project without languages is configured fast, but CMake does not look into every lib directory for it: tlsrig_DIR.

function(refused languages call words)
  file(REMOVE_RECURSE ${project})
  file(WRITE ${project}/CMakeLists.txt "cmake_minimum_required(VERSION 3.17)\nproject(x LANGUAGES ${languages})\n"
                                       "find_package(tlsrig REQUIRED)\n${call}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${project} -B ${project}/build -G ${GENERATOR}
                          -Dtlsrig_DIR=${PREFIX}/${LIBDIR}/cmake/tlsrig
                          -DCMAKE_C_COMPILER=${CC} --no-warn-unused-cli
                  RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  if(status EQUAL 0)
    message(FATAL_ERROR "not refused: ${call}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " printed "${printed}")
  must_match("${printed}" "${words}" "the refusal of ${call}")
endfunction()

refused(NONE "tlsrig_add_backend(my/lib SOURCES a.c)" "\"my/lib\" is no name of a backend; a name has up to 64 letters")
refused(NONE "tlsrig_add_backend(-lib SOURCES a.c)" "\"-lib\" is no name of a backend")
string(REPEAT a 65 long)
refused(NONE "tlsrig_add_backend(${long} SOURCES a.c)" "is no name of a backend; a name has up to 64 letters")
refused(NONE "tlsrig_add_backend(\"\" SOURCES a.c)" "\"\" is no name of a backend")
refused(NONE "tlsrig_add_backend(SOURCES a.c)" "the backend's name comes first, before SOURCES")
refused(NONE "tlsrig_add_backend(mylib a.c b.c)" "unknown: a.c b.c; after the name come SOURCES with the files")
refused(NONE "tlsrig_add_backend(mylib SOURCES a.c RPATH /a /b)" "unknown: /b; .* RPATH with one directory")
refused(NONE "tlsrig_add_backend(mylib)"
        "no SOURCES; name the files to compile: tlsrig_add_backend.mylib SOURCES mylib.cpp")
refused(NONE "tlsrig_add_backend(mylib SOURCES LINKS m)" "no SOURCES; name the files to compile")
refused(NONE "tlsrig_add_backend(mylib SOURCES a.c LINKS \${none})" "nothing follows LINKS; is a variable empty")
refused(NONE "tlsrig_add_backend(mylib SOURCES a.c RPATH lib)" "RPATH lib would be looked up .* give an absolute path")
refused(C "tlsrig_add_backend(mylib SOURCES a.cpp)" "a.cpp needs the language CXX, .* project.... LANGUAGES C CXX")
refused(NONE "find_package(tlsrig 2 REQUIRED)" "requested version \"2\"")
