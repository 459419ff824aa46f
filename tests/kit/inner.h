// A true TLS backend inside another one: every call is handed on to the plugin that KIT_INNER names, so that a plugin
// of the kit can be honest but for one thing. Its extensions stay hidden.
#ifndef TLSRIG_TESTS_KIT_INNER_H
#define TLSRIG_TESTS_KIT_INNER_H

#include <dlfcn.h>

#include "toy.h"

// The toy's session carries the inner one in `more`.
static const tlsrig_backend* inner;

static tlsrig_session* inner_of(tlsrig_session* session) { return (tlsrig_session*)session->more; }

static tlsrig_result inner_start(const tlsrig_info** info, tlsrig_error* error) {
  void* file = dlopen(KIT_INNER, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  inner = file ? (const tlsrig_backend*)dlsym(file, "tlsrig_backend_v1") : NULL;
  if (!inner) {
    snprintf(error->text, sizeof error->text, "%s", dlerror());
    return TLSRIG_ERROR;
  }
  const tlsrig_info* told = NULL;
  const tlsrig_result result = inner->start(&told, error);
  if (result != TLSRIG_OK) return result;
  toy_info.library = told->library;
  toy_info.build = told->build;
  toy_info.protocols = TLSRIG_TLS_1_3;
  toy_info.ciphers = told->ciphers;
  toy_info.groups = told->groups;
  return toy_start(info, error);
}

static tlsrig_result inner_create_context(const tlsrig_config* config, tlsrig_context** context, tlsrig_error* error) {
  return inner->create_context(config, context, error);
}

static void inner_destroy_context(tlsrig_context* context) { inner->destroy_context(context); }

static tlsrig_result inner_open(tlsrig_context* context, const tlsrig_transport* transport, const char* server_name,
                                tlsrig_session** session, tlsrig_error* error) {
  tlsrig_session* inside = NULL;
  const tlsrig_result result = inner->open(context, transport, server_name, &inside, error);
  if (result != TLSRIG_OK) return result;
  *session = (tlsrig_session*)calloc(1, sizeof **session);
  (*session)->wire = transport->kind == TLSRIG_WIRE ? transport->wire : NULL;
  (*session)->fd = transport->fd;
  (*session)->error = error;
  (*session)->more = inside;
  return result;
}

static void inner_close(tlsrig_session* session) {
  if (session) inner->close(inner_of(session));
  free(session);
}

static tlsrig_result inner_handshake(tlsrig_session* session) {
  const tlsrig_result result = inner->handshake(inner_of(session));
  session->established = result == TLSRIG_OK;
  return result;
}

static tlsrig_result inner_read(tlsrig_session* session, uint8_t* data, size_t capacity, size_t* size) {
  return inner->read(inner_of(session), data, capacity, size);
}

static tlsrig_result inner_write(tlsrig_session* session, const uint8_t* data, size_t size, size_t* written) {
  return inner->write(inner_of(session), data, size, written);
}

static tlsrig_result inner_shutdown(tlsrig_session* session) { return inner->shutdown(inner_of(session)); }

static void inner_describe(tlsrig_session* session, tlsrig_facts* facts) { inner->describe(inner_of(session), facts); }

#define INNER_TABLE                                                                                                  \
  TOY_TABLE, .start = inner_start, .create_context = inner_create_context, .destroy_context = inner_destroy_context, \
             .open = inner_open, .close = inner_close, .handshake = inner_handshake, .read = inner_read,             \
             .write = inner_write, .shutdown = inner_shutdown, .describe = inner_describe

#endif
