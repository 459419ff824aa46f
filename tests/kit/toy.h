// A correct plain backend over the bare contract, as small as one can be: no TLS, every byte turned over on its way, on
// wires and on sockets. The plugins of the kit are this one with one slot or one constant put in another's place; C and
// C++ read it alike.
#ifndef TLSRIG_TESTS_KIT_TOY_H
#define TLSRIG_TESTS_KIT_TOY_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <tlsrig/abi/tlsrig.h>

// A plugin's table names a slot again to replace it, and no plugin uses every slot of the toy.
#ifndef __cplusplus
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
#pragma GCC diagnostic ignored "-Wunused-function"

struct tlsrig_context {
  bool server;
};

struct tlsrig_session {
  tlsrig_wire* wire;  // NULL: over the socket fd
  int fd;
  tlsrig_error* error;
  bool server, established, shut, closed, dead;
  size_t blocked_size;                   // of the write that found no room, 0: none
  size_t greeting_sent, greeting_taken;  // for greeting.h
  void* more;                            // a plugin's own
};

static const char* const toy_none[] = {NULL};
static const void* toy_anchors[2];
static tlsrig_info toy_info = {sizeof(tlsrig_info),
                               sizeof(tlsrig_config),
                               TOY_NAME,  // that of its file
                               "toy 1.0",
                               "by hand",
                               toy_anchors,
                               0,
                               TLSRIG_WIRE | TLSRIG_FD,
                               toy_none,
                               toy_none};

static tlsrig_result toy_fail(tlsrig_session* session, int32_t kind, const char* text) {
  if (!session->dead) {
    session->error->kind = kind;
    session->error->alert = -1;
    session->error->code = kind == TLSRIG_ERROR_SYSTEM ? errno : 0;
    snprintf(session->error->text, sizeof session->error->text, "%s", text);
  }
  session->dead = true;
  return TLSRIG_ERROR;
}

static tlsrig_result toy_start(const tlsrig_info** info, tlsrig_error* error) {
  (void)error;
  toy_anchors[0] = (const void*)(uintptr_t)&toy_start;
  *info = &toy_info;
  return TLSRIG_OK;
}

static tlsrig_result toy_create_context(const tlsrig_config* config, tlsrig_context** context, tlsrig_error* error) {
  (void)error;
  *context = (tlsrig_context*)calloc(1, sizeof **context);
  (*context)->server = config->role == TLSRIG_SERVER;
  return TLSRIG_OK;
}

static void toy_destroy_context(tlsrig_context* context) { free(context); }

static tlsrig_result toy_open(tlsrig_context* context, const tlsrig_transport* transport, const char* server_name,
                              tlsrig_session** session, tlsrig_error* error) {
  (void)server_name;
  *session = (tlsrig_session*)calloc(1, sizeof **session);
  (*session)->wire = transport->kind == TLSRIG_WIRE ? transport->wire : NULL;
  (*session)->fd = transport->fd;
  (*session)->error = error;
  (*session)->server = context->server;
  return TLSRIG_OK;
}

static void toy_close(tlsrig_session* session) { free(session); }

// The transport: bytes as they are. 0: none now, -1: the peer sends no more, -2: a system call failed.
static ptrdiff_t toy_take(tlsrig_session* session, uint8_t* data, size_t capacity) {
  if (session->wire) {
    tlsrig_wire* wire = session->wire;
    const size_t there = wire->in_size - wire->in_used;
    const size_t taken = there < capacity ? there : capacity;
    for (size_t i = 0; i < taken; ++i) data[i] = wire->in[wire->in_used++];
    return there == 0 && wire->in_ended ? -1 : (ptrdiff_t)taken;
  }
  const ssize_t received = capacity ? recv(session->fd, data, capacity, 0) : 1;
  if (received > 0) return capacity ? received : 0;
  return received == 0 ? -1 : errno == EAGAIN || errno == EINTR ? 0 : -2;
}

