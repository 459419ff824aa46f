// Fields of a configuration that tune a library: each has the effect that its name says, or is UNSUPPORTED by name.
#include <algorithm>
#include <deque>
#include <optional>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/heap.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

// The contexts, or the backend's words when it has no such effect, which must name itself and the field.
std::optional<Contexts> tuned(const Setup& setup, const Settings& settings, const char* field, std::string& words) {
  try {
    return std::optional<Contexts>(std::in_place, *setup.backend, *setup.backend, settings);
  } catch (const host::Unsupported& unsupported) {
    words = unsupported.what();
  }
  for (const std::string_view name : {setup.backend->name(), std::string_view(field)})
    require(words.find(name) != std::string::npos, "create_context() answered UNSUPPORTED without naming {}: \"{}\"",
            name, words);
  return std::nullopt;
}

struct OnAndOff {
  std::size_t on, off;
};

// What `measure` finds with a field on at both sides and with it off.
using Measure = std::size_t (*)(const Setup&, const Contexts&, const std::string& server_name);
OnAndOff measured(const Setup& setup, std::uint32_t host::ContextOptions::*field, const char* name, Measure measure) {
  Settings settings = usual(setup);
  settings.client.*field = settings.server.*field = TLSRIG_ON;
  std::string words;
  const auto contexts = tuned(setup, settings, name, words);
  if (!contexts) skip("UNSUPPORTED: {}", words);
  const std::size_t on = measure(setup, *contexts, settings.server_name);
  settings.client.*field = settings.server.*field = TLSRIG_NONE;
  return {on, measure(setup, Contexts(*setup.backend, *setup.backend, settings), settings.server_name)};
}

// Lengths of the records of type application_data in what was sent from an offset on.
std::vector<std::size_t> record_sizes(std::span<const std::uint8_t> sent) {
  constexpr std::size_t header = 5;
  constexpr std::uint8_t application_data = 23;
  std::vector<std::size_t> sizes;
  while (sent.size() >= header) {
    const std::size_t size = std::size_t(sent[3]) << 8 | sent[4];
    if (sent[0] == application_data) sizes.push_back(size);
    sent = sent.subspan(std::min(sent.size(), header + size));
  }
  return sizes;
}

void require_record_sizes(Bench& bench, std::size_t size) {
  constexpr std::size_t data = 40 * 1024;
  constexpr std::size_t around_max = 64;  // nonce, tag and inner type of an AEAD record
  for (End* end : {&bench.client(), &bench.server()}) {
    const std::size_t before = end->outgoing().total();
    transfer(bench, *end, data);
    const auto sizes = record_sizes(end->outgoing().history().subspan(before));
    require(!sizes.empty(), "the {} sent {} bytes and no record of data", end->who(), data);
    const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
    require(largest > size && largest <= size + around_max,
            "the {} sent records of up to {} bytes with record_size_max = {}", end->who(), largest, size);
  }
}

std::string record_size_max(const Setup& setup) {
  skip_unless_tls(setup);
  std::string seen, words;
  for (const std::uint32_t size : {512u, 1024u, 1400u, 4096u, 16384u}) {
    Settings settings = usual(setup);
    settings.client.record_size_max = settings.server.record_size_max = size;
    const auto contexts = tuned(setup, settings, "record_size_max", words);
    if (!contexts) continue;
    Bench bench(*contexts, both_over(setup.transport), settings.server_name.c_str());
    shake(bench);
    require_record_sizes(bench, size);
    seen += fmt::format("{}{}", seen.empty() ? "" : ", ", size);
  }
  if (seen.empty()) skip("UNSUPPORTED: {}", words);
  return words.empty() ? seen : fmt::format("{}; {}", seen, words);
}

// Sizes that no record may have (RFC 8446, 5.1, and 512 is the least that libraries take).
void record_size_out_of_range(const Setup& setup) {
  skip_unless_tls(setup);
  for (const std::uint32_t size : {1u, 511u, 16385u}) {
    Settings settings = usual(setup);
    settings.client.record_size_max = settings.server.record_size_max = size;
    std::string words;
    require(!tuned(setup, settings, "record_size_max", words), "create_context() took record_size_max = {}", size);
  }
}

