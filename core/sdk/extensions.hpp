// Tables of the extensions, made from methods of a backend's Context and Session, as backend.hpp makes the table of the
// contract. A Context returns a table only when its Session has the methods for it:
//
//   tlsrig.pending/1     std::size_t Session::pending() noexcept;
//   tlsrig.keylog/1      void Context::start_keylog(int fd);                     // may throw
//   tlsrig.resumption/1  class Session::Ticket;                                  // freed by its destructor
//                        Session(Context&, const tlsrig_transport&, const char* server_name,
//                                std::unique_ptr<Ticket>, tlsrig_error&);        // may throw; the ticket is never null
//                        std::unique_ptr<Ticket> Session::take();                // null: none to give; may throw
//                        std::uint32_t Session::tickets_received() noexcept;
//
//   const void* Context::extension(const char* name) noexcept {
//     static constexpr auto resumption = sdk::resumption_table<Context, Session>();
//     return std::strcmp(name, TLSRIG_RESUMPTION) ? nullptr : &resumption;
//   }
//
// What a Session may rely on: none of its methods here is called before its handshake was OK or after its ERROR. A
// session that an extension opened obeys the same laws as any other, and an open consumes its ticket whatever happens.
// A Ticket may be freed on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <tlsrig/abi/keylog.h>
#include <tlsrig/abi/pending.h>
#include <tlsrig/abi/resumption.h>
#include <tlsrig/sdk/backend.hpp>

namespace tlsrig::sdk {

template <class Context, class Session>
struct PendingSlots {
  static std::size_t bytes(tlsrig_session* session) noexcept {
    auto& self = Slots<Context, Session>::held(session);
    return self.stage == Stage::established ? self.session.pending() : 0;
  }
};

template <class Context, class Session>
struct KeylogSlots {
  static tlsrig_result start(tlsrig_context* context, std::int32_t fd, tlsrig_error* error) noexcept {
    set_error(*error, TLSRIG_ERROR_OTHER, 0, -1, "");
    return guarded(error, [&] { Slots<Context, Session>::context_of(context).start_keylog(fd); });
  }
};

template <class Context, class Session>
struct ResumptionSlots {
  using Base = Slots<Context, Session>;
  using Ticket = typename Session::Ticket;

  static tlsrig_result take(tlsrig_session* session, tlsrig_ticket** ticket) noexcept {
    auto& self = Base::held(session);
    if (self.stage != Stage::established) return self.refuse("take before the handshake was OK");
    std::unique_ptr<Ticket> taken;
    if (const tlsrig_result result = guarded(&self.error, [&] { taken = self.session.take(); })) {
      self.stage = Stage::dead;
      return result == TLSRIG_ERROR ? result : self.misfit(result, "take");
    }
    if (!taken) return TLSRIG_WANT_READ;
    *ticket = reinterpret_cast<tlsrig_ticket*>(taken.release());
    return TLSRIG_OK;
  }

  static tlsrig_result open(tlsrig_context* context, const tlsrig_transport* transport, const char* server_name,
                            tlsrig_ticket* ticket, tlsrig_session** session, tlsrig_error* error) noexcept {
    std::unique_ptr<Ticket> offered(reinterpret_cast<Ticket*>(ticket));
    if (!offered) {
      set_error(*error, TLSRIG_ERROR_CONFIG, 0, -1, "open was given no ticket: needed is one that take gave");
      return TLSRIG_ERROR;
    }
    return Base::open_with(context, transport, server_name, session, error, std::move(offered));
  }

  static std::uint32_t tickets_received(tlsrig_session* session) noexcept {
    auto& self = Base::held(session);
    return self.stage == Stage::established ? self.session.tickets_received() : 0;
  }

  static void release(tlsrig_ticket* ticket) noexcept { delete reinterpret_cast<Ticket*>(ticket); }
};

template <class Context, class Session>
constexpr tlsrig_pending pending_table() {
  return {PendingSlots<Context, Session>::bytes};
}

template <class Context, class Session>
constexpr tlsrig_keylog keylog_table() {
  return {KeylogSlots<Context, Session>::start};
}

template <class Context, class Session>
constexpr tlsrig_resumption resumption_table() {
  using Table = ResumptionSlots<Context, Session>;
  return {Table::take, Table::open, Table::tickets_received, Table::release};
}

}  // namespace tlsrig::sdk
