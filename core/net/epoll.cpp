// epoll(7): what is not on the hot path.
#include <tlsrig/net/epoll.hpp>

#include <system_error>

namespace tlsrig::net {

Epoll::Epoll() : fd_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!fd_) fail("epoll_create1");
}

void Epoll::fail(const char* call) { throw std::system_error(errno, std::generic_category(), call); }

void Epoll::control(int operation, int fd, std::uint32_t events, void* owner) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = owner;
  if (::epoll_ctl(fd_.get(), operation, fd, &event) != 0) fail("epoll_ctl");
}

void Epoll::add(int fd, std::uint32_t events, void* owner) { control(EPOLL_CTL_ADD, fd, events, owner); }
void Epoll::modify(int fd, std::uint32_t events, void* owner) { control(EPOLL_CTL_MOD, fd, events, owner); }
void Epoll::remove(int fd) { control(EPOLL_CTL_DEL, fd, 0, nullptr); }

}  // namespace tlsrig::net
