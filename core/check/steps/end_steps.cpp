// Laws 5 and 6: how a stream ends, and how an end ends it.
#include <cerrno>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

constexpr std::size_t kibibyte = 1024;
constexpr unsigned repeats = 3;

// The end reads CLOSED, now and later.
void require_closed(Bench& bench, End& end) {
  read_to_closed(bench, end);
  for (unsigned i = 0; i < repeats; ++i)
    require(read_once(end) == TLSRIG_CLOSED, "{} after CLOSED; CLOSED is due at each later read (law 5)", end);
}

// The call's answer, when it comes, is ERROR of kind TRUNCATED.
void require_truncated(Bench& bench, End& end, const std::function<tlsrig_result(End&)>& call) {
  require(settled(bench, end, call) == TLSRIG_ERROR && end.error().kind == TLSRIG_ERROR_TRUNCATED,
          "{} at an end without close_notify; ERROR of kind TRUNCATED was due (law 5)", end);
  require(call(end) == TLSRIG_ERROR, "{} after ERROR; ERROR is due at each later call (law 7)", end);
}

void close_notify_is_closed(const Setup& setup) {
  skip_unless_tls(setup);
  for (const bool client_first : {true, false}) {
    Established stand(setup);
    End& first = client_first ? stand.client() : stand.server();
    End& second = stand.bench.peer_of(first);
    transfer(stand.bench, first, 1000);
    send_close_notify(stand.bench, first);
    require_closed(stand.bench, second);  // although the TCP direction is still open
    send_close_notify(stand.bench, second);
    require_closed(stand.bench, first);
  }
}

// Data before close_notify is read before CLOSED, though all of it came at once.
void data_before_the_end(const Setup& setup) {
  Established stand(setup);
  const auto data = pattern(40 * kibibyte, 6);
  Sending sending(stand.client(), data);
  stand.bench.drive_alone(stand.client(), [&] { return sending.go_on(); });
  shut_down(stand.bench, stand.client());
  Receiving receiving(stand.server(), unlimited, 1000);
  stand.bench.drive_alone(stand.server(), [&] { return receiving.go_on(); });
  require_equal("server", data, receiving.got());
  require_closed(stand.bench, stand.server());
}

// The stream ends where all that was written has been read, without a word of the end that ends it.
template <class Judge>
void end_without_a_word(const Setup& setup, Judge&& judge) {
  for (const bool client_ends : {true, false}) {
    Established stand(setup);
    End& ends = client_ends ? stand.client() : stand.server();
    End& reads = stand.bench.peer_of(ends);
    transfer(stand.bench, ends, 1000);
    ends.finish();
    judge(stand.bench, reads);
  }
}

void end_between_records(const Setup& setup) {
  skip_unless_tls(setup);
  end_without_a_word(setup, [](Bench& bench, End& end) { require_truncated(bench, end, read_once); });
}

void end_of_a_plain_stream(const Setup& setup) {
  if (setup.protocol != 0) skip("not plain");
  end_without_a_word(setup, require_closed);
}

// The stream ends when `kept` bytes of a record have come.
void end_after(const Setup& setup, bool client_ends, const std::function<std::size_t(std::size_t)>& kept) {
  Established stand(setup);
  End& ends = client_ends ? stand.client() : stand.server();
  End& reads = stand.bench.peer_of(ends);
  transfer(stand.bench, ends, 1000);
  Flow& flow = reads.incoming();
  flow.held = true;
  const auto data = pattern(1000, 7);
  Sending sending(ends, data);
  stand.bench.drive_alone(ends, [&] { return sending.go_on(); });
  ends.collect_all();
  flow.cut(flow.waiting() - kept(flow.waiting()));
  ends.finish();
  ends.collect_all();
  flow.held = false;
  require_truncated(stand.bench, reads, read_once);
}

// In the record's header, behind it, in its middle, before its last byte.
void end_inside_a_record(const Setup& setup) {
  skip_unless_tls(setup);
  for (const bool client_ends : {true, false}) {
    for (const std::size_t kept : {1, 4, 5, 6, 500}) end_after(setup, client_ends, [&](std::size_t) { return kept; });
    end_after(setup, client_ends, [](std::size_t whole) { return whole - 1; });
  }
}

void end_in_handshake(const Setup& setup) {
  skip_unless_tls(setup);
  Stand cut_hello(setup, usual(setup));
  done(cut_hello.client(), cut_hello.client().handshake());
  cut_hello.client().collect_all();
  cut_hello.server().incoming().cut(20);
  cut_hello.client().finish();
  require_truncated(cut_hello.bench, cut_hello.server(), &End::handshake);

  Stand cut_flight(setup, usual(setup));
  done(cut_flight.client(), cut_flight.client().handshake());
  cut_flight.client().collect_all();
  done(cut_flight.server(), cut_flight.server().handshake());
  cut_flight.server().collect_all();
  cut_flight.client().incoming().cut(20);
  cut_flight.server().finish();
  require_truncated(cut_flight.bench, cut_flight.client(), &End::handshake);

  Stand silent(setup, usual(setup));
  done(silent.server(), silent.server().handshake());
  silent.client().finish();  // a peer that connects and leaves
  require_truncated(silent.bench, silent.server(), &End::handshake);
}

