// Stands for a TLS library: has a version, and moves bytes over a socket as they are.
#include "toy.hpp"

#include <sys/socket.h>

const char* toy_version() { return "toy 1.2.3"; }
long toy_receive(int fd, void* data, std::size_t capacity) { return recv(fd, data, capacity, 0); }
long toy_send(int fd, const void* data, std::size_t size) { return send(fd, data, size, MSG_NOSIGNAL); }
