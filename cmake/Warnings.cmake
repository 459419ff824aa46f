# Warnings and sanitizers, the same for every target of the project.
add_library(tlsrig_options INTERFACE)
target_compile_options(tlsrig_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
if(TLSRIG_WERROR)
  target_compile_options(tlsrig_options INTERFACE -Werror)
endif()
if(TLSRIG_SANITIZERS)
  target_compile_options(tlsrig_options INTERFACE -fsanitize=${TLSRIG_SANITIZERS} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(tlsrig_options INTERFACE -fsanitize=${TLSRIG_SANITIZERS})
endif()
