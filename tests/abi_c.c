// The contract's headers as C11: layout, constants, and a whole backend written in plain C, so that a C author's table
// keeps compiling.
#include "abi_layout.h"

static tlsrig_result start(const tlsrig_info** info, tlsrig_error* error) {
  (void)info, (void)error;
  return TLSRIG_UNSUPPORTED;
}
static tlsrig_result create_context(const tlsrig_config* config, tlsrig_context** context, tlsrig_error* error) {
  (void)config, (void)context, (void)error;
  return TLSRIG_UNSUPPORTED;
}
static void destroy_context(tlsrig_context* context) { (void)context; }
static tlsrig_result open_session(tlsrig_context* context, const tlsrig_transport* transport, const char* server_name,
                                  tlsrig_session** session, tlsrig_error* error) {
  (void)context, (void)transport, (void)server_name, (void)session, (void)error;
  return TLSRIG_UNSUPPORTED;
}
static void close_session(tlsrig_session* session) { (void)session; }
static tlsrig_result handshake(tlsrig_session* session) { return session ? TLSRIG_ERROR : TLSRIG_UNSUPPORTED; }
static tlsrig_result read_bytes(tlsrig_session* session, uint8_t* data, size_t capacity, size_t* size) {
  (void)session, (void)data, (void)capacity, (void)size;
  return TLSRIG_WANT_READ;
}
static tlsrig_result write_bytes(tlsrig_session* session, const uint8_t* data, size_t size, size_t* written) {
  (void)session, (void)data, (void)size, (void)written;
  return TLSRIG_WANT_WRITE;
}
static tlsrig_result shut_down(tlsrig_session* session) { return session ? TLSRIG_ERROR : TLSRIG_UNSUPPORTED; }
static void describe(tlsrig_session* session, tlsrig_facts* facts) { (void)session, (void)facts; }
static const void* extension(const char* name) { return name ? NULL : name; }

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

int main(void) {
  const tlsrig_info* info = NULL;
  tlsrig_error error = {0};
  abi_print("C11");
  return tlsrig_backend_v1.start(&info, &error) == TLSRIG_UNSUPPORTED ? 0 : 1;
}