// Bytes that one read leaves in the socket when four records wait there.
std::size_t left_by_one_read(const Setup& setup, const Contexts& contexts, const std::string& server_name) {
  constexpr std::size_t record = 1000;
  Bench bench(contexts, both_over(setup.transport), server_name.c_str());
  shake(bench);
  const auto data = pattern(4 * record, 5);
  Sending sending(bench.server(), data, record);
  bench.drive_alone(bench.server(), [&] { return sending.go_on(); });
  bench.server().collect_all();
  std::vector<std::uint8_t> got;
  require(bench.client().read(record, got) == TLSRIG_OK, "{} with four records to read; OK was due", bench.client());
  const std::size_t left = bench.client().port().unused();
  Receiving rest(bench.client(), data.size() - got.size());
  bench.drive_alone(bench.client(), [&] { return rest.go_on(); });
  got.insert(got.end(), rest.got().begin(), rest.got().end());
  require_equal("client", data, got);
  return left;
}

std::string read_ahead(const Setup& setup) {
  skip_unless_tls(setup);
  skip_unless_socket(setup, "on a wire the runner decides how much there is to take");
  const auto [with, without] = measured(setup, &host::ContextOptions::read_ahead, "read_ahead", left_by_one_read);
  require(with == 0, "with read_ahead one read left {} bytes of four records in the socket", with);
  require(without > 0, "without read_ahead one read took all four records out of the socket");
  return fmt::format("one read of four records left {} bytes, without read_ahead {}", with, without);
}

// Bytes of heap that a pair of idle sessions holds.
std::size_t idle_pair_bytes(const Setup& setup, const Contexts& contexts, const std::string& server_name) {
  constexpr std::size_t pairs = 8;
  const auto talk = [&](Bench& bench) {
    shake(bench);
    exchange(bench, 1000);
  };
  {
    Bench first(contexts, both_over(setup.transport), server_name.c_str());  // what a library allocates only once
    talk(first);
  }
  std::deque<Bench> benches;
  const std::size_t before = allocated_bytes();
  for (std::size_t i = 0; i < pairs; ++i) {
    benches.emplace_back(contexts, both_over(setup.transport), server_name.c_str());
    talk(benches.back());
  }
  return (allocated_bytes() - before) / pairs;
}

std::string release_buffers(const Setup& setup) {
  skip_unless_tls(setup);
  skip_unless_socket(setup, "the bench's own windows would hide what a session holds");
  const auto [with, without] =
      measured(setup, &host::ContextOptions::release_buffers, "release_buffers", idle_pair_bytes);
  constexpr std::size_t record_buffer = 16 * 1024;  // each session has two
  require(with + 2 * record_buffer < without, "an idle pair holds {} bytes with release_buffers and {} without", with,
          without);
  return fmt::format("an idle pair and its bench hold {} bytes, without release_buffers {}", with, without);
}

}  // namespace

std::vector<Step> tuning_steps() {
  const char* const law = "a field of the configuration has its effect, or is UNSUPPORTED by name";
  const char* const refuse =
      "hand the field to the library, and where that has no such setting answer UNSUPPORTED from create_context with "
      "the "
      "backend's and the field's name in the text";
  const char* const record_size =
      "cut what is sent into records of at most record_size_max bytes of plaintext (SSL_CTX_set_max_send_fragment, "
      "gnutls_record_set_max_size), or answer UNSUPPORTED with the backend's and the field's name";
  return {
      {"record-size-max", law, judged<record_size_max>, record_size},
      {"record-size-out-of-range", law, judged<record_size_out_of_range>,
       "look at what the library's setter answers, and refuse with UNSUPPORTED a record_size_max that it does not "
       "take; "
       "do not use a near one"},
      {"read-ahead", law, judged<read_ahead>, refuse},
      {"release-buffers", law, judged<release_buffers>, refuse},
  };
}

}  // namespace tlsrig::check
