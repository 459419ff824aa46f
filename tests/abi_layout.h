// The layout that the contract's headers promise on LP64, written out: one list, asserted as C11 by abi_c.c and as
// C++20 by abi_cpp.cpp. A plugin built long ago relies on every number here: a line may be added at the end of
// tlsrig_info or tlsrig_config, none may change.
#ifndef TLSRIG_TESTS_ABI_LAYOUT_H
#define TLSRIG_TESTS_ABI_LAYOUT_H

#include <assert.h>
#include <stdio.h>

#include <tlsrig/abi/keylog.h>
#include <tlsrig/abi/pending.h>
#include <tlsrig/abi/resumption.h>
#include <tlsrig/abi/tlsrig.h>

// clang-format off
// STRUCT(name, bytes) and, below it, FIELD(struct, name, offset, bytes) for each of its fields.
#define ABI_LAYOUT(STRUCT, FIELD) \
  STRUCT(tlsrig_error, 256) \
    FIELD(tlsrig_error, kind, 0, 4) \
    FIELD(tlsrig_error, alert, 4, 4) \
    FIELD(tlsrig_error, code, 8, 8) \
    FIELD(tlsrig_error, text, 16, 240) \
  STRUCT(tlsrig_info, 64) \
    FIELD(tlsrig_info, struct_size, 0, 4) \
    FIELD(tlsrig_info, config_size, 4, 4) \
    FIELD(tlsrig_info, name, 8, 8) \
    FIELD(tlsrig_info, library, 16, 8) \
    FIELD(tlsrig_info, build, 24, 8) \
    FIELD(tlsrig_info, anchors, 32, 8) \
    FIELD(tlsrig_info, protocols, 40, 4) \
    FIELD(tlsrig_info, transports, 44, 4) \
    FIELD(tlsrig_info, ciphers, 48, 8) \
    FIELD(tlsrig_info, groups, 56, 8) \
  STRUCT(tlsrig_config, 80) \
    FIELD(tlsrig_config, struct_size, 0, 4) \
    FIELD(tlsrig_config, role, 4, 4) \
    FIELD(tlsrig_config, protocols, 8, 4) \
    FIELD(tlsrig_config, verify_peer, 12, 4) \
    FIELD(tlsrig_config, ciphers, 16, 8) \
    FIELD(tlsrig_config, groups, 24, 8) \
    FIELD(tlsrig_config, certificate_chain, 32, 8) \
    FIELD(tlsrig_config, private_key, 40, 8) \
    FIELD(tlsrig_config, trust_anchors, 48, 8) \
    FIELD(tlsrig_config, tickets, 56, 4) \
    FIELD(tlsrig_config, session_cache, 60, 4) \
    FIELD(tlsrig_config, record_size_max, 64, 4) \
    FIELD(tlsrig_config, release_buffers, 68, 4) \
    FIELD(tlsrig_config, read_ahead, 72, 4) \
  STRUCT(tlsrig_wire, 56) \
    FIELD(tlsrig_wire, in, 0, 8) \
    FIELD(tlsrig_wire, in_size, 8, 8) \
    FIELD(tlsrig_wire, in_used, 16, 8) \
    FIELD(tlsrig_wire, out, 24, 8) \
    FIELD(tlsrig_wire, out_size, 32, 8) \
    FIELD(tlsrig_wire, out_used, 40, 8) \
    FIELD(tlsrig_wire, in_ended, 48, 4) \
  STRUCT(tlsrig_transport, 16) \
    FIELD(tlsrig_transport, kind, 0, 4) \
    FIELD(tlsrig_transport, fd, 4, 4) \
    FIELD(tlsrig_transport, wire, 8, 8) \
  STRUCT(tlsrig_facts, 48) \
    FIELD(tlsrig_facts, struct_size, 0, 4) \
    FIELD(tlsrig_facts, protocol, 4, 4) \
    FIELD(tlsrig_facts, resumed, 8, 4) \
    FIELD(tlsrig_facts, hello_retry, 12, 4) \
    FIELD(tlsrig_facts, peer_verified, 16, 4) \
    FIELD(tlsrig_facts, encrypt_then_mac, 20, 4) \
    FIELD(tlsrig_facts, cipher, 24, 8) \
    FIELD(tlsrig_facts, group, 32, 8) \
    FIELD(tlsrig_facts, signature, 40, 8) \
  STRUCT(tlsrig_backend, 96) \
    FIELD(tlsrig_backend, abi_version, 0, 4) \
    FIELD(tlsrig_backend, struct_size, 4, 4) \
    FIELD(tlsrig_backend, start, 8, 8) \
    FIELD(tlsrig_backend, create_context, 16, 8) \
    FIELD(tlsrig_backend, destroy_context, 24, 8) \
    FIELD(tlsrig_backend, open, 32, 8) \
    FIELD(tlsrig_backend, close, 40, 8) \
    FIELD(tlsrig_backend, handshake, 48, 8) \
    FIELD(tlsrig_backend, read, 56, 8) \
    FIELD(tlsrig_backend, write, 64, 8) \
    FIELD(tlsrig_backend, shutdown, 72, 8) \
    FIELD(tlsrig_backend, describe, 80, 8) \
    FIELD(tlsrig_backend, extension, 88, 8) \
  STRUCT(tlsrig_keylog, 8) \
    FIELD(tlsrig_keylog, start, 0, 8) \
  STRUCT(tlsrig_pending, 8) \
    FIELD(tlsrig_pending, bytes, 0, 8) \
  STRUCT(tlsrig_resumption, 32) \
    FIELD(tlsrig_resumption, take, 0, 8) \
    FIELD(tlsrig_resumption, open, 8, 8) \
    FIELD(tlsrig_resumption, tickets_received, 16, 8) \
    FIELD(tlsrig_resumption, release, 24, 8)

