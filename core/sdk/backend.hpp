// Comfort for plugin writers in C++: two small classes, Context and Session, become the C table of the contract. The
// laws 3, 4, 6 and 7 are enforced here, once for every backend, and no exception leaves a slot.
//
//   struct Context {
//     static const tlsrig_info& start();                 // once per process; may throw
//     static const void* extension(const char*) noexcept;
//     explicit Context(const tlsrig_config&);            // may throw Unsupported, Failure
//   };
//   struct Session {
//     Session(Context&, const tlsrig_transport&, const char* server_name, tlsrig_error&);   // may throw
//     tlsrig_result handshake() noexcept;
//     tlsrig_result read(std::uint8_t* data, std::size_t capacity, std::size_t& size) noexcept;
//     tlsrig_result write(const std::uint8_t* data, std::size_t size, std::size_t& written) noexcept;
//     tlsrig_result shutdown() noexcept;
//     void describe(tlsrig_facts&) noexcept;
//   };
//   TLSRIG_BACKEND(Context, Session)
//
// What a Context may rely on: its configuration is whole (what the host did not say is 0), has no field that this
// header does not know, and a role that it does.
//
// What a Session may rely on: the transport is a wire with its windows or an fd; handshake is not called again after
// OK; read has capacity >= 1 and is not called after CLOSED; write has 1 to 16,384 bytes, the same after WANT_*; no
// write after shutdown; shutdown is not called while a write is blocked, nor after its OK; nothing but the destructor
// after ERROR or UNSUPPORTED. A Session that answers ERROR has filled the error given to its constructor.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

#include <tlsrig/abi/tlsrig.h>
#include <tlsrig/sdk/failure.hpp>

namespace tlsrig::sdk {

// clang-format off
template <class S>
concept HotPathIsNoexcept =
    requires(S session, std::uint8_t* data, const std::uint8_t* bytes, std::size_t size, tlsrig_facts& facts) {
      { session.handshake() } noexcept -> std::same_as<tlsrig_result>;
      { session.read(data, size, size) } noexcept -> std::same_as<tlsrig_result>;
      { session.write(bytes, size, size) } noexcept -> std::same_as<tlsrig_result>;
      { session.shutdown() } noexcept -> std::same_as<tlsrig_result>;
      { session.describe(facts) } noexcept;
    };
// clang-format on

enum class Stage : std::uint8_t { handshaking, established, dead };

// What tlsrig_session points to: the backend's session and what the laws need to know of it.
template <class Session>
struct Held {
  template <class... Arguments>
  explicit Held(tlsrig_error& error_, Arguments&&... arguments)
      : error(error_), session(std::forward<Arguments>(arguments)..., error_) {}

  tlsrig_error& error;
  Stage stage = Stage::handshaking;
  bool read_closed = false;
  bool shutting_down = false;
  bool shut_down = false;
  std::size_t blocked_write_size = 0;
  Session session;

  // A call out of order ends the session: going on would measure something else than was asked.
  tlsrig_result refuse(const char* what) noexcept {
    if (stage != Stage::dead) set_error(error, TLSRIG_ERROR_CONFIG, 0, -1, what);
    stage = Stage::dead;
    return TLSRIG_ERROR;
  }

  // Every answer but OK passes here, and an answer that the slot `call` may not give ends the session: passed on, it
  // would send the runner into a loop or stand for something that never happened.
  tlsrig_result settle(tlsrig_result result, const char* call) noexcept {
    if (result == TLSRIG_WANT_READ || result == TLSRIG_WANT_WRITE) return result;
    stage = Stage::dead;
    if (result == TLSRIG_ERROR) return result;
    return misfit(result, call);
  }

  [[gnu::cold]] tlsrig_result misfit(tlsrig_result result, const char* call) noexcept {
    stage = Stage::dead;
    char text[sizeof error.text];
    std::snprintf(text, sizeof text, "the backend's %s answered %d, which the contract does not allow there", call,
                  static_cast<int>(result));
    set_error(error, TLSRIG_ERROR_OTHER, result, -1, text);
    return TLSRIG_ERROR;
  }

