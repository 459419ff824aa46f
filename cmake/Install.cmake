# cmake --install: the program with its plugins and scenarios, what backends are built from, and the documents. Nothing
# installed names the prefix: it can be moved.
#
# The program finds its plugins and scenarios by where it lies itself, so they go beside CMAKE_INSTALL_BINDIR, whatever
# CMAKE_INSTALL_LIBDIR and _DATADIR say: a plugin is no library to link with, and Debian's lib/x86_64-linux-gnu, by
# which such libraries of several architectures stand side by side, is of no use to a program of one. The alternative,
# to compile in the distance from bin to lib, would make the build tree follow every layout.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

foreach(kind BINDIR LIBDIR INCLUDEDIR DOCDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
    message(FATAL_ERROR "CMAKE_INSTALL_${kind} is ${CMAKE_INSTALL_${kind}}: give it relative to the prefix, which can "
                        "be moved after installing; the prefix itself is given to cmake --install --prefix DIR")
  endif()
endforeach()

cmake_path(SET beside_program NORMALIZE "${CMAKE_INSTALL_BINDIR}/..")
cmake_path(APPEND beside_program lib tlsrig OUTPUT_VARIABLE TLSRIG_PLUGIN_DIRECTORY)
cmake_path(APPEND beside_program share tlsrig scenarios OUTPUT_VARIABLE scenarios)
foreach(directory TLSRIG_PLUGIN_DIRECTORY scenarios)
  cmake_path(NORMAL_PATH ${directory})
endforeach()
set(TLSRIG_PROGRAM ${CMAKE_INSTALL_BINDIR}/tlsrig)
set(TLSRIG_PACKAGE_DIRECTORY ${CMAKE_INSTALL_LIBDIR}/cmake/tlsrig)

# The program.
get_property(backends GLOBAL PROPERTY TLSRIG_BACKENDS)
install(TARGETS tlsrig RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS ${backends} LIBRARY DESTINATION ${TLSRIG_PLUGIN_DIRECTORY} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios/ DESTINATION ${scenarios} COMPONENT program
  FILES_MATCHING PATTERN *.toml)

# What backends are built from.
foreach(box abi sdk)
  get_target_property(include tlsrig_${box} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(tlsrig_${box} PROPERTIES EXPORT_NAME ${box}
    INTERFACE_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${include}>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/core/${box}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tlsrig/${box}
    COMPONENT sdk FILES_MATCHING PATTERN *.h PATTERN *.hpp)
endforeach()
install(TARGETS tlsrig_abi tlsrig_sdk EXPORT tlsrig)
install(EXPORT tlsrig FILE tlsrigTargets.cmake NAMESPACE tlsrig:: DESTINATION ${TLSRIG_PACKAGE_DIRECTORY} COMPONENT sdk)

set(made ${PROJECT_BINARY_DIR}/install)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tlsrigConfig.cmake.in ${made}/tlsrigConfig.cmake
  INSTALL_DESTINATION ${TLSRIG_PACKAGE_DIRECTORY} PATH_VARS TLSRIG_PLUGIN_DIRECTORY TLSRIG_PROGRAM)
write_basic_package_version_file(${made}/tlsrigConfigVersion.cmake COMPATIBILITY SameMajorVersion)

file(STRINGS ${PROJECT_SOURCE_DIR}/core/abi/tlsrig.h TLSRIG_ABI REGEX "define TLSRIG_ABI_VERSION")
string(REGEX REPLACE ".* ([0-9]+)u$" "\\1" TLSRIG_ABI "${TLSRIG_ABI}")
file(RELATIVE_PATH TLSRIG_PREFIX_FROM_PKGCONFIG /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
cmake_path(NORMAL_PATH TLSRIG_PREFIX_FROM_PKGCONFIG)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tlsrig.pc.in ${made}/tlsrig.pc @ONLY)

install(FILES ${made}/tlsrigConfig.cmake ${made}/tlsrigConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/core/sdk/add_backend.cmake ${PROJECT_SOURCE_DIR}/core/sdk/exports.version
  DESTINATION ${TLSRIG_PACKAGE_DIRECTORY} COMPONENT sdk)
install(FILES ${made}/tlsrig.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT sdk)

# The documents keep the places that they have in the tree, so that their links to each other hold. Those of the guide
# to headers and link script lead to the installed ones.
foreach(document LICENSE README.md scenarios/README.md scenarios/REPLAYS.md core/check/README.md core/report/README.md)
  cmake_path(GET document PARENT_PATH directory)
  install(FILES ${PROJECT_SOURCE_DIR}/${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${directory} COMPONENT documents)
endforeach()

set(guide ${PROJECT_SOURCE_DIR}/plugins/README.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${guide})
file(READ ${guide} text)
file(RELATIVE_PATH up /${CMAKE_INSTALL_DOCDIR}/plugins /)
string(REPLACE "](../core/sdk/exports.version" "](${up}${TLSRIG_PACKAGE_DIRECTORY}/exports.version" text "${text}")
string(REPLACE "](../core/sdk/add_backend.cmake" "](${up}${TLSRIG_PACKAGE_DIRECTORY}/add_backend.cmake" text "${text}")
foreach(box abi sdk)
  string(REPLACE "](../core/${box}" "](${up}${CMAKE_INSTALL_INCLUDEDIR}/tlsrig/${box}" text "${text}")
endforeach()
file(WRITE ${made}/plugins/README.md "${text}")  # CONFIGURE and GENERATE would expand what it says of CMake
install(FILES ${made}/plugins/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/plugins COMPONENT documents)

# What the guide begins with, whole: a directory to copy.
install(FILES ${PROJECT_SOURCE_DIR}/plugins/plaintcp/plaintcp.cpp DESTINATION ${CMAKE_INSTALL_DOCDIR}/plugins/plaintcp
  COMPONENT documents)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/OutsideBackend.cmake DESTINATION ${CMAKE_INSTALL_DOCDIR}/plugins/plaintcp
  RENAME CMakeLists.txt COMPONENT documents)
