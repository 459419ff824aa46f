// A backend whose session answers what a test tells it to, and counts what the SDK lets through.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tlsrig/sdk/backend.hpp>
#include <tlsrig/sdk/extensions.hpp>

namespace toy {

struct Answer {
  tlsrig_result result = TLSRIG_OK;
  std::size_t size = 0;  // read and write: what OK says it moved
};

// What the session does next; a test reaches it through the context.
struct Script {
  Answer handshake, read, write, shutdown;
  int handshakes = 0, reads = 0, writes = 0, shutdowns = 0, descriptions = 0;
  std::size_t last_write_size = 0;
  tlsrig_facts facts{};
  std::function<void()> on_open;  // may throw
  std::function<void()> on_take;  // may throw
  int tickets_to_give = 0, tickets_alive = 0;
  std::size_t pending = 0;
  int keylog_fd = -1;
  int closed = 0;
};

struct Context {
  static inline std::function<void(const tlsrig_config&)> on_create;  // may throw; reset by each test that sets it
  static inline std::function<void()> on_start;                       // may throw

  static const tlsrig_info& start() {
    static const tlsrig_info info = [] {
      tlsrig_info told{};
      told.name = "toy";
      return told;
    }();
    if (on_start) on_start();
    return info;
  }
  static const void* extension(const char* name) noexcept { return std::string("toy/1") == name ? &on_start : nullptr; }

  explicit Context(const tlsrig_config& config_) : config(config_) {
    if (on_create) on_create(config_);
  }

  void start_keylog(int fd) {
    if (fd < 0) throw tlsrig::sdk::Failure(TLSRIG_ERROR_CONFIG, "no fd");
    script.keylog_fd = fd;
  }

  tlsrig_config config;
  Script script;
};

// Counts itself, so that a test sees when it is gone.
struct Ticket {
  explicit Ticket(Script& script_) : script(script_) { ++script.tickets_alive; }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket() { --script.tickets_alive; }
  Script& script;
};

struct Session {
  using Ticket = toy::Ticket;

  Session(Context& context, const tlsrig_transport&, const char* name, tlsrig_error& error_)
      : script(context.script), error(error_), server_name(name ? name : "") {
    if (script.on_open) script.on_open();
  }
  Session(Context& context, const tlsrig_transport& transport, const char* name, int ticket_, tlsrig_error& error_)
      : Session(context, transport, name, error_) {
    ticket = ticket_;
  }
  Session(Context& context, const tlsrig_transport& transport, const char* name, std::unique_ptr<Ticket>,
          tlsrig_error& error_)
      : Session(context, transport, name, error_) {
    ticket = 1;
  }
  ~Session() { ++script.closed; }

  std::unique_ptr<Ticket> take() {
    if (script.on_take) script.on_take();
    return script.tickets_to_give-- > 0 ? std::make_unique<Ticket>(script) : nullptr;
  }
  std::uint32_t tickets_received() noexcept { return 3; }
  std::size_t pending() noexcept { return script.pending; }

  tlsrig_result answer(const Answer& given, int& calls) noexcept {
    ++calls;
    if (given.result == TLSRIG_ERROR)
      tlsrig::sdk::set_error(error, TLSRIG_ERROR_PROTOCOL, 7, 40, "the library's own words");
    return given.result;
  }
  tlsrig_result handshake() noexcept { return answer(script.handshake, script.handshakes); }
  tlsrig_result read(std::uint8_t*, std::size_t, std::size_t& size) noexcept {
    size = script.read.size;
    return answer(script.read, script.reads);
  }
  tlsrig_result write(const std::uint8_t*, std::size_t size, std::size_t& written) noexcept {
    script.last_write_size = size;
    written = script.write.size;
    return answer(script.write, script.writes);
  }
  tlsrig_result shutdown() noexcept { return answer(script.shutdown, script.shutdowns); }
  void describe(tlsrig_facts& facts) noexcept {
    ++script.descriptions;
    facts = script.facts;
  }

  Script& script;
  tlsrig_error& error;
  std::string server_name;
  int ticket = 0;
};

using Slots = tlsrig::sdk::Slots<Context, Session>;

// One session of the toy over a wire, through the table as a host sees it.
class Bench {
 public:
  Bench() {
    tlsrig_config config{};
    config.struct_size = sizeof config;
    table.create_context(&config, &context, &error);
    const tlsrig_transport transport{TLSRIG_WIRE, -1, &wire};
    table.open(context, &transport, nullptr, &session, &error);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    table.close(session);
    table.destroy_context(context);
  }

  Script& script() { return Slots::context_of(context).script; }
  tlsrig_result handshake() { return table.handshake(session); }
  tlsrig_result read(std::size_t capacity = 64) { return table.read(session, buffer.data(), capacity, &size); }
  tlsrig_result write(std::size_t count) { return table.write(session, buffer.data(), count, &size); }
  tlsrig_result shutdown() { return table.shutdown(session); }
  bool dead() { return handshake() == TLSRIG_ERROR && read() == TLSRIG_ERROR && write(1) == TLSRIG_ERROR; }

  static constexpr std::size_t untouched = 12345;
  const tlsrig_backend table = Slots::table();
  tlsrig_context* context = nullptr;
  tlsrig_session* session = nullptr;
  tlsrig_error error{};
  tlsrig_wire wire{};
  std::vector<std::uint8_t> buffer = std::vector<std::uint8_t>(100'000);
  std::size_t size = untouched;
};

}  // namespace toy
