// One line, one write(2): threads never mix within a line.
#include "ssl_keylog.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "ssl_context.hpp"

namespace tlsrig::ssl {

namespace {

// The longest line is a label of 31 letters, the client's random of 32 bytes and a secret of 64 in hexadecimal.
constexpr std::size_t line_max = 512;

void write_line(const SSL* ssl, const char* line) {
  const int fd = *static_cast<const int*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  char text[line_max];
  const int size = std::snprintf(text, sizeof text, "%s\n", line);
  if (size <= 0 || static_cast<std::size_t>(size) >= sizeof text) return;
  while (::write(fd, text, static_cast<std::size_t>(size)) < 0 && errno == EINTR) {
  }
  errno = 0;  // what a session's call finds there must be the transport's
}

}  // namespace

void start_keylog(SSL_CTX* context, const int* fd) {
  require(SSL_CTX_set_app_data(context, const_cast<int*>(fd)), "the context's own data");
  SSL_CTX_set_keylog_callback(context, write_line);
}

}  // namespace tlsrig::ssl
