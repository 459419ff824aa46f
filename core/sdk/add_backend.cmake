# Building a backend: one shared library NAME.so that exports tlsrig_backend_v1 and nothing else. Used by the backends
# of this tree and, installed beside exports.version, by projects outside of it: find_package(tlsrig) includes it.
#
#   tlsrig_add_backend(NAME SOURCES FILE... [LINKS LIBRARY...] [RPATH DIR])
#
# NAME     the target, the file NAME.so, and by custom what start() calls the backend
# SOURCES  in C, C++ or both; C++ is compiled as C++20 or later. A project of C alone needs no C++ compiler
# LINKS    the TLS library: targets, files or flags, as in target_link_libraries
# RPATH    where the TLS library lies if the loader would not find it there: an absolute path, or one below $ORIGIN
#
# Nothing is installed: a plugin is named with `tlsrig run -B build/NAME.so`. To put it among the program's own:
#   install(TARGETS NAME LIBRARY DESTINATION ${tlsrig_PLUGIN_DIR})
function(tlsrig_add_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 backend "" "RPATH" "SOURCES;LINKS")
  tlsrig_refuse_backend_arguments("${name}")
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/exports.version)
  add_library(${name} MODULE ${backend_SOURCES})
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST languages)
    target_compile_features(${name} PRIVATE c_std_11)
  endif()
  if("CXX" IN_LIST languages)
    target_compile_features(${name} PRIVATE cxx_std_20)
    target_link_libraries(${name} PRIVATE tlsrig::sdk ${backend_LINKS})
  else()
    target_link_libraries(${name} PRIVATE tlsrig::abi ${backend_LINKS})
  endif()
  target_link_options(${name} PRIVATE -Wl,--version-script=${script} -Wl,-z,defs -Wl,-z,nodelete
    -Wl,--enable-new-dtags)  # RUNPATH, which LD_LIBRARY_PATH goes before: variants need it
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX .so C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${script})
  if(backend_RPATH)
    set_target_properties(${name} PROPERTIES BUILD_RPATH "${backend_RPATH}" INSTALL_RPATH "${backend_RPATH}")
  endif()
  set_property(GLOBAL APPEND PROPERTY TLSRIG_BACKENDS ${name})
endfunction()

# Ends configuring when what tlsrig_add_backend was given cannot be meant. Reads its caller's backend_* variables.
function(tlsrig_refuse_backend_arguments name)
  set(call "tlsrig_add_backend(${name} ...)")
  set(example "tlsrig_add_backend(mylib SOURCES mylib.cpp LINKS MyLib::MyLib)")
  string(LENGTH "${name}" length)
  if(NOT name MATCHES "^[A-Za-z0-9][-A-Za-z0-9_.+]*$" OR length GREATER 64)  # as the program demands of start()'s name
    message(FATAL_ERROR "${call}: \"${name}\" is no name of a backend; a name has up to 64 letters, digits, - _ . + "
                        "and begins with a letter or digit: ${example}")
  endif()
  if(name MATCHES "^(SOURCES|LINKS|RPATH)$")
    message(FATAL_ERROR "${call}: the backend's name comes first, before ${name}: ${example}")
  endif()
  if(backend_UNPARSED_ARGUMENTS)
    list(JOIN backend_UNPARSED_ARGUMENTS " " unknown)
    message(FATAL_ERROR "${call}: unknown: ${unknown}; after the name come SOURCES with the files, LINKS with the "
                        "libraries and RPATH with one directory: ${example}")
  endif()
  if(NOT backend_SOURCES)
    message(FATAL_ERROR "${call}: no SOURCES; name the files to compile: ${example}")
  endif()
  if("LINKS" IN_LIST backend_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${call}: nothing follows LINKS; is a variable empty because the library was not found? Look "
                        "for it with REQUIRED, or leave LINKS out")
  endif()
  if(backend_RPATH AND NOT backend_RPATH MATCHES "^(/|[$]ORIGIN)")
    message(FATAL_ERROR "${call}: RPATH ${backend_RPATH} would be looked up from wherever the program runs; give an "
                        "absolute path, or one that begins with $ORIGIN, the plugin's own directory")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(source IN LISTS backend_SOURCES)
    set(language "")
    if(source MATCHES "\\.(cpp|cc|cxx|c\\+\\+|C)$")
      set(language CXX)
    elseif(source MATCHES "\\.c$")
      set(language C)
    endif()
    if(language AND NOT language IN_LIST languages)
      list(JOIN languages " " languages)
      message(FATAL_ERROR "${call}: ${source} needs the language ${language}, and this project has ${languages}: write "
                          "project(... LANGUAGES ${languages} ${language})")
    endif()
  endforeach()
endfunction()
