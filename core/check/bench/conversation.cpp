// Handshakes, transfers and ends, each as a pair of functions that Bench::drive calls in turn.
#include <tlsrig/check/bench/conversation.hpp>

#include <algorithm>

#include <tlsrig/check/bench/judgement.hpp>

namespace tlsrig::check {

Established::Established(const Setup& setup, const Settings& settings, const BenchOptions& options)
    : Stand(setup, settings, options) {
  shake(bench);
}

std::vector<std::uint8_t> pattern(std::size_t size, unsigned seed) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = std::uint8_t(i * 131 + (i >> 8) * 31 + (i >> 16) * 7 + seed * 53);
  return bytes;
}

void require_equal(const std::string& who, const std::vector<std::uint8_t>& sent,
                   const std::vector<std::uint8_t>& got) {
  const auto [sent_at, got_at] = std::mismatch(sent.begin(), sent.end(), got.begin(), got.end());
  if (sent_at != sent.end() && got_at != got.end())
    fail("{} read byte {} of {} as {:#04x}; {:#04x} was written", who, sent_at - sent.begin(), sent.size(), *got_at,
         *sent_at);
  require(sent.size() == got.size(), "{} read {} bytes; {} were written", who, got.size(), sent.size());
}

bool done(const End& end, tlsrig_result result) {
  if (result == TLSRIG_OK) return true;
  require(result == TLSRIG_WANT_READ || result == TLSRIG_WANT_WRITE, "{}", end);
  return false;
}

void shake(Bench& bench) {
  bench.drive([&] { return done(bench.client(), bench.client().handshake()); },
              [&] { return done(bench.server(), bench.server().handshake()); });
}

bool Sending::go_on() {
  while (taken_ < data_->size()) {
    std::size_t written = 0;
    const std::size_t size = std::min(chunk_, data_->size() - taken_);
    if (!done(*end_, end_->write({data_->data() + taken_, size}, written))) return false;
    taken_ += written;
  }
  return true;
}

bool Receiving::go_on() {
  while (got_.size() < size_) {
    const tlsrig_result result = end_->read(capacity_, got_);
    if (result == TLSRIG_CLOSED && size_ == unlimited) return true;
    require(result != TLSRIG_CLOSED, "{} read() answered CLOSED after {} of {} bytes", end_->who(), got_.size(), size_);
    if (!done(*end_, result)) return false;
  }
  return true;
}

void transfer(Bench& bench, End& from, std::size_t size, Chunks chunks) {
  const auto data = pattern(size, 1);
  Sending sending(from, data, chunks.write);
  Receiving receiving(bench.peer_of(from), size, chunks.read);
  const auto send = [&] { return sending.go_on(); };
  const auto receive = [&] { return receiving.go_on(); };
  if (&from == &bench.client())
    bench.drive(send, receive);
  else
    bench.drive(receive, send);
  require_equal(bench.peer_of(from).who(), data, receiving.got());
}

void exchange(Bench& bench, std::size_t size, Chunks chunks) {
  const auto request = pattern(size, 2), reply = pattern(size, 3);
  Sending client_sends(bench.client(), request, chunks.write), server_sends(bench.server(), reply, chunks.write);
  Receiving client_reads(bench.client(), size, chunks.read), server_reads(bench.server(), size, chunks.read);
  const auto both = [](Sending& sending, Receiving& receiving) {
    const bool all_sent = sending.go_on();
    return receiving.go_on() && all_sent;
  };
  bench.drive([&] { return both(client_sends, client_reads); }, [&] { return both(server_sends, server_reads); });
  require_equal("server", request, server_reads.got());
  require_equal("client", reply, client_reads.got());
}

tlsrig_result read_once(End& end) {
  std::vector<std::uint8_t> got;
  return end.read(16 * 1024, got);
}

tlsrig_result settled(Bench& bench, End& end, const std::function<tlsrig_result(End&)>& call) {
  tlsrig_result result = TLSRIG_OK;
  bench.drive_alone(end, [&] {
    result = call(end);
    return result != TLSRIG_WANT_READ && result != TLSRIG_WANT_WRITE;
  });
  return result;
}

void send_close_notify(Bench& bench, End& end) {
  require(settled(bench, end, &End::shutdown) == TLSRIG_OK, "{}; OK was due", end);
}

void shut_down(Bench& bench, End& end) {
  send_close_notify(bench, end);
  end.finish();
}

void read_to_closed(Bench& bench, End& end) {
  Receiving receiving(end, unlimited);
  bench.drive_alone(end, [&] { return receiving.go_on(); });
  require(receiving.got().empty(), "{} read {} bytes that no one wrote", end.who(), receiving.got().size());
}

void end_orderly(Bench& bench) {
  for (End* end : {&bench.client(), &bench.server()}) {
    shut_down(bench, *end);
    read_to_closed(bench, bench.peer_of(*end));
  }
}

namespace {

// Goes on until ERROR: with the handshake, after its OK with reads.
class Doomed {
 public:
  explicit Doomed(End& end) : end_(&end) {}

  bool go_on() {
    const tlsrig_result result = established_ ? read_once(*end_) : end_->handshake();
    if (result == TLSRIG_ERROR) {
      end_->finish();  // the alert is out; a runner ends the connection now
      failed_ = true;
    }
    if (result == TLSRIG_OK) established_ = true;
    return failed_ || result == TLSRIG_CLOSED;
  }

  bool established() const { return established_; }
  std::optional<tlsrig_error> error() const { return failed_ ? std::optional(end_->error()) : std::nullopt; }

 private:
  End* end_;
  bool established_ = false, failed_ = false;
};

}  // namespace

Refused tamper(Bench& bench) {
  Flow& flow = bench.server().incoming();
  flow.held = true;
  const auto data = pattern(1000, 12);
  Sending sending(bench.client(), data);
  bench.drive_alone(bench.client(), [&] { return sending.go_on(); });
  bench.client().collect_all();
  flow.flip_last_byte();
  flow.held = false;
  require(settled(bench, bench.server(), read_once) == TLSRIG_ERROR,
          "{} for a record that was changed on its way; ERROR was due", bench.server());
  bench.server().finish();
  require(settled(bench, bench.client(), read_once) == TLSRIG_ERROR,
          "{} after its record was changed on its way; ERROR was due", bench.client());
  return {bench.client().error(), bench.server().error()};
}

Refused expect_refusal(Bench& bench) {
  Doomed client(bench.client()), server(bench.server());
  const auto agreed = [&] { return client.established() && server.established(); };  // then no one will refuse
  bench.drive([&] { return agreed() || client.go_on(); }, [&] { return agreed() || server.go_on(); });
  return {client.error(), server.error()};
}

}  // namespace tlsrig::check
