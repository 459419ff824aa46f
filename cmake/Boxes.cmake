# A box is one directory of core/ and one library. Its headers are reached as <tlsrig/BOX/...>, and only by a target
# that links the box: so the include arrows of the README's map are enforced by the compiler.
#
#   tlsrig_box(NAME [SOURCES ...] [LINKS ...])     no sources: headers alone
function(tlsrig_box name)
  cmake_parse_arguments(PARSE_ARGV 1 box "" "" "SOURCES;LINKS")
  set(include ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${include}/tlsrig)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include}/tlsrig/${name} SYMBOLIC)
  if(box_SOURCES)
    add_library(tlsrig_${name} STATIC ${box_SOURCES})
    target_include_directories(tlsrig_${name} PUBLIC ${include})
    target_link_libraries(tlsrig_${name} PUBLIC ${box_LINKS} PRIVATE tlsrig_options)
  else()
    add_library(tlsrig_${name} INTERFACE)
    target_include_directories(tlsrig_${name} INTERFACE ${include})
    target_link_libraries(tlsrig_${name} INTERFACE ${box_LINKS})
  endif()
endfunction()
