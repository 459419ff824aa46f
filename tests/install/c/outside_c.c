// A whole backend in C11, made from tlsrig.h alone: plain bytes over a wire or a socket. What the SDK does for a
// backend in C++, the order of calls above all, this one does for itself.
#define _POSIX_C_SOURCE 200809L  // MSG_NOSIGNAL, strerror_r
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <tlsrig/abi/tlsrig.h>

struct tlsrig_context {
  int32_t role;
};

struct tlsrig_session {
  tlsrig_wire* wire;  // NULL: fd counts
  int fd;
  tlsrig_error* error;
  bool established, dead, read_closed, shut_down;
  size_t blocked_write_size;
};

static void say(tlsrig_error* error, int32_t kind, int64_t code, const char* text) {
  error->kind = kind;
  error->alert = -1;
  error->code = code;
  snprintf(error->text, sizeof error->text, "%s", text);
}

static tlsrig_result fail(tlsrig_session* session, int32_t kind, int64_t code, const char* text) {
  if (!session->dead) say(session->error, kind, code, text);
  session->dead = true;
  return TLSRIG_ERROR;
}

static tlsrig_result out_of_order(tlsrig_session* session, const char* text) {
  return fail(session, TLSRIG_ERROR_CONFIG, 0, text);
}

static tlsrig_result start(const tlsrig_info** told, tlsrig_error* error);

static tlsrig_result create_context(const tlsrig_config* config, tlsrig_context** context, tlsrig_error* error) {
  if (config->role != TLSRIG_CLIENT && config->role != TLSRIG_SERVER) {
    say(error, TLSRIG_ERROR_CONFIG, 0, "role is neither TLSRIG_CLIENT (0) nor TLSRIG_SERVER (1)");
    return TLSRIG_ERROR;
  }
  tlsrig_context* made = calloc(1, sizeof *made);
  if (!made) {
    say(error, TLSRIG_ERROR_SYSTEM, ENOMEM, "no memory for a context");
    return TLSRIG_ERROR;
  }
  made->role = config->role;
  *context = made;
  return TLSRIG_OK;
}

static void destroy_context(tlsrig_context* context) { free(context); }

static tlsrig_result open_session(tlsrig_context* context, const tlsrig_transport* transport, const char* server_name,
                                  tlsrig_session** session, tlsrig_error* error) {
  (void)context;
  (void)server_name;
  const bool on_wire = transport->kind == TLSRIG_WIRE && transport->wire;
  if (!on_wire && !(transport->kind == TLSRIG_FD && transport->fd >= 0)) {
    say(error, TLSRIG_ERROR_CONFIG, 0, "needed is TLSRIG_WIRE (1) with a wire or TLSRIG_FD (2) with an open fd");
    return TLSRIG_ERROR;
  }
  tlsrig_session* made = calloc(1, sizeof *made);
  if (!made) {
    say(error, TLSRIG_ERROR_SYSTEM, ENOMEM, "no memory for a session");
    return TLSRIG_ERROR;
  }
  made->wire = on_wire ? transport->wire : NULL;
  made->fd = transport->fd;
  made->error = error;
  *session = made;
  return TLSRIG_OK;
}

static void close_session(tlsrig_session* session) { free(session); }

static tlsrig_result handshake(tlsrig_session* session) {
  if (session->dead) return TLSRIG_ERROR;
  session->established = true;
  return TLSRIG_OK;
}

static tlsrig_result after_system_call(tlsrig_session* session, ssize_t moved, size_t* size, tlsrig_result blocked) {
  if (moved > 0) {
    *size = (size_t)moved;
    return TLSRIG_OK;
  }
  if (errno == EAGAIN || errno == EINTR) return blocked;
  const int number = errno;
  char text[128];
  if (strerror_r(number, text, sizeof text) != 0) snprintf(text, sizeof text, "errno %d", number);
  return fail(session, TLSRIG_ERROR_SYSTEM, number, text);
}

