# A backend outside of tlsrig's own tree. Copy this directory, give the backend its name here and in the source, and:
#   cmake -B build -DCMAKE_PREFIX_PATH=DIR && cmake --build build     (DIR: where tlsrig is installed, as /usr/local)
#   tlsrig run quick-echo -B build/plaintcp.so -b plaintcp
cmake_minimum_required(VERSION 3.17)
project(plaintcp LANGUAGES CXX)

find_package(tlsrig REQUIRED)
tlsrig_add_backend(plaintcp SOURCES plaintcp.cpp)  # LINKS MyLib::MyLib
