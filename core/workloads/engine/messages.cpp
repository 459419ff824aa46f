// The payload of a lane: messages encrypted, decrypted, compared.
#include <algorithm>

#include <tlsrig/workloads/engine/lane.hpp>

namespace tlsrig::workloads {

namespace {

// Records of one batch of `unwrap`: they shall stay in the cache between wrapping and unwrapping.
constexpr std::size_t batch_size = 131072;
// Room that a piece of the largest size is given in the window, beyond its payload. So no write is ever blocked
// half-way.
constexpr std::size_t overhead_room = records_room(TLSRIG_WRITE_MAX) - TLSRIG_WRITE_MAX;

}  // namespace

void Lane::fail_write(tlsrig_result result) const {
  if (result == TLSRIG_WANT_WRITE) fail_end(client_end_, "other", "WANT_WRITE with room in the window", "write");
  fail_session(client_end_, result, client_error_, "write");
}

void Lane::fail_read(tlsrig_result result) const {
  if (result == TLSRIG_WANT_READ) fail_end(server_end_, "payload", "fewer bytes came out than went in", "read");
  if (result == TLSRIG_OK) fail_end(server_end_, "payload", "more bytes came out than went in", "read");
  fail_session(server_end_, result, server_error_, "read");
}

// The one place where payload meets the client's library. Of a piece is remembered how many bytes of records it made:
// that many are shown to the server's next read of a piece of its size.
template <Buffers policy>
tlsrig_result Lane::write(const std::uint8_t* data, std::size_t size, std::size_t& written) {
  if constexpr (policy == Buffers::direct) {
    return client_->checked_write(data, size, written);
  } else {
    const std::size_t before = client_wire_.out_used;
    const tlsrig_result result =
        staged_write<policy>(staging_, TLSRIG_CLIENT, *client_, client_wire_, data, size, written, records_room(size));
    records_of(size) = client_wire_.out_used - before;
    return result;
  }
}

// The one place where payload meets the server's library.
template <Buffers policy>
tlsrig_result Lane::read(std::uint8_t* data, std::size_t capacity, std::size_t& size) {
  if constexpr (policy == Buffers::direct) {
    return server_->checked_read(data, capacity, size);
  } else {
    const std::size_t piece = std::min<std::size_t>(capacity, TLSRIG_WRITE_MAX);
    const std::size_t known = records_of(piece), most = records_room(piece);
    return staged_read<policy>(staging_, TLSRIG_SERVER, *server_, server_wire_, data, piece, size,
                               known ? std::min(known, most) : most);
  }
}

template <Buffers policy>
std::size_t Lane::write_pieces(std::size_t sent) {
  do {
    const std::size_t size = std::min<std::size_t>(message_size_ - sent, TLSRIG_WRITE_MAX);
    std::size_t written = 0;
    const tlsrig_result result = write<policy>(message_.data() + sent, size, written);
    if (result != TLSRIG_OK) [[unlikely]]
      fail_write(result);
    sent += written;
  } while (sent < message_size_ && client_wire_.out_used + TLSRIG_WRITE_MAX + overhead_room <= flow_size);
  return sent;
}

// Reads what was sent and not yet got. The reads stop with the last byte: one more could only answer WANT_READ.
template <Buffers policy>
std::size_t Lane::read_pieces(std::size_t got, std::size_t sent) {
  while (got < sent) {
    std::size_t size = 0;
    const tlsrig_result result = read<policy>(received_.data() + got, message_size_ - got, size);
    if (result != TLSRIG_OK) [[unlikely]]
      fail_read(result);
    got += size;
  }
  if (got != sent) [[unlikely]]
    fail_read(TLSRIG_OK);
  if (!to_server_.all_used()) [[unlikely]]
    read_nothing(*server_, server_end_, to_server_, TLSRIG_WANT_READ, "read");
  return got;
}

template <Buffers policy, class Watch>
void Lane::wrap_unwrap(Watch& watch) {
  std::size_t sent = 0, got = 0;
  do {
    sent = write_pieces<policy>(sent);
    if constexpr (Watch::reads_records) show(to_server_, 0);
    to_server_.show();
    watch.client();
    got = read_pieces<policy>(got, sent);
    bytes_to_server_ += client_wire_.out_used;
    to_server_.clear();
    watch.server();
  } while (got < message_size_);
  ++messages_;
  bytes_out_ += message_size_;
  bytes_in_ += message_size_;
}

template <Buffers policy>
void Lane::wrap() {
  std::size_t sent = 0;
  do {
    sent = write_pieces<policy>(sent);
    bytes_to_server_ += client_wire_.out_used;
    bytes_thrown_away_ += client_wire_.out_used;
    client_wire_.out_used = 0;
  } while (sent < message_size_);
  ++messages_;
  bytes_out_ += message_size_;
}

template <Buffers policy>
void Lane::wrap_batch() {
  std::size_t next = 0;
  do {
    const std::size_t size = std::min<std::size_t>(message_size_ - wrapped_, TLSRIG_WRITE_MAX);
    std::size_t written = 0;
    const tlsrig_result result = write<policy>(message_.data() + wrapped_, size, written);
    if (result != TLSRIG_OK) [[unlikely]]
      fail_write(result);
    batch_bytes_ += written;
    wrapped_ += written;
    if (wrapped_ == message_size_) wrapped_ = 0;
    next = std::min<std::size_t>(message_size_ - wrapped_, TLSRIG_WRITE_MAX);
  } while (client_wire_.out_used + next + overhead_room <= batch_size);
  bytes_out_ += batch_bytes_;
  bytes_to_server_ += client_wire_.out_used;
  to_server_.show();
}

template <Buffers policy>
std::uint64_t Lane::unwrap_batch() {
  std::uint64_t whole = 0;
  for (std::size_t left = batch_bytes_; left;) {
    std::size_t size = 0;
    const tlsrig_result result = read<policy>(received_.data() + unwrapped_, message_size_ - unwrapped_, size);
    if (result != TLSRIG_OK || size > left) [[unlikely]]
      fail_read(result);
    left -= size;
    unwrapped_ += size;
    if (unwrapped_ == message_size_) {
      unwrapped_ = 0;
      ++whole;
    }
  }
  bytes_in_ += batch_bytes_;
  batch_bytes_ = 0;
  messages_ += whole;
  if (!to_server_.all_used()) [[unlikely]]
    read_nothing(*server_, server_end_, to_server_, TLSRIG_WANT_READ, "read");
  to_server_.clear();
  return whole;
}

template <Buffers policy>
std::size_t Lane::exchange_verified() {
  pattern_.fill(message_.span(), pattern_offset_);
  std::fill(received_.span().begin(), received_.span().end(), std::uint8_t{0});
  if (observing_) {
    ReadRecords reader;
    wrap_unwrap<policy>(reader);
  } else {
    Unwatched nobody;
    wrap_unwrap<policy>(nobody);
  }
  if (const auto wrong = pattern_.mismatch(received_.span(), pattern_offset_)) {
    const std::uint64_t offset = pattern_offset_ + *wrong;
    fail_payload(server_end_, offset, pattern_.byte(offset), received_.data()[*wrong]);
  }
  pattern_offset_ += message_size_;
  return message_size_;
}

template void Lane::wrap_unwrap<Buffers::direct>(Unwatched&);
template void Lane::wrap_unwrap<Buffers::direct>(SideMeter&);
template void Lane::wrap<Buffers::direct>();
template void Lane::wrap_batch<Buffers::direct>();
template std::uint64_t Lane::unwrap_batch<Buffers::direct>();
template std::size_t Lane::exchange_verified<Buffers::direct>();
template void Lane::wrap_unwrap<Buffers::bounce>(Unwatched&);
template void Lane::wrap_unwrap<Buffers::bounce>(SideMeter&);
template void Lane::wrap<Buffers::bounce>();
template void Lane::wrap_batch<Buffers::bounce>();
template std::uint64_t Lane::unwrap_batch<Buffers::bounce>();
template std::size_t Lane::exchange_verified<Buffers::bounce>();
template void Lane::wrap_unwrap<Buffers::pool>(Unwatched&);
template void Lane::wrap_unwrap<Buffers::pool>(SideMeter&);
template void Lane::wrap<Buffers::pool>();
template void Lane::wrap_batch<Buffers::pool>();
template std::uint64_t Lane::unwrap_batch<Buffers::pool>();
template std::size_t Lane::exchange_verified<Buffers::pool>();
template void Lane::wrap_unwrap<Buffers::malloc>(Unwatched&);
template void Lane::wrap_unwrap<Buffers::malloc>(SideMeter&);
template void Lane::wrap<Buffers::malloc>();
template void Lane::wrap_batch<Buffers::malloc>();
template std::uint64_t Lane::unwrap_batch<Buffers::malloc>();
template std::size_t Lane::exchange_verified<Buffers::malloc>();

}  // namespace tlsrig::workloads