void connection_reset(const Setup& setup) {
  skip_unless_socket(setup, "a reset is a matter of sockets");
  Established reading(setup);
  reading.server().port().reset();
  require(read_once(reading.server()) == TLSRIG_ERROR, "{} after a reset; ERROR was due", reading.server());
  const tlsrig_error& error = reading.server().error();
  require(error.kind == TLSRIG_ERROR_SYSTEM && error.code == ECONNRESET,
          "{}, code {} after a reset; kind SYSTEM with the errno ECONNRESET ({}) was due", reading.server(), error.code,
          ECONNRESET);

  Established writing(setup);
  writing.server().port().reset();
  const auto data = pattern(1000, 8);
  tlsrig_result result = TLSRIG_OK;
  std::size_t written = 0;
  for (unsigned i = 0; i < repeats && result == TLSRIG_OK; ++i) result = writing.server().write(data, written);
  require(result == TLSRIG_ERROR && writing.server().error().kind == TLSRIG_ERROR_SYSTEM,
          "{} after a reset; ERROR of kind SYSTEM was due", writing.server());
}

void shutdown_twice(const Setup& setup) {
  Established stand(setup);
  exchange(stand.bench, 1000);
  for (End* end : {&stand.client(), &stand.server()}) {
    const std::size_t before = end->outgoing().total();
    send_close_notify(stand.bench, *end);
    end->collect_all();
    const std::size_t notify = end->outgoing().total() - before;
    require(notify > 0 || setup.protocol == 0, "{} shutdown() sent nothing; a close_notify was due", end->who());
    for (unsigned i = 0; i < repeats; ++i)
      require(end->shutdown() == TLSRIG_OK, "{} when repeated after OK; OK is due (law 6)", *end);
    end->collect_all();
    const std::size_t again = end->outgoing().total() - before - notify;
    require(again == 0, "{} shutdown() sent {} more bytes when repeated (law 6: {})", end->who(), again,
            setup.protocol ? "one close_notify" : "again is OK, and the end is out already");
    require(!end->outgoing().ended, "{} shutdown() ended the TCP direction, which is the runner's to end (law 6)",
            end->who());
  }
  for (End* end : {&stand.client(), &stand.server()}) {
    end->finish();
    require_closed(stand.bench, stand.bench.peer_of(*end));
  }
}

void half_close(const Setup& setup) {
  for (const bool client_first : {true, false}) {
    Established stand(setup);
    End& first = client_first ? stand.client() : stand.server();
    End& second = stand.bench.peer_of(first);
    transfer(stand.bench, first, 1000);
    shut_down(stand.bench, first);
    require_closed(stand.bench, second);
    transfer(stand.bench, second, 1024 * kibibyte);  // CLOSED does not forbid write
    shut_down(stand.bench, second);
    require_closed(stand.bench, first);
  }
}

void write_after_shutdown(const Setup& setup) {
  Established stand(setup);
  End& end = stand.client();
  send_close_notify(stand.bench, end);
  end.collect_all();
  const std::size_t before = end.outgoing().total();
  const auto data = pattern(100, 9);
  std::size_t written = 0;
  require(end.write(data, written) == TLSRIG_ERROR && end.error().kind == TLSRIG_ERROR_CONFIG,
          "{} after shutdown; ERROR of kind CONFIG was due (law 6: after it no write)", end);
  end.collect_all();
  require(end.outgoing().total() == before, "client write() after shutdown sent {} bytes",
          end.outgoing().total() - before);
}

}  // namespace

std::vector<Step> end_steps() {
  const char* const truncated = "law 5: an end of the transport before close_notify is ERROR of kind TRUNCATED";
  const char* const tell_truncated =
      "answer ERROR of kind TRUNCATED when in_ended is set or the socket reads 0 and the library has seen no "
      "close_notify (SSL_R_UNEXPECTED_EOF_WHILE_READING, GNUTLS_E_PREMATURE_TERMINATION, MBEDTLS_ERR_SSL_CONN_EOF)";
  const char* const closed =
      "translate the peer's close_notify (SSL_ERROR_ZERO_RETURN, MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY, a read of 0 in "
      "GnuTLS) to CLOSED, note it in the session, and answer CLOSED at each later read";
  return {
      {"close-notify-is-closed", "law 5: close_notify gives CLOSED, now and at each later read",
       judged<close_notify_is_closed>, closed},
      {"data-before-the-end", "law 5: what was written before the end is read before CLOSED",
       judged<data_before_the_end>,
       "ask the library for data first, and look at the end of the input only when it has none left"},
      {"end-between-records", truncated, judged<end_between_records>, tell_truncated},
      {"end-of-a-plain-stream",
       "law 5: on a plain stream the end of the transport is CLOSED, now and at each later read",
       judged<end_of_a_plain_stream>,
       "with protocols 0 answer CLOSED when all was given and in_ended is set or the socket reads 0, whether or not a "
       "record of your own has said goodbye, and CLOSED at each later read"},
      {"end-inside-a-record", truncated, judged<end_inside_a_record>, tell_truncated},
      {"end-in-the-handshake", truncated, judged<end_in_handshake>, tell_truncated},
      {"connection-reset", "a reset is ERROR of kind SYSTEM with its errno", judged<connection_reset>,
       "keep errno right after the failed system call (before the library or a cleanup changes it) and answer ERROR of "
       "kind SYSTEM with it as code"},
      {"shutdown-twice", "law 6: shutdown after OK is OK and sends nothing more", judged<shutdown_twice>,
       "note in the session that close_notify (on a plain stream a goodbye of your own) is out and answer OK from then "
       "on without a call of the library; never shut down or close the descriptor"},
      {"half-close", "law 6: CLOSED does not forbid write, and read goes on after shutdown", judged<half_close>,
       "keep the two directions apart: the peer's end (close_notify, in_ended) ends reading alone, your own ends "
       "writing alone, and a library that answers close_notify by itself must be told not to"},
      {"write-after-shutdown", "law 6: after shutdown no write", judged<write_after_shutdown>,
       "note in the session that shutdown was called and answer a later write with ERROR of kind CONFIG, without a "
       "call "
       "of the library"},
  };
}

}  // namespace tlsrig::check
