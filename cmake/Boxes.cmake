# A box is one directory of core/ and one library. Its headers are reached as <tlsrig/BOX/...>, and only by a target
# that links the box: so the include arrows of the README's map are enforced by the compiler.
#
#   tlsrig_box(NAME [SOURCES ...] [LINKS ...] [TOGETHER N])     no sources: headers alone
#
# TOGETHER: so many files are one for the compiler, which pays where what they include costs more than what they say.
# Names in their anonymous namespaces must differ.
tlsrig_precompile(box_headers LINKS fmt::fmt nlohmann_json::nlohmann_json
  HEADERS ${TLSRIG_STANDARD_HEADERS} <fmt/format.h> <nlohmann/json.hpp>)

function(tlsrig_box name)
  cmake_parse_arguments(PARSE_ARGV 1 box "" "TOGETHER" "SOURCES;LINKS")
  set(include ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${include}/tlsrig)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include}/tlsrig/${name} SYMBOLIC)
  if(box_SOURCES)
    add_library(tlsrig_${name} STATIC ${box_SOURCES})
    target_include_directories(tlsrig_${name} PUBLIC ${include})
    target_link_libraries(tlsrig_${name} PUBLIC ${box_LINKS} PRIVATE tlsrig_options)
    if(box_LINKS)  # a box that links nothing uses none of these libraries
      tlsrig_use_precompiled(tlsrig_${name} box_headers)
    endif()
    if(box_TOGETHER AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
      set_target_properties(tlsrig_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${box_TOGETHER})
    endif()
  else()
    add_library(tlsrig_${name} INTERFACE)
    target_include_directories(tlsrig_${name} INTERFACE ${include})
    target_link_libraries(tlsrig_${name} INTERFACE ${box_LINKS})
  endif()
endfunction()
