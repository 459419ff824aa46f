// The checks around every call of an end.
#include <tlsrig/check/bench/end.hpp>

#include <algorithm>
#include <iterator>

#include <tlsrig/check/bench/guard.hpp>
#include <tlsrig/check/bench/judgement.hpp>

namespace tlsrig::check {
namespace {

constexpr std::size_t canary = 0xA5A5A5A5u;  // a size that no call gives

// Bytes on both sides of what a write is given. A sanitizer sees a look beyond the buffer by itself, unless there is
// something.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t source_guard_size = 0;
#else
constexpr std::size_t source_guard_size = guard_size;
#endif

}  // namespace

End::End(std::string who, const host::Context& context, std::unique_ptr<Port> port, const char* server_name,
         Flow& incoming, Flow& outgoing, host::Ticket* ticket)
    : who_(std::move(who)),
      table_(&context.backend().table()),
      log_(context.backend().log()),
      port_(std::move(port)),
      incoming_(&incoming),
      outgoing_(&outgoing) {
  host::LoggedCall opening(log_, {"open", who_.c_str(), 0, wire()});
  if (ticket)
    session_.emplace(host::Resumption::of(context.backend())
                         .value()
                         .open(context, port_->transport(), server_name, std::move(*ticket), *error_));
  else
    session_.emplace(context, port_->transport(), server_name, *error_);
  opening.ends(TLSRIG_OK);
}

void End::accuse(const std::string& what, const Rule& broken) const {
  throw Failed(fmt::format("{} {}() {}", who_, last_.name, what), broken);
}

void End::refuse_misfit(tlsrig_result result, bool closed_fits, bool unsupported_fits) const {
  if (result == TLSRIG_CLOSED && !closed_fits) accuse("answered CLOSED, which only read may", rules::answers);
  if (result == TLSRIG_UNSUPPORTED && !unsupported_fits)
    accuse("answered UNSUPPORTED, which only handshake may", rules::answers);
}

void End::note(const char* name, tlsrig_result result, std::size_t offered) {
  if (last_.name != name) last_.in_vain = 0;
  last_.name = name;
  last_.result = result;
  last_.offered = offered;
}

void End::close() {
  if (!session_) return;
  host::LoggedCall closing(log_, {"close", who_.c_str(), 0, wire()});
  session_.reset();
  closing.ends(TLSRIG_OK);
}

// size: bytes that the call is given, or has room for; got: where it says how many it moved.
template <class Call>
tlsrig_result End::checked(const char* name, std::size_t size, const std::size_t* got, Call&& call) {
  port_->offer(*incoming_);
  const std::size_t offered = port_->unused();
  tlsrig_result result;
  {
    host::LoggedCall logged(log_, {name, who_.c_str(), size, wire()});
    result = call();
    logged.ends(result, got && result == TLSRIG_OK ? *got : 0);
  }
  note(name, result, offered);
  if (const auto complaint = port_->complaint(result)) accuse(complaint->words, complaint->rule);
  if (!error_.intact())
    accuse("wrote outside the tlsrig_error given to open: its guard bytes were overwritten", rules::struct_bounds);
  const std::size_t unused = port_->unused();
  const std::size_t moved = (unused < offered ? offered - unused : 0) + collect();
  const bool waits = result == TLSRIG_WANT_READ || result == TLSRIG_WANT_WRITE;
  last_.in_vain = waits && moved == 0 ? last_.in_vain + 1 : 0;
  progress_ += waits ? 0 : 1;
  progress_ += moved;
  if (result < TLSRIG_OK || result > TLSRIG_UNSUPPORTED) accuse("answered " + name_of(result), rules::answers);
  if (result == TLSRIG_ERROR || result == TLSRIG_UNSUPPORTED)
    if (const std::string complaint = complaint_about(*error_); !complaint.empty())
      accuse(fmt::format("answered {}, but {}", name_of(result), complaint), rules::error_words);
  return result;
}

tlsrig_result End::handshake() {
  const tlsrig_result result = checked("handshake", 0, nullptr, [&] { return session_->handshake(); });
  refuse_misfit(result, false, true);
  if (result == TLSRIG_UNSUPPORTED) throw host::Unsupported(fmt::format("{} handshake(): {}", who_, error_->text));
  if (result == TLSRIG_OK) deeds_.handshake = true;
  return result;
}

tlsrig_result End::read(std::size_t capacity, std::vector<std::uint8_t>& got) {
  std::vector<std::uint8_t> buffer = guarded_buffer(capacity);
  std::size_t size = canary;
  const tlsrig_result result =
      checked("read", capacity, &size, [&] { return session_->read(buffer.data() + guard_size, capacity, size); });
  const char* const broken = broken_guard(buffer);
  const bool too_much = result == TLSRIG_OK && size != canary && size > capacity;
  if (broken && !too_much)
    accuse(fmt::format("wrote outside a buffer of {} bytes: a guard byte {} was overwritten", capacity, broken),
           rules::read_gives);
  refuse_misfit(result, true, false);
  if (result != TLSRIG_OK) {
    if (size != canary)
      accuse(fmt::format("set *size with {} (law 8: outputs are written on OK only)", name_of(result)),
             rules::outputs_on_ok);
    return result;
  }
  if (size == canary) accuse("answered OK without setting *size", rules::read_gives);
  if (size < 1 || size > capacity)
    accuse(fmt::format("says {} bytes into a buffer of {}{} (law 4: 1 to capacity on OK)", size, capacity,
                       broken ? fmt::format("; a guard byte {} was overwritten", broken) : ""),
           rules::read_gives);
  deeds_.read += size;
  got.insert(got.end(), buffer.begin() + guard_size, buffer.begin() + std::ptrdiff_t(guard_size + size));
  return result;
}

tlsrig_result End::write(std::span<const std::uint8_t> data, std::size_t& written) {
  std::vector<std::uint8_t> copy(source_guard_size + data.size() + source_guard_size, guard_byte);  // while the last
  std::uint8_t* const source = copy.data() + source_guard_size;  // one lives: at another address
  std::copy(data.begin(), data.end(), source);
  std::size_t taken = canary;
  const tlsrig_result result =
      checked("write", data.size(), &taken, [&] { return session_->write(source, data.size(), taken); });
  if (!std::equal(data.begin(), data.end(), source))
    accuse(fmt::format("changed the {} bytes that it was given to send, which are only lent (law 8)", data.size()),
           rules::only_lent);
  if (const char* const broken = source_guard_size ? broken_guard(copy) : nullptr)
    accuse(fmt::format("overwrote a guard byte of what it was given to send, {} (law 8: it is only lent)", broken),
           rules::only_lent);
  std::fill(copy_.begin(), copy_.end(), scribble);
  std::fill(copy.begin(), copy.end(), scribble);
  copy_ = std::move(copy);
  refuse_misfit(result, false, false);
  if (result != TLSRIG_OK) {
    if (taken != canary)
      accuse(fmt::format("set *written with {} (law 8: outputs are written on OK only)", name_of(result)),
             rules::outputs_on_ok);
    return result;
  }
  if (taken == canary) accuse("answered OK without setting *written", rules::write_takes);
  const std::size_t most = std::min<std::size_t>(data.size(), TLSRIG_WRITE_MAX);
  if (taken > most || (taken == 0 && !data.empty()))
    accuse(fmt::format("says {} of {} bytes were taken (law 3: 1 to {} on OK)", taken, data.size(), most),
           rules::write_takes);
  deeds_.written += taken;
  written = taken;
  return result;
}

tlsrig_result End::shutdown() {
  const tlsrig_result result = checked("shutdown", 0, nullptr, [&] { return session_->shutdown(); });
  refuse_misfit(result, false, false);
  if (result == TLSRIG_OK) deeds_.shutdown = true;
  constexpr unsigned calls_max = 10'000;  // a close_notify has some thirty bytes, and a window one at least
  if (++shutdowns_ > calls_max)
    accuse(
        fmt::format("has not answered OK in {} calls, and sends on: it makes another goodbye at each call", calls_max),
        rules::one_goodbye);
  return result;
}

tlsrig_facts End::describe() const {
  Guarded<tlsrig_facts> facts;
  facts->struct_size = sizeof *facts;
  {
    host::LoggedCall call = logged("describe");
    [&]() noexcept { table_->describe(session_->get(), &*facts); }();  // as host::Session does with every slot
    call.ends(TLSRIG_OK);
  }
  require(facts.intact(), rules::struct_bounds,
          "{} describe() wrote outside the tlsrig_facts: its guard bytes were overwritten", who_);
  return *facts;
}

std::size_t End::collect() {
  const std::size_t sent = port_->collect(*outgoing_);
  if (deeds_.handshake) deeds_.sent_after_handshake += sent;
  return sent;
}

std::size_t End::collect_all() {
  const std::size_t early = collect();
  port_->settle();
  return early + collect();
}

void End::finish() {
  collect();
  port_->finish(*outgoing_);
}

std::string End::state() const {
  if (last_.result == TLSRIG_WANT_READ && incoming_->at_end())
    return fmt::format("{} waits in {}() for input, and its stream has ended (in_ended is set, the socket reads 0)",
                       who_, last_.name);
  if (last_.result == TLSRIG_WANT_READ)
    return last_.offered == 0
               ? fmt::format("{} waits in {}() for input that no one sends", who_, last_.name)
               : fmt::format("{} {}() asked for input {} times without using any; {} bytes were offered each time",
                             who_, last_.name, last_.in_vain, last_.offered);
  if (last_.result == TLSRIG_WANT_WRITE)
    return fmt::format("{} {}() asked for room {} times without sending a byte; the bench could take {} more", who_,
                       last_.name, last_.in_vain,
                       outgoing_->room() == unlimited ? "any number" : fmt::format("{}", outgoing_->room()));
  return fmt::format("{} is done with {}() ({})", who_, last_.name, name_of(last_.result));
}

std::string End::last_words() const {
  const std::string words = last_.result == TLSRIG_ERROR ? fmt::format(" ({})", words_of(*error_)) : "";
  return fmt::format("{} {}() answered {}{}", who_, last_.name, name_of(last_.result), words);
}

}  // namespace tlsrig::check
