# wolfSSL's shared library and headers as WolfSSL::WolfSSL: below TLSRIG_WOLFSSL_ROOT alone when that is set, else the
# system's. Its Debian package has no CMake configuration. Results: WolfSSL_FOUND, WolfSSL_LIBRARY, WolfSSL_INCLUDE_DIR.
if(TLSRIG_WOLFSSL_ROOT)
  set(wolfssl_where PATHS ${TLSRIG_WOLFSSL_ROOT} NO_DEFAULT_PATH)
else()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(wolfssl_hint QUIET wolfssl)
  endif()
  set(wolfssl_where HINTS ${wolfssl_hint_LIBDIR} ${wolfssl_hint_INCLUDEDIR} ${wolfssl_hint_PREFIX})
endif()
# Not cached: else a changed TLSRIG_WOLFSSL_ROOT would go on building against the old library.
find_library(WolfSSL_LIBRARY NAMES libwolfssl.so ${wolfssl_where} PATH_SUFFIXES lib lib64 NO_CACHE)
find_path(WolfSSL_INCLUDE_DIR NAMES wolfssl/options.h ${wolfssl_where} PATH_SUFFIXES include NO_CACHE)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(WolfSSL REQUIRED_VARS WolfSSL_LIBRARY WolfSSL_INCLUDE_DIR)
if(WolfSSL_FOUND AND NOT TARGET WolfSSL::WolfSSL)
  add_library(WolfSSL::WolfSSL SHARED IMPORTED)
  set_target_properties(WolfSSL::WolfSSL PROPERTIES
    IMPORTED_LOCATION ${WolfSSL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${WolfSSL_INCLUDE_DIR})
endif()
