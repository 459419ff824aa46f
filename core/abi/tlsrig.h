// The contract between tlsrig and a backend: a plugin that drives one TLS library.
//
// C11 and C++20 read this file alike, so a backend may be written in C, C++ or Rust. A backend exports one constant
// object, tlsrig_backend_v1, and nothing else. The core contract does not grow: a new ability is an extension with a
// header of its own; only tlsrig_info and tlsrig_config may get fields, at their end.
//
// The laws of a session, which the slots below refer to:
//  1. WANT_READ: all of `in` was used; on an fd, the socket said EAGAIN and no complete record is held inside.
//     WANT_WRITE: `out` is full (fd: EAGAIN). Either may come from any call. A window of one byte makes progress.
//  2. Nothing stays inside: OK, WANT_READ and CLOSED say that all the library wants to send is in `out` or on the fd;
//     else the answer is WANT_WRITE. What belongs to a write that answered WANT_WRITE is not counted.
//  3. write takes at most TLSRIG_WRITE_MAX bytes a call; on OK *written is 1 or more and the rest is a new write; size
//     0 is OK, 0. After WANT_* the next write has the same bytes in the same size, at any address; only read and close
//     may come between.
//  4. read has capacity >= 1 and gives *size >= 1 on OK; more may be ready: the runner reads again before it waits.
//  5. End of stream. TLS: close_notify (RFC 8446, 6.1) gives CLOSED, now and at each later read; in_ended (fd: EOF)
//     before it is ERROR of kind TRUNCATED. Plain (protocols == 0): in_ended gives CLOSED.
//  6. shutdown comes after the handshake and with no write blocked; OK means close_notify is out; again is OK. After
//     it no write; read goes on to CLOSED. CLOSED does not forbid write. The runner then ends the TCP direction.
//  7. Before handshake is OK only handshake and close are called; after ERROR only close, and the runner first sends
//     what is in `out`: the alert. handshake may answer UNSUPPORTED when the library names a limit of its own.
//  8. Structs and strings are borrowed for the call, except the wire and the tlsrig_error given to open, which stay in
//     place until close; session calls report into that error, at the moment of failure, on that thread. Outputs are
//     written on OK only. A context outlives its sessions and is immutable; a session is used by one thread at a time.
//     describe comes after OK only. No call blocks or touches signals. Plugins are never unloaded.
#ifndef TLSRIG_H
#define TLSRIG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TLSRIG_ABI_VERSION 1u
#define TLSRIG_EXPORT __attribute__((visibility("default")))

// The answer of every call that can fail.
typedef int32_t tlsrig_result;
#define TLSRIG_OK 0
#define TLSRIG_WANT_READ 1    // needs input: supply it, repeat the call
#define TLSRIG_WANT_WRITE 2   // output is full: drain it, repeat the call
#define TLSRIG_CLOSED 3       // the peer ended the stream in order
#define TLSRIG_ERROR 4        // the session is dead; its tlsrig_error says why
#define TLSRIG_UNSUPPORTED 5  // this library cannot do it: skipped by name, not failed

// In every number of a configuration 0 is the library's own default and NONE is none or off.
#define TLSRIG_NONE UINT32_MAX
#define TLSRIG_ON 1u

// tlsrig_config.role
#define TLSRIG_CLIENT 0
#define TLSRIG_SERVER 1

// tlsrig_info.protocols and tlsrig_config.protocols are sets of these; tlsrig_facts.protocol is one of them.
#define TLSRIG_TLS_1_2 1u
#define TLSRIG_TLS_1_3 2u

// tlsrig_info.transports is a set of these; tlsrig_transport.kind is one of them.
#define TLSRIG_WIRE 1u
#define TLSRIG_FD 2u

// tlsrig_facts: an answer that a library may be unable to give.
#define TLSRIG_UNKNOWN 0u
#define TLSRIG_NO 1u
#define TLSRIG_YES 2u

// Most bytes that one write takes: the plaintext limit of a record (RFC 8446, 5.1).
#define TLSRIG_WRITE_MAX 16384u