static tlsrig_result read_bytes(tlsrig_session* session, uint8_t* data, size_t capacity, size_t* size) {
  if (session->dead) return TLSRIG_ERROR;
  if (!session->established) return out_of_order(session, "read before the handshake was OK");
  if (session->read_closed) return TLSRIG_CLOSED;
  if (capacity == 0) {
    *size = 0;
    return TLSRIG_OK;
  }
  if (!session->wire) {
    const ssize_t received = recv(session->fd, data, capacity, 0);
    if (received != 0) return after_system_call(session, received, size, TLSRIG_WANT_READ);
    session->read_closed = true;
    return TLSRIG_CLOSED;
  }
  tlsrig_wire* const wire = session->wire;
  const size_t available = wire->in_size - wire->in_used;
  if (available == 0) {
    session->read_closed = wire->in_ended != 0;
    return session->read_closed ? TLSRIG_CLOSED : TLSRIG_WANT_READ;
  }
  const size_t taken = available < capacity ? available : capacity;
  memcpy(data, wire->in + wire->in_used, taken);
  wire->in_used += taken;
  *size = taken;
  return TLSRIG_OK;
}

static tlsrig_result put(tlsrig_wire* wire, const uint8_t* data, size_t size, size_t* written) {
  const size_t room = wire->out_size - wire->out_used;
  if (room == 0) return TLSRIG_WANT_WRITE;
  *written = room < size ? room : size;
  memcpy(wire->out + wire->out_used, data, *written);
  wire->out_used += *written;
  return TLSRIG_OK;
}

static tlsrig_result write_bytes(tlsrig_session* session, const uint8_t* data, size_t size, size_t* written) {
  if (session->dead) return TLSRIG_ERROR;
  if (size == 0) {
    *written = 0;
    return TLSRIG_OK;
  }
  if (!session->established) return out_of_order(session, "write before the handshake was OK");
  if (session->shut_down) return out_of_order(session, "write after shutdown");
  if (session->blocked_write_size && session->blocked_write_size != size)
    return out_of_order(session, "a blocked write was repeated with another size");
  const size_t taken = size < TLSRIG_WRITE_MAX ? size : TLSRIG_WRITE_MAX;
  const tlsrig_result result = session->wire ? put(session->wire, data, taken, written)
                                             : after_system_call(session, send(session->fd, data, taken, MSG_NOSIGNAL),
                                                                 written, TLSRIG_WANT_WRITE);
  session->blocked_write_size = result == TLSRIG_WANT_WRITE ? size : 0;
  return result;
}

static tlsrig_result shut_down(tlsrig_session* session) {
  if (session->dead) return TLSRIG_ERROR;
  if (!session->established) return out_of_order(session, "shutdown before the handshake was OK");
  if (session->blocked_write_size) return out_of_order(session, "shutdown while a write is blocked");
  session->shut_down = true;
  return TLSRIG_OK;
}

static void describe(tlsrig_session* session, tlsrig_facts* facts) {
  (void)session;
  (void)facts;  // without TLS there is nothing to tell: zeroes say so
}

static const void* extension(const char* name) {
  (void)name;
  return NULL;
}

const tlsrig_backend tlsrig_backend_v1 = {
    .abi_version = TLSRIG_ABI_VERSION,
    .struct_size = sizeof(tlsrig_backend),
    .start = start,
    .create_context = create_context,
    .destroy_context = destroy_context,
    .open = open_session,
    .close = close_session,
    .handshake = handshake,
    .read = read_bytes,
    .write = write_bytes,
    .shutdown = shut_down,
    .describe = describe,
    .extension = extension,
};

static tlsrig_result start(const tlsrig_info** told, tlsrig_error* error) {
  (void)error;
  static const char* const none[] = {NULL};
  static const void* const anchors[] = {&tlsrig_backend_v1, NULL};  // the only file whose code runs is this one
  static const tlsrig_info info = {
      .struct_size = sizeof info,
      .config_size = sizeof(tlsrig_config),
      .name = "outside_c",
      .library = "none",
      .build = "C11 from tlsrig.h alone",
      .anchors = anchors,
      .protocols = 0,
      .transports = TLSRIG_WIRE | TLSRIG_FD,
      .ciphers = none,
      .groups = none,
  };
  *told = &info;
  return TLSRIG_OK;
}
