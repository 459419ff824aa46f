# What the program and its tests are built with: Debian 12 packages, see scripts/install-packages.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(Threads REQUIRED)

# Templates of the HTML report: one header, without a CMake package.
find_path(KAINJOW_MUSTACHE_INCLUDE_DIR kainjow/mustache.hpp)
if(NOT KAINJOW_MUSTACHE_INCLUDE_DIR)
  message(FATAL_ERROR "kainjow/mustache.hpp not found, which the HTML report needs: install libkainjow-mustache-dev "
                      "(scripts/install-packages does), or set KAINJOW_MUSTACHE_INCLUDE_DIR to the directory that "
                      "kainjow/ lies in.")
endif()
add_library(kainjow::mustache INTERFACE IMPORTED)
target_include_directories(kainjow::mustache SYSTEM INTERFACE ${KAINJOW_MUSTACHE_INCLUDE_DIR})

if(BUILD_TESTING)
  find_package(doctest REQUIRED)
endif()
