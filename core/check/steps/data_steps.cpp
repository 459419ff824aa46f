// Laws 3 and 4: what write takes and what read gives.
#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr std::size_t kibibyte = 1024;

void write_nothing(End& end, const char* when) {
  end.collect_all();
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
  host::LoggedCall call = end.logged("write");
  const tlsrig_result result = call.ends(setup.backend->table().write(end.session(), nullptr, 0, &written));
  require(result == TLSRIG_OK && written == 0, "{} write(NULL, 0) answered {} with {} bytes (law 3: size 0 is OK, 0)",
          end.who(), name_of(result), written);
}

// After shutdown the two laws that apply say different things, so either answer is right: OK, 0 (law 3) or the refusal
// of any write (law 6). Nothing may be sent.
void write_nothing_after_shutdown(const Setup& setup, End& end) {
  end.collect_all();
  const std::size_t before = end.outgoing().total();
  const std::uint8_t byte = 0;
  std::size_t written = 0;
  tlsrig_result result;
  {
    host::LoggedCall call = end.logged("write");
    result = call.ends(setup.backend->table().write(end.session(), &byte, 0, &written));
  }
  require((result == TLSRIG_OK && written == 0) || (result == TLSRIG_ERROR && end.error().kind == TLSRIG_ERROR_CONFIG),
          "{} write(size 0) after shutdown answered {} with {} bytes; OK, 0 or ERROR of kind CONFIG was due", end.who(),
          name_of(result), written);
  end.collect_all();
  require(end.outgoing().total() == before, "{} write(size 0) after shutdown sent {} bytes", end.who(),
          end.outgoing().total() - before);
}

void empty_write(const Setup& setup) {
  Stand stand(setup, usual(setup));
  const auto both_write_nothing = [&](const char* when) {
    for (End* end : {&stand.client(), &stand.server()}) {
      write_nothing(*end, when);
      write_nothing_from_null(setup, *end);
    }
  };
  both_write_nothing("before the handshake");
  done(stand.client(), stand.client().handshake());
  done(stand.server(), stand.server().handshake());
  both_write_nothing("during the handshake");
  shake(stand.bench);
  exchange(stand.bench, 1000);
  both_write_nothing("after the handshake");
  exchange(stand.bench, 1000);

  shut_down(stand.bench, stand.client());
  read_to_closed(stand.bench, stand.server());
  write_nothing(stand.server(), "after the peer's end");
  write_nothing_from_null(setup, stand.server());
  transfer(stand.bench, stand.server(), 1000);
  write_nothing_after_shutdown(setup, stand.client());
}

void empty_write_after_an_error(const Setup& setup) {
  Stand stand(setup, usual(setup));
  std::size_t written = 0;
  for (End* end : {&stand.client(), &stand.server()}) {
    require(read_once(*end) == TLSRIG_ERROR, "{} before the handshake; ERROR was due (law 7)", *end);
    require(end->write({}, written) == TLSRIG_ERROR, "{} with size 0 after ERROR; ERROR is due (law 7)", *end);
  }
}

// A read with no room for a byte is no runner's call (law 4), yet writers of loops make it: it may be answered with OK,
// 0, with WANT_READ, or refused (ERROR of kind CONFIG), but it gives no byte and loses none. True: the session goes on.
bool read_into_nothing(const Setup& setup, End& end, std::uint8_t* data, const char* when) {
  std::size_t size = 0;
  host::LoggedCall call = end.logged("read");
  const tlsrig_result result = call.ends(setup.backend->table().read(end.session(), data, 0, &size));
  if (result == TLSRIG_ERROR && end.error().kind == TLSRIG_ERROR_CONFIG) return false;
  require((result == TLSRIG_OK || result == TLSRIG_WANT_READ) && size == 0,
          "{} read(capacity 0) {} answered {} with {} bytes; OK, 0 or WANT_READ or ERROR of kind CONFIG was due",
          end.who(), when, name_of(result), size);
  return true;
}

