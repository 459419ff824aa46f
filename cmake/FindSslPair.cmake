# OpenSSL and BoringSSL have the same file names and nothing that tells CMake which is which, so each is looked for by a
# header of its own, beside which its libssl and libcrypto must lie. FindOpenSSL is not used: it caches what it found, and
# a changed TLSRIG_OPENSSL_ROOT would go on building against the old library.
#
#   tlsrig_find_ssl_pair(PREFIX ROOT DIR MARK FILE SUFFIX NAME LINE REGEX)
#
# ROOT: where to look, empty: the system. MARK: a header that only this library has, or one whose LINE tells it. SUFFIX: the
# subdirectory that a distribution puts it in. Sets PREFIX_FOUND, PREFIX_DIRECTORY (of the libraries), and the target
# PREFIX::ssl; PREFIX_MISSING: what was not found.
function(tlsrig_find_ssl_pair prefix)
  cmake_parse_arguments(PARSE_ARGV 1 pair "" "ROOT;MARK;LINE;SUFFIX" "")
  set(where "")
  if(pair_ROOT)
    set(where PATHS ${pair_ROOT} NO_DEFAULT_PATH)
  endif()
  find_path(include ${pair_MARK} ${where} PATH_SUFFIXES include/${pair_SUFFIX} include ${pair_SUFFIX} NO_CACHE)
  foreach(library ssl crypto)
    find_library(${library} ${library} ${where} NO_CACHE PATH_SUFFIXES
      lib/${CMAKE_LIBRARY_ARCHITECTURE}/${pair_SUFFIX} ${pair_SUFFIX} lib/${CMAKE_LIBRARY_ARCHITECTURE} lib64 lib
      build/${library} build ${library} .)
  endforeach()

  set(missing "")
  if(NOT include)
    set(missing ${pair_MARK})
  elseif(NOT ssl)
    set(missing libssl)
  elseif(NOT crypto)
    set(missing libcrypto)
  elseif(pair_LINE)
    file(STRINGS ${include}/${pair_MARK} found REGEX ${pair_LINE} LIMIT_COUNT 1)
    if(NOT found)
      set(missing "a line ${pair_LINE} in ${include}/${pair_MARK}")
    endif()
  endif()
  if(missing)
    set(${prefix}_FOUND FALSE PARENT_SCOPE)
    set(${prefix}_MISSING "${missing} not found" PARENT_SCOPE)
    return()
  endif()

  add_library(${prefix}::ssl INTERFACE IMPORTED GLOBAL)
  target_include_directories(${prefix}::ssl SYSTEM INTERFACE ${include})
  target_link_libraries(${prefix}::ssl INTERFACE ${ssl} ${crypto})
  cmake_path(GET ssl PARENT_PATH directory)
  set(${prefix}_FOUND TRUE PARENT_SCOPE)
  set(${prefix}_DIRECTORY ${directory} PARENT_SCOPE)
endfunction()
