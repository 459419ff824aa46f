// Stands for a TLS library: has a version, and moves bytes over a socket as they are.
#pragma once

#include <cstddef>

extern "C" {
const char* toy_version();
long toy_receive(int fd, void* data, std::size_t capacity);  // as recv
long toy_send(int fd, const void* data, std::size_t size);   // as send, without SIGPIPE
}

// Marked for export as headers of libraries are, and with a static of its own: only the link script keeps both inside a
// plugin.
[[gnu::visibility("default")]] inline const char* toy_version_once() {
  static const char* const version = toy_version();
  return version;
}