  [[gnu::cold]] tlsrig_result impossible_size(std::size_t size, std::size_t limit, const char* call) noexcept {
    stage = Stage::dead;
    char text[sizeof error.text];
    std::snprintf(text, sizeof text, "the backend's %s answered OK with %zu bytes; the contract allows 1 to %zu", call,
                  size, limit);
    set_error(error, TLSRIG_ERROR_OTHER, 0, -1, text);
    return TLSRIG_ERROR;
  }
};

// The configuration as this header knows it, from a host that is older or newer.
inline tlsrig_config known_config(const tlsrig_config& given) {
  if (given.struct_size < offsetof(tlsrig_config, protocols))
    throw Failure(TLSRIG_ERROR_CONFIG, "tlsrig_config.struct_size is " + std::to_string(given.struct_size) +
                                           ": the host must set it to sizeof(tlsrig_config)");
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  for (std::size_t i = sizeof given; i < given.struct_size; ++i)
    if (bytes[i])
      throw Unsupported("tlsrig_config has a field at byte " + std::to_string(i) +
                        " that is newer than this plugin: build the plugin against the host's tlsrig.h");
  tlsrig_config known{};
  std::memcpy(&known, &given, std::min<std::size_t>(given.struct_size, sizeof known));
  known.struct_size = sizeof known;
  if (known.role != TLSRIG_CLIENT && known.role != TLSRIG_SERVER)
    throw Failure(TLSRIG_ERROR_CONFIG, "tlsrig_config.role is " + std::to_string(known.role) +
                                           ": needed is TLSRIG_CLIENT (0) or TLSRIG_SERVER (1)");
  return known;
}

inline void require_usable(const tlsrig_transport& transport) {
  if (transport.kind == TLSRIG_WIRE && transport.wire) return;
  if (transport.kind == TLSRIG_FD && transport.fd >= 0) return;
  throw Failure(TLSRIG_ERROR_CONFIG, "tlsrig_transport has kind " + std::to_string(transport.kind) + ", fd " +
                                         std::to_string(transport.fd) + (transport.wire ? ", a wire" : ", no wire") +
                                         ": needed is TLSRIG_WIRE (1) with a wire or TLSRIG_FD (2) with an open fd");
}

// Runs set-up code; turns what it throws into an answer.
template <class Function>
tlsrig_result guarded(tlsrig_error* error, Function&& function) noexcept {
  try {
    function();
    return TLSRIG_OK;
  } catch (const Unsupported& unsupported) {
    set_error(*error, TLSRIG_ERROR_CONFIG, 0, -1, unsupported.what());
    return TLSRIG_UNSUPPORTED;
  } catch (const Failure& failure) {
    set_error(*error, failure.kind, failure.code, -1, failure.what());
  } catch (const std::exception& exception) {
    set_error(*error, TLSRIG_ERROR_OTHER, 0, -1, exception.what());
  } catch (...) {
    set_error(*error, TLSRIG_ERROR_OTHER, 0, -1, "an exception that is not a std::exception");
  }
  return TLSRIG_ERROR;
}

template <class Context, class Session>
struct Slots {
  static_assert(HotPathIsNoexcept<Session>,
                "handshake, read, write, shutdown and describe must be noexcept and return what the contract says");

  static Held<Session>& held(tlsrig_session* session) noexcept { return *reinterpret_cast<Held<Session>*>(session); }
  static Context& context_of(tlsrig_context* context) noexcept { return *reinterpret_cast<Context*>(context); }

  static tlsrig_result start(const tlsrig_info** info, tlsrig_error* error) noexcept {
    return guarded(error, [&] { *info = &Context::start(); });
  }

  static tlsrig_result create_context(const tlsrig_config* config, tlsrig_context** context,
                                      tlsrig_error* error) noexcept {
    return guarded(error, [&] { *context = reinterpret_cast<tlsrig_context*>(new Context(known_config(*config))); });
  }

  static void destroy_context(tlsrig_context* context) noexcept { delete reinterpret_cast<Context*>(context); }

  // The slot `open`, and what an extension's open calls with more arguments for the Session's constructor, which come
  // before its error.
  template <class... More>
  static tlsrig_result open_with(tlsrig_context* context, const tlsrig_transport* transport, const char* server_name,
                                 tlsrig_session** session, tlsrig_error* error, More&&... more) noexcept {
    set_error(*error, TLSRIG_ERROR_OTHER, 0, -1, "");
    return guarded(error, [&] {
      require_usable(*transport);
      *session = reinterpret_cast<tlsrig_session*>(
          new Held<Session>(*error, context_of(context), *transport, server_name, std::forward<More>(more)...));
    });
  }

  static tlsrig_result open(tlsrig_context* context, const tlsrig_transport* transport, const char* server_name,
                            tlsrig_session** session, tlsrig_error* error) noexcept {
    return open_with(context, transport, server_name, session, error);
  }

  static void close(tlsrig_session* session) noexcept { delete reinterpret_cast<Held<Session>*>(session); }

