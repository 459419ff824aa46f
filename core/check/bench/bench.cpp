// The loop that every step is driven by, and its bound.
#include <tlsrig/check/bench/bench.hpp>

#include <algorithm>
#include <chrono>

#include <tlsrig/check/bench/judgement.hpp>

namespace tlsrig::check {
namespace {

constexpr unsigned rounds_in_vain_max = 100;

Complaint data_not_arrived(const End& writer, const End& reader) {
  const std::uint64_t written = writer.deeds().written;
  const std::string known = fmt::format("{} write() had answered OK for {} bytes, of which {} arrived", writer.who(),
                                        with_commas(written), with_commas(reader.deeds().read));
  // A writer that has sent fewer bytes than it was given has the rest. Beyond that, who has it cannot be seen from
  // here: the bytes on the way are the backend's own.
  if (writer.deeds().sent_after_handshake < written)
    return {known + ": the rest is still inside (law 2), or was never given to the library", rules::nothing_inside};
  return {fmt::format("{}: the rest is still inside the {} (law 2), or held inside the {} (law 1)", known, writer.who(),
                      reader.who()),
          {}};
}

}  // namespace

std::optional<Complaint> not_arrived(const End& writer, const End& reader) {
  if (!reader.starved() || reader.incoming().altered) return std::nullopt;
  const End::Deeds &given = writer.deeds(), &got = reader.deeds();
  if (given.handshake && !got.handshake)
    return Complaint{
        fmt::format("{} handshake() had answered OK, after which its peer has all it needs (law 2)", writer.who()), {}};
  if (given.written > got.read) return data_not_arrived(writer, reader);
  if (given.shutdown && !reader.incoming().at_end())
    return Complaint{fmt::format("{} shutdown() had answered OK, after which the end is out (law 6)", writer.who()),
                     {}};
  return std::nullopt;
}

BenchOptions both_over(std::uint32_t transport) {
  BenchOptions options;
  options.client_transport = options.server_transport = transport;
  return options;
}

Bench::Bench(const Contexts& contexts, const BenchOptions& options, const char* server_name, host::Ticket* ticket)
    : client_("client", contexts.client, make_port(options.client_transport, options.ports), server_name, to_client_,
              to_server_, ticket),
      server_("server", contexts.server, make_port(options.server_transport, options.ports), nullptr, to_server_,
              to_client_) {
  to_client_.piece = to_server_.piece = options.piece;
  to_client_.limit = to_server_.limit = options.limit;
}

void Bench::drive(const std::function<bool()>& client, const std::function<bool()>& server) {
  using Clock = std::chrono::steady_clock;
  const auto patience = std::max(client_.port().patience(), server_.port().patience());
  bool client_done = false, server_done = false;
  unsigned in_vain = 0;
  auto last_progress = Clock::now();
  while (true) {
    const std::uint64_t before = client_.progress() + server_.progress();
    const bool client_ended = to_server_.ended, server_ended = to_client_.ended;
    if (!client_done) client_done = client();
    if (!server_done) server_done = server();
    if (client_done && server_done) return;
    // What an end that is done has sent still moves on, and so must what a full flow kept back.
    const std::size_t late = client_.collect() + server_.collect();
    const bool end_came = to_server_.ended != client_ended || to_client_.ended != server_ended;
    if (late || end_came || client_.progress() + server_.progress() != before) {
      in_vain = 0;
      last_progress = Clock::now();
      continue;
    }
    if (++in_vain >= rounds_in_vain_max && Clock::now() - last_progress >= patience) stand_still();
    End& waiting = client_done ? server_ : client_;
    waiting.port().wait(waiting.last_result());
  }
}

void Bench::stand_still() const {
  std::string words;
  Rule broken;
  const auto say = [&](const std::string& more) { words += (words.empty() ? "" : "; ") + more; };
  const auto of_client = not_arrived(client_, server_), of_server = not_arrived(server_, client_);
  if (!of_client || client_.waits()) say(client_.state());
  if (!of_server || server_.waits()) say(server_.state());
  for (const auto* cause : {&of_client, &of_server}) {
    if (!*cause) continue;
    if (broken.law.empty()) broken = (*cause)->rule;  // of those, the one that is certain
    say((*cause)->words);
  }
  fail(broken, "standstill: {}", words);
}

void Bench::drive_alone(End& end, const std::function<bool()>& call) {
  const auto nothing = [] { return true; };
  if (&end == &client_)
    drive(call, nothing);
  else
    drive(nothing, call);
}

}  // namespace tlsrig::check
