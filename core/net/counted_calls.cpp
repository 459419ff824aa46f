// The counted calls.
#undef _FORTIFY_SOURCE  // its inline functions would stand in the way of the definitions here

#include <tlsrig/net/counted_calls.hpp>

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace tlsrig::net {

// On a cache line of its own: two sockets next to each other may belong to two threads.
struct alignas(64) Watch::Entry {
  SocketCounts counts;
  Observer* observer = nullptr;
};

namespace {

using Entry = Watch::Entry;

// As many descriptors as a process can have on Linux unless fs.nr_open is raised. 8 MiB of address space; only pages
// that are looked at become memory. A table made to the measure of RLIMIT_NOFILE would have to exist before the first
// call, which comes before main, and cost one more load at each.
constexpr std::size_t table_size = 1u << 20;
constinit std::atomic<Entry*> table[table_size];

Entry* entry_of(int fd) noexcept {
  if (static_cast<unsigned>(fd) >= table_size) return nullptr;
  return table[fd].load(std::memory_order_relaxed);
}

// The definitions behind these: the C library's, or a sanitizer's, which goes on checking.
struct Calls {
  decltype(&::read) read;
  decltype(&::write) write;
  decltype(&::readv) readv;
  decltype(&::writev) writev;
  decltype(&::recv) recv;
  decltype(&::send) send;
  decltype(&::recvfrom) recvfrom;
  decltype(&::sendto) sendto;
  decltype(&::recvmsg) recvmsg;
  decltype(&::sendmsg) sendmsg;
};

Calls behind;
constinit std::atomic<const Calls*> resolved{nullptr};

template <class Function>
void find(const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
  if (!function) std::abort();  // a process without a C library
}

const Calls& resolve() noexcept {
  find("read", behind.read);
  find("write", behind.write);
  find("readv", behind.readv);
  find("writev", behind.writev);
  find("recv", behind.recv);
  find("send", behind.send);
  find("recvfrom", behind.recvfrom);
  find("sendto", behind.sendto);
  find("recvmsg", behind.recvmsg);
  find("sendmsg", behind.sendmsg);
  resolved.store(&behind, std::memory_order_release);
  return behind;
}

// Before main, so before any thread of the program. A library's constructor that reads something still earlier resolves
// them itself, and finds the same.
[[gnu::constructor]] void resolve_early() noexcept { resolve(); }

const Calls& next() noexcept {
  if (const Calls* const calls = resolved.load(std::memory_order_acquire)) [[likely]]
    return *calls;
  return resolve();
}

using Bytes = std::span<const std::uint8_t>;

// errno is what the counted call has left.
template <class Call>
void keep_errno(Call&& call) noexcept {
  const int error = errno;
  call();
  errno = error;
}

// Calls piece(Bytes) for what `size` bytes fill of the buffers, in order.
template <class Piece>
void each_piece(const iovec* buffers, std::size_t count, std::size_t size, Piece&& piece) {
  for (std::size_t i = 0; i < count && size; ++i) {
    const std::size_t part = std::min(size, buffers[i].iov_len);
    if (part) piece(Bytes(static_cast<const std::uint8_t*>(buffers[i].iov_base), part));
    size -= part;
  }
}

// Whether a call gives no bytes of the stream: they stay in it, are not of it, or are thrown away unseen, in which case
// the kernel's count will tell that something is missing here.
bool gives_nothing(int flags) noexcept { return (flags & (MSG_PEEK | MSG_ERRQUEUE | MSG_TRUNC)) != 0; }

// Counts a call that has read `got` bytes; show(Observer&) shows them.
template <class Show>
ssize_t tally_read(int fd, ssize_t got, int flags, Show&& show) noexcept {
  Entry* const entry = entry_of(fd);
  if (!entry) return got;
  ++entry->counts.reads;
  if (got <= 0 || gives_nothing(flags)) return got;
  entry->counts.bytes_in += static_cast<std::uint64_t>(got);
  if (entry->observer) [[unlikely]]
    keep_errno([&] { show(*entry->observer); });
  return got;
}

template <class Show>
ssize_t tally_write(int fd, ssize_t sent, Show&& show) noexcept {
  Entry* const entry = entry_of(fd);
  if (!entry) return sent;
  ++entry->counts.writes;
  if (sent <= 0) return sent;
  entry->counts.bytes_out += static_cast<std::uint64_t>(sent);
  if (entry->observer) [[unlikely]]
    keep_errno([&] { show(*entry->observer); });
  return sent;
}

ssize_t count_read(int fd, ssize_t got, int flags, const void* data) noexcept {
  return tally_read(fd, got, flags, [&](Observer& observer) {
    observer.received({static_cast<const std::uint8_t*>(data), static_cast<std::size_t>(got)});
  });
}

ssize_t count_read(int fd, ssize_t got, int flags, const iovec* buffers, std::size_t count) noexcept {
  return tally_read(fd, got, flags, [&](Observer& observer) {
    each_piece(buffers, count, static_cast<std::size_t>(got), [&](Bytes bytes) { observer.received(bytes); });
  });
}

ssize_t count_write(int fd, ssize_t sent, const void* data) noexcept {
  return tally_write(fd, sent, [&](Observer& observer) {
    observer.sent({static_cast<const std::uint8_t*>(data), static_cast<std::size_t>(sent)});
  });
}

ssize_t count_write(int fd, ssize_t sent, const iovec* buffers, std::size_t count) noexcept {
  return tally_write(fd, sent, [&](Observer& observer) {
    each_piece(buffers, count, static_cast<std::size_t>(sent), [&](Bytes bytes) { observer.sent(bytes); });
  });
}

}  // namespace

Watch::Watch(int fd, Observer* observer) : fd_(fd), entry_(std::make_unique<Entry>()) {
  if (static_cast<unsigned>(fd) >= table_size)
    throw std::system_error(EMFILE, std::generic_category(),
                            "descriptor " + std::to_string(fd) + " cannot be counted: the table ends at " +
                                std::to_string(table_size) + "; ask for fewer connections");
  entry_->observer = observer;
  table[fd].store(entry_.get(), std::memory_order_relaxed);
}

Watch::~Watch() { table[fd_].store(nullptr, std::memory_order_relaxed); }

SocketCounts Watch::counts() const { return entry_->counts; }

void Watch::let_observer_go() noexcept { entry_->observer = nullptr; }

}  // namespace tlsrig::net