// tlsrig_error.kind
#define TLSRIG_ERROR_OTHER 0
#define TLSRIG_ERROR_TRUNCATED 1    // the transport ended before close_notify
#define TLSRIG_ERROR_ALERT 2        // the peer sent a fatal alert
#define TLSRIG_ERROR_PROTOCOL 3     // the peer broke the protocol, or nothing in common could be agreed
#define TLSRIG_ERROR_CERTIFICATE 4  // the peer's certificate was refused
#define TLSRIG_ERROR_SYSTEM 5       // a system call failed: code is its errno
#define TLSRIG_ERROR_CONFIG 6       // the configuration, a file of it, or the order of calls is wrong

typedef struct tlsrig_error {
  int32_t kind;    // TLSRIG_ERROR_*
  int32_t alert;   // TLS alert sent or received (RFC 8446, 6), the one that the library chose; -1: none
  int64_t code;    // the library's own
  char text[240];  // the library's own words, NUL-terminated
} tlsrig_error;

// What a backend is. Constant once start has returned; owned by the plugin.
typedef struct tlsrig_info {
  uint32_t struct_size;             // sizeof(tlsrig_info) as this plugin knows it
  uint32_t config_size;             // sizeof(tlsrig_config) as this plugin knows it
  const char *name;                 // as scenarios spell it
  const char *library;              // the library's own run-time version string
  const char *build;                // how it was built, as far as the library tells (flags, asm, CPU features), parts
                                    // separated by "; ". "hardware AES: no" warns readers of its figures, and
                                    // "headers: VERSION" says that the plugin was compiled with the headers of
                                    // another version than the library that runs.
  const void *const *anchors;       // functions in use, one per library file, NULL-terminated: the host finds each
                                    // one's file with dladdr. One is not enough where a library has two files, and
                                    // the files of its cryptography are its own too.
  uint32_t protocols;               // TLSRIG_TLS_*; 0: plain
  uint32_t transports;              // TLSRIG_WIRE | TLSRIG_FD
  const char *const *ciphers;       // IANA names that a configuration can choose, NULL-terminated. A backend that has
                                    // TLS 1.3 but cannot choose its ciphers lists none of them and takes any: what was
                                    // negotiated decides.
  const char *const *groups;        // IANA names, NULL-terminated
} tlsrig_info;

// How a context shall behave. A zeroed configuration is the library "as shipped"; a NULL list is the library's default.
// A field beyond the plugin's config_size that is not 0 is answered UNSUPPORTED by the host, without a call.
// PEM files are named, not passed: a library's own loader is part of what it is.
typedef struct tlsrig_config {
  uint32_t struct_size;             // sizeof(tlsrig_config) as the host knows it
  int32_t role;                     // TLSRIG_CLIENT or TLSRIG_SERVER
  uint32_t protocols;               // the set that may be negotiated
  uint32_t verify_peer;             // TLSRIG_ON: a peer without a good certificate is refused; TLSRIG_NONE: any
  const char *const *ciphers;       // IANA names in order of preference, NULL-terminated. With them encrypt-then-MAC (RFC
                                    // 7366) is not offered and not accepted: not every library has it
  const char *const *groups;        // IANA names in order of preference, NULL-terminated; a TLS 1.3 client sends a key
                                    // share of the first alone
  const char *certificate_chain;    // PEM file, leaf first; NULL: none
  const char *private_key;          // PEM file; NULL: none
  const char *trust_anchors;        // PEM file; NULL: the library's default
  uint32_t tickets;                 // server: session tickets sent after a full handshake; TLS 1.2 has one at most.
                                    // client: NONE asks for none, any other number for one (RFC 5077, 3.2)
                                    // 0 at the server of a library that needs to be given a key for them: none
  uint32_t session_cache;           // server: sessions held for resumption by id, about as many and no more.
                                    // client: nothing is held in a context (see resumption.h)
  uint32_t record_size_max;         // most plaintext bytes of a record that is sent; whether the peer is told of it
                                    // (RFC 8449) is the library's own matter
  uint32_t release_buffers;         // TLSRIG_ON: an idle session gives its buffers back
  uint32_t read_ahead;              // TLSRIG_ON: one read of the socket may take several records
} tlsrig_config;