// CONSTANT(name, value)
#define ABI_CONSTANTS(CONSTANT) \
  CONSTANT(TLSRIG_ABI_VERSION, 1) \
  CONSTANT(TLSRIG_OK, 0) \
  CONSTANT(TLSRIG_WANT_READ, 1) \
  CONSTANT(TLSRIG_WANT_WRITE, 2) \
  CONSTANT(TLSRIG_CLOSED, 3) \
  CONSTANT(TLSRIG_ERROR, 4) \
  CONSTANT(TLSRIG_UNSUPPORTED, 5) \
  CONSTANT(TLSRIG_NONE, 4294967295) \
  CONSTANT(TLSRIG_ON, 1) \
  CONSTANT(TLSRIG_CLIENT, 0) \
  CONSTANT(TLSRIG_SERVER, 1) \
  CONSTANT(TLSRIG_TLS_1_2, 1) \
  CONSTANT(TLSRIG_TLS_1_3, 2) \
  CONSTANT(TLSRIG_WIRE, 1) \
  CONSTANT(TLSRIG_FD, 2) \
  CONSTANT(TLSRIG_UNKNOWN, 0) \
  CONSTANT(TLSRIG_NO, 1) \
  CONSTANT(TLSRIG_YES, 2) \
  CONSTANT(TLSRIG_WRITE_MAX, 16384) \
  CONSTANT(TLSRIG_ERROR_OTHER, 0) \
  CONSTANT(TLSRIG_ERROR_TRUNCATED, 1) \
  CONSTANT(TLSRIG_ERROR_ALERT, 2) \
  CONSTANT(TLSRIG_ERROR_PROTOCOL, 3) \
  CONSTANT(TLSRIG_ERROR_CERTIFICATE, 4) \
  CONSTANT(TLSRIG_ERROR_SYSTEM, 5) \
  CONSTANT(TLSRIG_ERROR_CONFIG, 6)
// clang-format on

#define ABI_ASSERT_STRUCT(type, bytes) static_assert(sizeof(struct type) == (bytes), "size of " #type);
#define ABI_ASSERT_FIELD(type, field, offset, bytes)                                      \
  static_assert(offsetof(struct type, field) == (offset), "offset of " #type "." #field); \
  static_assert(sizeof(((struct type*)0)->field) == (bytes), "size of " #type "." #field);
#define ABI_ASSERT_CONSTANT(name, value) static_assert((name) == (value), "value of " #name);

static_assert(sizeof(void*) == 8 && sizeof(size_t) == 8, "the layout below is that of LP64");
static_assert(sizeof(tlsrig_result) == 4, "size of tlsrig_result");
ABI_LAYOUT(ABI_ASSERT_STRUCT, ABI_ASSERT_FIELD)
ABI_CONSTANTS(ABI_ASSERT_CONSTANT)

// What the compiler has agreed to, for the log.
#define ABI_PRINT_STRUCT(type, bytes) printf("%s: %d bytes\n", #type, bytes);
#define ABI_PRINT_FIELD(type, field, offset, bytes) printf("  %3d %3d  %s\n", offset, bytes, #field);
#define ABI_PRINT_CONSTANT(name, value) printf("%s = %lld\n", #name, (long long)(value));

static void abi_print(const char* language) {
  printf("asserted while compiling as %s\n", language);
  ABI_LAYOUT(ABI_PRINT_STRUCT, ABI_PRINT_FIELD)
  ABI_CONSTANTS(ABI_PRINT_CONSTANT)
}

#endif