extern "C" {

using tlsrig::net::count_read;
using tlsrig::net::count_write;
using tlsrig::net::next;

[[gnu::visibility("default")]] ssize_t read(int fd, void* data, size_t size) {
  return count_read(fd, next().read(fd, data, size), 0, data);
}

[[gnu::visibility("default")]] ssize_t write(int fd, const void* data, size_t size) {
  return count_write(fd, next().write(fd, data, size), data);
}

[[gnu::visibility("default")]] ssize_t readv(int fd, const iovec* buffers, int count) {
  return count_read(fd, next().readv(fd, buffers, count), 0, buffers, static_cast<std::size_t>(count));
}

[[gnu::visibility("default")]] ssize_t writev(int fd, const iovec* buffers, int count) {
  return count_write(fd, next().writev(fd, buffers, count), buffers, static_cast<std::size_t>(count));
}

[[gnu::visibility("default")]] ssize_t recv(int fd, void* data, size_t size, int flags) {
  return count_read(fd, next().recv(fd, data, size, flags), flags, data);
}

[[gnu::visibility("default")]] ssize_t send(int fd, const void* data, size_t size, int flags) {
  return count_write(fd, next().send(fd, data, size, flags), data);
}

[[gnu::visibility("default")]] ssize_t recvfrom(int fd, void* data, size_t size, int flags, sockaddr* address,
                                                socklen_t* length) {
  return count_read(fd, next().recvfrom(fd, data, size, flags, address, length), flags, data);
}

[[gnu::visibility("default")]] ssize_t sendto(int fd, const void* data, size_t size, int flags, const sockaddr* address,
                                              socklen_t length) {
  return count_write(fd, next().sendto(fd, data, size, flags, address, length), data);
}

[[gnu::visibility("default")]] ssize_t recvmsg(int fd, msghdr* message, int flags) {
  return count_read(fd, next().recvmsg(fd, message, flags), flags, message->msg_iov, message->msg_iovlen);
}

[[gnu::visibility("default")]] ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  return count_write(fd, next().sendmsg(fd, message, flags), message->msg_iov, message->msg_iovlen);
}
}
