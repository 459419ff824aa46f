// Laws 3 and 4: what write takes and what read gives.
#include <tlsrig/check/conversation.hpp>
#include <tlsrig/check/judgement.hpp>
#include <tlsrig/check/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr std::size_t kibibyte = 1024;

void write_nothing(End& end, const char* when) {
  const std::uint8_t byte = 0;
  const std::size_t before = end.outgoing().total();
  std::size_t written = 1;
  require(done(end, end.write({&byte, 0}, written)) && written == 0, "{} write(size 0) {} said {} bytes, 0 is due",
          end.who(), when, written);
  require(end.collect_all() == 0 && end.outgoing().total() == before, "{} write(size 0) {} sent bytes", end.who(),
          when);
}

void write_nothing_from_null(const Setup& setup, End& end) {
  std::size_t written = 1;
  const tlsrig_result result = setup.backend->table().write(end.session(), nullptr, 0, &written);
  require(result == TLSRIG_OK && written == 0, "{} write(NULL, 0) answered {} with {} bytes (law 3: size 0 is OK, 0)",
          end.who(), name_of(result), written);
}

void empty_write(const Setup& setup) {
  Stand stand(setup, usual(setup));
  for (End* end : {&stand.client(), &stand.server()}) {
    write_nothing(*end, "before the handshake");
    write_nothing_from_null(setup, *end);
  }
  done(stand.client(), stand.client().handshake());
  done(stand.server(), stand.server().handshake());
  for (End* end : {&stand.client(), &stand.server()}) {
    write_nothing(*end, "during the handshake");
    write_nothing_from_null(setup, *end);
  }
  shake(stand.bench);
  exchange(stand.bench, 1000);
  for (End* end : {&stand.client(), &stand.server()}) {
    write_nothing(*end, "after the handshake");
    write_nothing_from_null(setup, *end);
  }
  exchange(stand.bench, 1000);
  end_orderly(stand.bench);
}

void write_of_64_kib(const Setup& setup) {
  Established stand(setup);
  transfer(stand.bench, stand.client(), 64 * kibibyte, {64 * kibibyte, 64 * kibibyte});  // End checks 1 to 16,384
  transfer(stand.bench, stand.server(), 64 * kibibyte, {64 * kibibyte, 64 * kibibyte});
}

void writes_of_one_byte(const Setup& setup) {
  Established stand(setup);
  transfer(stand.bench, stand.client(), 500, {1, 16 * kibibyte});
  transfer(stand.bench, stand.server(), 500, {1, 16 * kibibyte});
}

// Fills the transport, then repeats the blocked write, with a read between, and lets the peer read at last.
void blocked_write(const Setup& setup) {
  BenchOptions options = both_over(setup.transport);
  options.limit = 4 * kibibyte;
  options.ports.out_window = 512;
  options.ports.buffers = Buffers::least;
  Established stand(setup, options);
  End& writer = stand.client();
  stand.server().incoming().held = true;

  const auto data = pattern(200 * kibibyte, 5);
  Sending sending(writer, data, 64 * kibibyte);
  std::size_t blocked_at = unlimited;
  for (unsigned blocked = 0; blocked < 5;) {
    require(!sending.go_on(), "200 KiB were written while no one read them: a blocked write was due");
    blocked = writer.last_result() == TLSRIG_WANT_WRITE && sending.taken() == blocked_at ? blocked + 1 : 0;
    blocked_at = sending.taken();
    writer.port().settle();
  }
  require(read_once(writer) == TLSRIG_WANT_READ, "{} while its write is blocked; WANT_READ was due", writer);
  stand.server().incoming().held = false;

  Receiving receiving(stand.server(), data.size());
  stand.bench.drive([&] { return sending.go_on(); }, [&] { return receiving.go_on(); });
  require_equal("server", data, receiving.got());
  exchange(stand.bench, 10 * kibibyte);
  end_orderly(stand.bench);
}

template <std::size_t Capacity>
void read_capacity(const Setup& setup) {
  Established stand(setup);
  transfer(stand.bench, stand.server(), 40 * kibibyte, {TLSRIG_WRITE_MAX, Capacity});
  transfer(stand.bench, stand.client(), 40 * kibibyte, {TLSRIG_WRITE_MAX, Capacity});
}

void large_capacity(const Setup& setup) {
  Established stand(setup);
  transfer(stand.bench, stand.client(), 100 * kibibyte, {3000, 1024 * kibibyte});
  transfer(stand.bench, stand.server(), 100 * kibibyte, {3000, 1024 * kibibyte});
}

}  // namespace

std::vector<Step> data_steps() {
  const char* const small = "law 4: a read of any capacity gives the bytes in order, and none is lost";
  return {
      {"empty-write", "law 3: a write of size 0 is OK, 0, at any time", judged<empty_write>},
      {"write-of-64-kib", "law 3: a write takes 1 to 16,384 bytes", judged<write_of_64_kib>},
      {"writes-of-one-byte", "law 3: a write takes at least 1 byte", judged<writes_of_one_byte>},
      {"blocked-write", "law 3: a blocked write is repeated with the same bytes at another address",
       judged<blocked_write>},
      {"read-capacity-of-1", small, judged<read_capacity<1>>},
      {"read-capacity-of-100", small, judged<read_capacity<100>>},
      {"read-capacity-of-1000", small, judged<read_capacity<1000>>},
      {"read-capacity-of-1-mib", small, judged<large_capacity>},
  };
}

}  // namespace tlsrig::check
