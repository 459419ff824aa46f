// The extension tlsrig.pending/1: how many decrypted bytes a session holds.
#include <tlsrig/abi/pending.h>
#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

void pending_bytes(const Setup& setup) {
  const auto* pending = setup.backend->extension<tlsrig_pending>(TLSRIG_PENDING);
  if (!pending) skip("does not offer {}", TLSRIG_PENDING);
  Established stand(setup);
  const auto held = [&] {
    host::LoggedCall call = stand.client().logged("pending.bytes");
    const std::size_t bytes = pending->bytes(stand.client().session());
    call.ends(TLSRIG_OK, bytes);
    return bytes;
  };
  require(held() == 0, "{} bytes are pending before any data", held());
  constexpr std::size_t record = 5000, part = 1000;
  const auto data = pattern(record, 4);
  Sending sending(stand.server(), data);
  stand.bench.drive_alone(stand.server(), [&] { return sending.go_on(); });
  std::vector<std::uint8_t> got;
  require(settled(stand.bench, stand.client(), [&](End& end) { return end.read(part, got); }) == TLSRIG_OK,
          "{} with a record to read; OK was due", stand.client());
  require(got.size() == part, "{} bytes were read of a record of {} into {}; one read gives what fits", got.size(),
          record, part);
  require(held() == record - part, "{} bytes are pending after {} of a record of {}", held(), part, record);

  // They are read without input.
  stand.client().incoming().held = true;
  while (got.size() < record) {
    const std::size_t before = held();
    const std::size_t had = got.size();
    require(stand.client().read(before, got) == TLSRIG_OK, "{} with {} bytes pending; OK was due", stand.client(),
            before);
    require(held() == before - (got.size() - had), "{} bytes are pending after {} of {} were read", held(),
            got.size() - had, before);
  }
  require_equal("client", data, got);
  require(held() == 0, "{} bytes are pending after all was read", held());
}

}  // namespace

std::vector<Step> pending_steps() {
  return {
      {"pending-bytes", "pending: the bytes that reads give without input", judged<pending_bytes>,
       "tell the decrypted bytes that the library holds (SSL_pending, gnutls_record_check_pending) and those that the "
       "backend holds itself, or do not offer tlsrig.pending/1"},
  };
}

}  // namespace tlsrig::check