  static tlsrig_result handshake(tlsrig_session* session) noexcept {
    auto& self = held(session);
    if (self.stage == Stage::established) return TLSRIG_OK;
    if (self.stage == Stage::dead) return TLSRIG_ERROR;
    const tlsrig_result result = self.session.handshake();
    if (result == TLSRIG_OK) {
      self.stage = Stage::established;
      return TLSRIG_OK;
    }
    if (result == TLSRIG_UNSUPPORTED) {
      self.stage = Stage::dead;
      return result;
    }
    return self.settle(result, "handshake");
  }

  static tlsrig_result read(tlsrig_session* session, std::uint8_t* data, std::size_t capacity,
                            std::size_t* size) noexcept {
    auto& self = held(session);
    if (self.stage != Stage::established) [[unlikely]]
      return self.refuse("read before the handshake was OK");
    if (self.read_closed) [[unlikely]]
      return TLSRIG_CLOSED;
    if (capacity == 0) [[unlikely]] {  // each library has its own answer to an empty read: none is asked
      *size = 0;
      return TLSRIG_OK;
    }
    std::size_t got = 0;
    const tlsrig_result result = self.session.read(data, capacity, got);
    if (result == TLSRIG_OK) [[likely]] {
      if (got == 0 || got > capacity) [[unlikely]]
        return self.impossible_size(got, capacity, "read");
      *size = got;
      return TLSRIG_OK;
    }
    if (result == TLSRIG_CLOSED) {
      self.read_closed = true;
      return result;
    }
    return self.settle(result, "read");
  }

  static tlsrig_result write(tlsrig_session* session, const std::uint8_t* data, std::size_t size,
                             std::size_t* written) noexcept {
    auto& self = held(session);
    if (size == 0) [[unlikely]] {  // each library has its own answer to an empty write: none is asked
      if (self.stage == Stage::dead) return TLSRIG_ERROR;
      *written = 0;
      return TLSRIG_OK;
    }
    if (self.stage != Stage::established) [[unlikely]]
      return self.refuse("write before the handshake was OK");
    if (self.shutting_down) [[unlikely]]
      return self.refuse("write after shutdown");
    if (self.blocked_write_size && self.blocked_write_size != size) [[unlikely]]
      return self.refuse("a blocked write was repeated with another size: needed are the same bytes in the same size");
    const std::size_t taken = size < TLSRIG_WRITE_MAX ? size : TLSRIG_WRITE_MAX;
    std::size_t sent = 0;
    const tlsrig_result result = self.session.write(data, taken, sent);
    if (result == TLSRIG_OK) [[likely]] {
      if (sent == 0 || sent > taken) [[unlikely]]
        return self.impossible_size(sent, taken, "write");
      self.blocked_write_size = 0;
      *written = sent;
      return TLSRIG_OK;
    }
    self.blocked_write_size = size;
    return self.settle(result, "write");
  }

  static tlsrig_result shutdown(tlsrig_session* session) noexcept {
    auto& self = held(session);
    if (self.stage != Stage::established) return self.refuse("shutdown before the handshake was OK");
    if (self.shut_down) return TLSRIG_OK;
    if (self.blocked_write_size) return self.refuse("shutdown while a write is blocked: finish the write first");
    self.shutting_down = true;
    const tlsrig_result result = self.session.shutdown();
    if (result != TLSRIG_OK) return self.settle(result, "shutdown");
    self.shut_down = true;
    return TLSRIG_OK;
  }

  static void describe(tlsrig_session* session, tlsrig_facts* facts) noexcept {
    auto& self = held(session);
    if (self.stage != Stage::established) return;  // libraries crash when asked earlier
    tlsrig_facts known{};
    self.session.describe(known);
    known.struct_size = facts->struct_size;
    std::memcpy(facts, &known, std::min<std::size_t>(facts->struct_size, sizeof known));
  }

  static constexpr tlsrig_backend table() {
    return {TLSRIG_ABI_VERSION,
            sizeof(tlsrig_backend),
            start,
            create_context,
            destroy_context,
            open,
            close,
            handshake,
            read,
            write,
            shutdown,
            describe,
            &Context::extension};
  }
};

}  // namespace tlsrig::sdk

#define TLSRIG_BACKEND(ContextClass, SessionClass)                            \
  extern "C" TLSRIG_EXPORT constinit const tlsrig_backend tlsrig_backend_v1 = \
      ::tlsrig::sdk::Slots<ContextClass, SessionClass>::table();
