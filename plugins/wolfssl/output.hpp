// Where a session's bytes leave: a wire or a socket, and what found no room there.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tlsrig/abi/tlsrig.h>

namespace tlsrig::wolfssl {

// Takes whatever it is given: bytes that the transport has no room for are spilled and leave with flush. Does not
// allocate for the spill of one record over a wire.
class Output {
 public:
  // wire: nullptr for the socket fd, which is borrowed.
  Output(tlsrig_wire* wire, int fd);

  // False: the socket failed, errno says why, or there was no memory for the spill (errno is ENOMEM).
  bool put(const std::uint8_t* data, std::size_t size) noexcept;

  // OK: nothing is left. WANT_WRITE: the transport has no room. ERROR: the socket failed, errno says why.
  tlsrig_result flush() noexcept { return spill_.empty() ? TLSRIG_OK : flush_spill(); }

  // Gives the memory of an empty spill back.
  void release() noexcept { std::vector<std::uint8_t>().swap(spill_); }

 private:
  tlsrig_result flush_spill() noexcept;
  ssize_t transmit(const std::uint8_t* data, std::size_t size) noexcept;

  tlsrig_wire* const wire_;
  const int fd_;
  std::vector<std::uint8_t> spill_;
  std::size_t sent_ = 0;  // bytes of the spill that have left
};

}  // namespace tlsrig::wolfssl
