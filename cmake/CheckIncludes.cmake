# A test: boxes are reached as <tlsrig/BOX/file.hpp> only, never by a path that climbs out of a directory (the compiler
# could not refuse that), and headers of TLS libraries are included below plugins/ alone.
#   cmake -DROOT=... -P CheckIncludes.cmake
file(GLOB_RECURSE sources RELATIVE ${ROOT}
  ${ROOT}/core/*.c ${ROOT}/core/*.h ${ROOT}/core/*.cpp ${ROOT}/core/*.hpp
  ${ROOT}/plugins/*.c ${ROOT}/plugins/*.h ${ROOT}/plugins/*.cpp ${ROOT}/plugins/*.hpp
  ${ROOT}/tests/*.c ${ROOT}/tests/*.h ${ROOT}/tests/*.cpp ${ROOT}/tests/*.hpp)
list(LENGTH sources count)
if(count LESS 20)
  message(FATAL_ERROR "only ${count} sources below ${ROOT}: ROOT must be the project's directory")
endif()
set(include "^[ \t]*#[ \t]*include[ \t]*[<\"]")
set(wrong)
foreach(source IN LISTS sources)
  file(STRINGS ${ROOT}/${source} lines REGEX "${include}")
  foreach(line IN LISTS lines)
    if(line MATCHES "${include}(\\.\\./|[^>\"]*/\\.\\./)")
      list(APPEND wrong "${source}: ${line}: write <tlsrig/BOX/...> and link the box")
    endif()
    if(NOT source MATCHES "^plugins/" AND line MATCHES "${include}(openssl|wolfssl|gnutls|mbedtls)/")
      list(APPEND wrong "${source}: ${line}: only plugins may see a TLS library")
    endif()
  endforeach()
endforeach()
if(wrong)
  list(JOIN wrong "\n  " wrong)
  message(FATAL_ERROR "includes against the rules:\n  ${wrong}")
endif()
message(STATUS "${count} sources keep the include rules")