void empty_read(const Setup& setup) {
  for (const bool from_null : {false, true}) {
    Established stand(setup);
    std::uint8_t guard = 0xA7;
    std::uint8_t* const nowhere = from_null ? nullptr : &guard;
    const auto goes_on = [&](End& end, const char* when) {
      const bool alive = read_into_nothing(setup, end, nowhere, when);
      require(guard == 0xA7, "{} read(capacity 0) {} wrote a byte", end.who(), when);
      return alive;
    };
    if (!goes_on(stand.server(), "without input")) return;
    const auto data = pattern(1000, 16);
    Sending sending(stand.client(), data);
    stand.bench.drive_alone(stand.client(), [&] { return sending.go_on(); });
    std::vector<std::uint8_t> got;
    stand.bench.drive_alone(stand.server(), [&] { return done(stand.server(), stand.server().read(100, got)); });
    if (!goes_on(stand.server(), "between two reads of a record")) return;
    Receiving rest(stand.server(), data.size() - got.size());
    stand.bench.drive_alone(stand.server(), [&] { return rest.go_on(); });
    got.insert(got.end(), rest.got().begin(), rest.got().end());
    require_equal("server", data, got);
  }
}

// Reads that find nothing, at each stage from the handshake's OK on; what comes before is a matter of order.
void read_without_input(const Setup& setup) {
  Established stand(setup);
  const auto require_want_read = [](End& end, const char* when) {
    for (unsigned i = 0; i < 3; ++i)
      require(read_once(end) == TLSRIG_WANT_READ, "{} {}, without input; WANT_READ was due (law 1)", end, when);
  };
  for (End* end : {&stand.client(), &stand.server()}) require_want_read(*end, "after the handshake");
  exchange(stand.bench, 1000);
  for (End* end : {&stand.client(), &stand.server()}) require_want_read(*end, "after data");
  shut_down(stand.bench, stand.client());
  require_want_read(stand.client(), "after its own shutdown");
  read_to_closed(stand.bench, stand.server());
  require(read_once(stand.server()) == TLSRIG_CLOSED, "{} after CLOSED; CLOSED is due (law 5)", stand.server());
  transfer(stand.bench, stand.server(), 1000);
  require_want_read(stand.client(), "after its own shutdown and the peer's data");
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
  const char* const keep_rest =
      "give the library's read the whole capacity and tell exactly what it gave; what of a record finds no room stays "
      "in "
      "the library for the next read";
  const char* const no_size =
      "answer a call of size 0 in the backend, without a call of the library: for many libraries it is an error or the "
      "end of the stream";
  const std::string written(rules::write_takes.cure);
  return {
      {"empty-write", "law 3: a write of size 0 is OK, 0, at any time", judged<empty_write>, no_size},
      {"empty-write-after-an-error", "law 7: after ERROR a write of size 0 is ERROR too",
       judged<empty_write_after_an_error>,
       "look whether the session has failed before anything else in every call, then at the size"},
      {"empty-read", "law 4: a read without room takes no byte and loses none", judged<empty_read>, no_size},
      {"read-without-input", "law 1: a read that finds nothing is WANT_READ at any stage", judged<read_without_input>,
       "translate the library's would-block of read (SSL_ERROR_WANT_READ, GNUTLS_E_AGAIN) to WANT_READ, also after "
       "your own shutdown: only the peer's end (close_notify, on a plain stream in_ended) is CLOSED"},
      {"write-of-64-kib", "law 3: a write takes 1 to 16,384 bytes", judged<write_of_64_kib>, written},
      {"writes-of-one-byte", "law 3: a write takes at least 1 byte", judged<writes_of_one_byte>, written},
      {"blocked-write", "law 3: a blocked write is repeated with the same bytes at another address",
       judged<blocked_write>,
       "let a retry come from another address: with OpenSSL set SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER and "
       "SSL_MODE_ENABLE_PARTIAL_WRITE, with GnuTLS repeat by gnutls_record_send(session, NULL, 0)"},
      {"read-capacity-of-1", small, judged<read_capacity<1>>, keep_rest},
      {"read-capacity-of-100", small, judged<read_capacity<100>>, keep_rest},
      {"read-capacity-of-1000", small, judged<read_capacity<1000>>, keep_rest},
      {"read-capacity-of-1-mib", small, judged<large_capacity>,
       "tell in *size what the library gave, not the capacity; a capacity beyond an int is cut before the library's "
       "read"},
  };
}

}  // namespace tlsrig::check