// Bytes that were put; 0: no room now, -2: a system call failed.
static ptrdiff_t toy_put(tlsrig_session* session, const uint8_t* data, size_t size) {
  if (session->wire) {
    tlsrig_wire* wire = session->wire;
    const size_t room = wire->out_size - wire->out_used;
    const size_t put = size < room ? size : room;
    for (size_t i = 0; i < put; ++i) wire->out[wire->out_used++] = data[i];
    return (ptrdiff_t)put;
  }
  const ssize_t sent = send(session->fd, data, size, MSG_NOSIGNAL);
  if (sent > 0) return sent;
  return errno == EAGAIN || errno == EINTR ? 0 : -2;
}

static tlsrig_result toy_handshake(tlsrig_session* session) {
  if (session->dead) return TLSRIG_ERROR;
  session->established = true;
  return TLSRIG_OK;
}

static tlsrig_result toy_read(tlsrig_session* session, uint8_t* data, size_t capacity, size_t* size) {
  if (session->dead) return TLSRIG_ERROR;
  if (!session->established) return toy_fail(session, TLSRIG_ERROR_CONFIG, "read before the handshake was OK");
  const ptrdiff_t taken = session->closed ? -1 : toy_take(session, data, capacity);
  if (taken == -2) return toy_fail(session, TLSRIG_ERROR_SYSTEM, "recv failed");
  if (taken == -1) {
    session->closed = true;
    return TLSRIG_CLOSED;
  }
  if (taken == 0) return TLSRIG_WANT_READ;
  for (ptrdiff_t i = 0; i < taken; ++i) data[i] = (uint8_t)~data[i];
  *size = (size_t)taken;
  return TLSRIG_OK;
}

static tlsrig_result toy_write(tlsrig_session* session, const uint8_t* data, size_t size, size_t* written) {
  uint8_t turned[TLSRIG_WRITE_MAX];
  if (session->dead) return TLSRIG_ERROR;
  if (size == 0) {
    *written = 0;
    return TLSRIG_OK;
  }
  if (!session->established) return toy_fail(session, TLSRIG_ERROR_CONFIG, "write before the handshake was OK");
  if (session->shut) return toy_fail(session, TLSRIG_ERROR_CONFIG, "write after shutdown");
  if (session->blocked_size && session->blocked_size != size)
    return toy_fail(session, TLSRIG_ERROR_CONFIG, "another write in the place of a blocked one");
  const size_t offered = size < TLSRIG_WRITE_MAX ? size : TLSRIG_WRITE_MAX;
  for (size_t i = 0; i < offered; ++i) turned[i] = (uint8_t)~data[i];
  const ptrdiff_t put = toy_put(session, turned, offered);
  if (put == -2) return toy_fail(session, TLSRIG_ERROR_SYSTEM, "send failed");
  session->blocked_size = put ? 0 : size;
  if (put == 0) return TLSRIG_WANT_WRITE;
  *written = (size_t)put;
  return TLSRIG_OK;
}

static tlsrig_result toy_shutdown(tlsrig_session* session) {
  if (session->dead) return TLSRIG_ERROR;
  if (!session->established) return toy_fail(session, TLSRIG_ERROR_CONFIG, "shutdown before the handshake was OK");
  if (session->blocked_size) return toy_fail(session, TLSRIG_ERROR_CONFIG, "shutdown while a write is blocked");
  session->shut = true;
  return TLSRIG_OK;
}

static void toy_describe(tlsrig_session* session, tlsrig_facts* facts) {
  (void)session;
  (void)facts;
}

static const void* toy_extension(const char* name) {
  (void)name;
  return NULL;
}

// A table is {TOY_TABLE}, or {TOY_TABLE, .read = another_read}.
#define TOY_TABLE                                                                                                     \
  .abi_version = TLSRIG_ABI_VERSION, .struct_size = sizeof(tlsrig_backend), .start = toy_start,                       \
  .create_context = toy_create_context, .destroy_context = toy_destroy_context, .open = toy_open, .close = toy_close, \
  .handshake = toy_handshake, .read = toy_read, .write = toy_write, .shutdown = toy_shutdown,                         \
  .describe = toy_describe, .extension = toy_extension

#endif
