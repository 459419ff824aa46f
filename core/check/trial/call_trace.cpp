// Writing and reading a ring of calls.
#include <tlsrig/check/trial/call_trace.hpp>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/measure/clock.hpp>

namespace tlsrig::check {

namespace {

template <std::size_t size>
void put(char (&to)[size], const char* text) {
  std::strncpy(to, text, size - 1);
  to[size - 1] = '\0';
}

WindowState state_of(const tlsrig_wire* wire) {
  if (!wire) return {};
  return {wire->in_size, wire->in_used, wire->out_size, wire->out_used, true, wire->in_ended != 0};
}

// Another process may have written what is read here: a name that has no end ends with its room.
template <std::size_t size>
std::string text_of(const char (&text)[size]) {
  return {text, strnlen(text, size)};
}

}  // namespace

void CallRing::clear() {
  count = 0;
  for (Entry& entry : entries) entry.number = 0;
}

std::size_t CallTrace::begin(const host::CallBegin& call) noexcept {
  if (paused_) return 0;
  const std::uint64_t number = ring_->count.fetch_add(1) + 1;
  CallRing::Entry& entry = ring_->entries[number % CallRing::size];
  entry.number = 0;
  entry.end_ns = 0;
  entry.call = {};
  entry.call.number = number;
  put(entry.call.slot, call.slot);
  put(entry.call.who, call.who);
  entry.call.size = call.size;
  entry.call.before = state_of(call.wire);
  entry.call.begin_ns = measure::now_ns();
  entry.number = number;
  return number;
}

void CallTrace::end(std::size_t call, tlsrig_result result, std::size_t got, const tlsrig_wire* wire) noexcept {
  CallRing::Entry& entry = ring_->entries[call % CallRing::size];
  if (call == 0 || entry.number != call) return;  // others came after it, as many as the ring holds
  entry.call.result = result;
  entry.call.got = got;
  entry.call.after = state_of(wire);
  entry.end_ns = measure::now_ns();
}

namespace {

std::optional<TracedCall> read(const CallRing::Entry& entry) {
  const std::uint64_t number = entry.number;
  const std::int64_t end_ns = entry.end_ns;
  TracedCall call = entry.call;
  call.end_ns = end_ns;
  if (number == 0 || number != entry.number) return std::nullopt;  // another takes its place meanwhile
  return call;
}

bool same(const WindowState& left, const WindowState& right) {
  return left.in_size == right.in_size && left.in_used == right.in_used && left.out_used == right.out_used &&
         left.out_size == right.out_size && left.in_ended == right.in_ended;
}

bool in_vain(const TracedCall& call) {
  return (call.result == TLSRIG_WANT_READ || call.result == TLSRIG_WANT_WRITE) && call.came_back() &&
         same(call.before, call.after);
}

// Whether `later` is `earlier` once more, with nothing changed.
bool repeats(const TracedCall& later, const TracedCall& earlier) {
  return in_vain(later) && in_vain(earlier) && later.result == earlier.result && later.size == earlier.size &&
         same(later.before, earlier.before) && std::strcmp(later.slot, earlier.slot) == 0 &&
         std::strcmp(later.who, earlier.who) == 0;
}

// Two ends that wait for each other take turns.
void collapse(std::vector<TracedCall>& calls) {
  std::vector<TracedCall> kept;
  for (const TracedCall& call : calls) {
    TracedCall* known = nullptr;
    for (std::size_t back = 1; back <= 2 && back <= kept.size() && !known; ++back)
      if (repeats(call, kept[kept.size() - back])) known = &kept[kept.size() - back];
    if (known)
      ++known->repeated;
    else
      kept.push_back(call);
  }
  calls = std::move(kept);
}

}  // namespace

std::vector<TracedCall> latest_calls(const CallRing& ring) {
  std::vector<TracedCall> calls;
  for (const CallRing::Entry& entry : ring.entries)
    if (const auto call = read(entry)) calls.push_back(*call);
  std::ranges::sort(calls, {}, &TracedCall::number);
  collapse(calls);
  return calls;
}

std::optional<TracedCall> call_under_way(const CallRing& ring) {
  const CallRing::Entry* oldest = nullptr;
  for (const CallRing::Entry& entry : ring.entries)
    if (entry.number != 0 && entry.end_ns == 0 && (!oldest || entry.number < oldest->number)) oldest = &entry;
  const auto call = oldest ? read(*oldest) : std::nullopt;
  return call && !call->came_back() ? call : std::nullopt;
}

std::string name_of(const TracedCall& call) {
  const std::string who = text_of(call.who), slot = text_of(call.slot);
  if (slot == "load") return "loading";
  return fmt::format("{}{}(){}", who.empty() ? "" : who + " ", slot,
                     who.empty() ? "" : fmt::format(", call {}", call.number));
}

std::string line_of(const TracedCall& call) {
  std::string line = fmt::format("#{:<4} {:<7} {:<15}", call.number, text_of(call.who), text_of(call.slot));
  if (call.size) line += fmt::format(" {} bytes", call.size);
  if (call.before.wire)
    line += fmt::format(" in {} of {}{}, out {} of {}", call.before.in_used, call.before.in_size,
                        call.before.in_ended ? " (ended)" : "", call.before.out_used, call.before.out_size);
  if (!call.came_back()) return line + " -> has not come back";
  line += fmt::format(" -> {}", name_of(call.result));
  if (call.got) line += fmt::format(", {} bytes", call.got);
  if (call.after.wire) line += fmt::format("; in {}, out {}", call.after.in_used, call.after.out_used);
  line += fmt::format(", {:.0f} µs", double(call.end_ns - call.begin_ns) / 1e3);
  return call.repeated ? line + fmt::format(" ({} more times)", call.repeated) : line;
}

}  // namespace tlsrig::check