// Windows onto two buffers that the runner owns; no callback crosses the boundary. The runner sets the pointers and
// sizes and may move them between calls; the backend advances in_used and out_used and nothing else.
typedef struct tlsrig_wire {
  const uint8_t *in;
  size_t in_size, in_used;
  uint8_t *out;
  size_t out_size, out_used;
  uint32_t in_ended;                // not 0: the peer sends nothing after `in`
} tlsrig_wire;

// What a session talks over: kind says whether fd or wire counts. The fd is a connected, non-blocking stream socket
// that the runner owns and closes.
typedef struct tlsrig_transport {
  uint32_t kind;
  int32_t fd;
  tlsrig_wire *wire;
} tlsrig_transport;

// What the handshake settled, as the library tells it. The caller zeroes it and sets struct_size; strings live until
// close. NULL and TLSRIG_UNKNOWN: not told.
typedef struct tlsrig_facts {
  uint32_t struct_size;
  uint32_t protocol;                // TLSRIG_TLS_*; 0: plain or not told
  uint32_t resumed, hello_retry, peer_verified, encrypt_then_mac;  // TLSRIG_UNKNOWN, TLSRIG_NO, TLSRIG_YES
  // IANA names; signature: the peer's. A resumed handshake has no signature, and in TLS 1.2 no group; its peer_verified
  // is that of the session that it resumes.
  const char *cipher, *group, *signature;
} tlsrig_facts;

typedef struct tlsrig_context tlsrig_context;  // a backend's own
typedef struct tlsrig_session tlsrig_session;  // a backend's own

typedef struct tlsrig_backend {
  uint32_t abi_version;             // TLSRIG_ABI_VERSION, equal on both sides
  uint32_t struct_size;             // at least the host's; what lies beyond is ignored

  // Readies the library and tells what it is. Once per process, before every other slot, on one thread. Takes at most
  // 10 s.
  tlsrig_result (*start)(const tlsrig_info **info, tlsrig_error *error);

  // Makes a context. OK, ERROR, or UNSUPPORTED with the reason in error. The caller destroys it. [any thread]
  tlsrig_result (*create_context)(const tlsrig_config *config, tlsrig_context **context, tlsrig_error *error);

  // Frees a context whose sessions are all closed; NULL allowed. [any thread]
  void (*destroy_context)(tlsrig_context *context);

  // Makes a session over a transport. server_name: the host name or IP address that a client sends (host names only)
  // and checks; NULL: neither; servers ignore it. error and transport->wire stay in place until close.
  // OK, ERROR or UNSUPPORTED. The caller closes it. [any thread]
  tlsrig_result (*open)(tlsrig_context *context, const tlsrig_transport *transport, const char *server_name,
                        tlsrig_session **session, tlsrig_error *error);

  // Frees a session, sends nothing, leaves the fd open; NULL allowed.
  void (*close)(tlsrig_session *session);

  // The slots below: one thread at a time per session.

  // Goes on with the handshake. OK, WANT_READ, WANT_WRITE, ERROR, or UNSUPPORTED (law 7).
  tlsrig_result (*handshake)(tlsrig_session *session);

  // Reads decrypted bytes. OK with *size >= 1, WANT_READ, WANT_WRITE, CLOSED or ERROR (laws 1, 4, 5).
  tlsrig_result (*read)(tlsrig_session *session, uint8_t *data, size_t capacity, size_t *size);

  // Encrypts and sends bytes. OK with *written, WANT_READ, WANT_WRITE or ERROR (laws 2, 3).
  tlsrig_result (*write)(tlsrig_session *session, const uint8_t *data, size_t size, size_t *written);

  // Sends close_notify. OK, WANT_READ, WANT_WRITE or ERROR (law 6).
  tlsrig_result (*shutdown)(tlsrig_session *session);

  // Tells what the handshake settled; after handshake was OK only.
  void (*describe)(tlsrig_session *session, tlsrig_facts *facts);

  // The table of an extension by its id ("tlsrig.resumption/1"), NULL when absent. After start. [any thread]
  const void *(*extension)(const char *name);
} tlsrig_backend;

// The one symbol that a backend exports.
extern TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1;

#ifdef __cplusplus
}
#endif
#endif
