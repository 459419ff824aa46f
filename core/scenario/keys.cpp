// The table of keys.
#include <tlsrig/scenario/keys.hpp>

#include <algorithm>
#include <array>
#include <type_traits>

#include <tlsrig/scenario/suites.hpp>

namespace tlsrig::scenario {
namespace {

// Words that stand for an enumeration come in the order of its enumerators.
constexpr Word workload_list[] = {{"engine"}, {"echo"}, {"stream"}, {"pipe"}, {"connect", false}, {"idle", false}};
constexpr Word transports[] = {{"fd"}, {"wire"}};
constexpr Word policies[] = {{"pinned"}, {"as-shipped"}};
constexpr Word verifications[] = {{"none"}, {"server"}, {"client"}, {"both"}};
constexpr Word resumptions[] = {{"off"}, {"ticket"}, {"session-id"}};
constexpr Word operations[] = {{"handshake"},   {"handshake-resumed"}, {"wrap"},       {"unwrap"},
                               {"wrap-unwrap"}, {"context-new"},       {"session-new"}};
constexpr Word buffer_policies[] = {{"direct"}, {"bounce"}, {"pool"}, {"malloc"}};
constexpr Word context_sharings[] = {{"shared"}, {"per-thread"}, {"per-connection"}};
constexpr Word processor_choices[] = {{"fixed"}, {"free"}};
constexpr Word write_strategies[] = {{"per-message"}, {"batched"}, {"coalesced"}};
constexpr Word directions[] = {{"to-server"}, {"to-client"}};
constexpr Word legs[] = {{"tls"}, {"plain"}};
constexpr Word relay_reads[] = {{"per-record"}, {"coalesce"}, {"fixed"}, {"pending"}, {"drain"}, {"spin"}};

// Words that are kept as text.
constexpr Word versions[] = {{"1.2"}, {"1.3"}};
constexpr Word groups[] = {{"x25519"}, {"secp256r1"}, {"secp384r1"}};
constexpr Word certificates[] = {{"ecdsa-p256"}, {"rsa-2048"}, {"rsa-3072"}};
constexpr auto ciphers = [] {
  std::array<Word, std::size(suites)> words;
  std::transform(std::begin(suites), std::end(suites), words.begin(),
                 [](const Suite& suite) { return Word{suite.name}; });
  return words;
}();

template <auto... Path, class S>
constexpr auto& member(S& settings) {
  return (settings.*....*Path);
}

// A number, a boolean or a text, as it is.
template <auto... Path>
constexpr Access plain() {
  using Field = std::remove_cvref_t<decltype(member<Path...>(std::declval<Settings&>()))>;
  if constexpr (std::is_same_v<Field, bool> || std::is_same_v<Field, double> || std::is_same_v<Field, std::string>) {
    return {[](const Settings& s) { return Value(member<Path...>(s)); },
            [](Settings& s, const Value& value) { member<Path...>(s) = std::get<Field>(value); }};
  } else {
    return {[](const Settings& s) { return Value(static_cast<std::uint64_t>(member<Path...>(s))); },
            [](Settings& s, const Value& value) {
              member<Path...>(s) = static_cast<Field>(std::get<std::uint64_t>(value));
            }};
  }
}

// An enumeration, by the place of its word.
template <const auto& Words, auto... Path>
constexpr Access word() {
  using Field = std::remove_cvref_t<decltype(member<Path...>(std::declval<Settings&>()))>;
  return {
      [](const Settings& s) { return Value(std::string(Words[static_cast<std::size_t>(member<Path...>(s))].text)); },
      [](Settings& s, const Value& value) {
        const auto same = [&](const Word& w) { return w.text == std::get<std::string>(value); };
        member<Path...>(s) =
            static_cast<Field>(std::find_if(std::begin(Words), std::end(Words), same) - std::begin(Words));
      }};
}

// A certificate by name and one by files exclude each other: the one said last holds.
constexpr Access certificate_name() {
  return {[](const Settings& s) { return Value(s.tls.certificate); },
          [](Settings& s, const Value& value) {
            s.tls.certificate = std::get<std::string>(value);
            s.tls.certificate_files = {};
          }};
}

template <auto File>
constexpr Access certificate_file() {
  return {[](const Settings& s) { return Value(s.tls.certificate_files.*File); },
          [](Settings& s, const Value& value) {
            s.tls.certificate.clear();
            s.tls.certificate_files.*File = std::get<std::string>(value);
          }};
}

constexpr std::uint64_t kib = 1ULL << 10, mib = 1ULL << 20, gib = 1ULL << 30;
constexpr std::uint64_t us = 1'000, ms = 1'000'000, second = 1'000'000'000, minute = 60 * second;
constexpr std::uint64_t seed_most = ~0ULL;
constexpr auto relay = &Settings::relay;
constexpr auto traffic = &Settings::traffic;
constexpr auto engine = &Settings::engine;
constexpr auto socket = &Settings::socket;
constexpr auto measure = &Settings::measure;

// Laid out by hand: with a line for every field it would be twice as long.
// clang-format off
constexpr Key table[] = {
    {.path = "schema", .type = KeyType::integer, .least = 1, .most = 1, .axis = false, .default_text = "required",
     .example = "1",
     .meaning = "The version of this format."},
    {.path = "name", .type = KeyType::name, .axis = false, .default_text = "the file's name without `.toml`",
     .example = "\"echo\"",
     .meaning = "What cell ids begin with."},
    {.path = "description", .type = KeyType::text, .axis = false, .default_text = "empty",
     .example = "\"Request and reply over loopback TCP.\"",
     .meaning = "One sentence for the report."},
    {.path = "workload", .type = KeyType::word, .words = workload_list, .axis = false, .default_text = "required",
     .example = "\"echo\"",
     .meaning = "What is done: `engine` calls the libraries in memory; over loopback TCP `echo` sends requests "
                "and replies, `stream` messages one way, `pipe` the same through a relay."},
    {.path = "backends", .type = KeyType::backends, .axis = false, .default_text = "required",
     .example = "[\"openssl\", \"plaintcp\"]",
     .meaning = "The libraries that take part."},
    {.path = "arms", .type = KeyType::text, .axis = false, .default_text = "`\"backends\"`",
     .example = "\"tls.cipher\"",
     .meaning = "What is compared inside a cell: `\"backends\"`, or one key of `[matrix]`, and then every backend "
                "has cells of its own."},
    {.path = "baseline", .type = KeyType::text, .axis = false, .default_text = "the first", .example = "\"openssl\"",
     .meaning = "The value of what is compared that the others are divided by."},

    {.path = "roles.client.backend", .type = KeyType::backend,
     .access = plain<&Settings::client, &RoleSettings::backend>(), .example = "\"openssl\"",
     .meaning = "Who plays the client: `\"backend\"` is the arm's or the cell's backend."},
    {.path = "roles.client.transport", .type = KeyType::word,
     .access = word<transports, &Settings::client, &RoleSettings::transport>(), .words = transports,
     .workloads = socketed, .example = "\"wire\"",
     .meaning = "`fd`: the library reads and writes the socket; `wire`: the rig does, through two buffers."},
    {.path = "roles.server.backend", .type = KeyType::backend,
     .access = plain<&Settings::server, &RoleSettings::backend>(), .example = "\"openssl\"",
     .meaning = "Who plays the server."},
    {.path = "roles.server.transport", .type = KeyType::word,
     .access = word<transports, &Settings::server, &RoleSettings::transport>(), .words = transports,
     .workloads = socketed, .example = "\"wire\"",
     .meaning = "As for the client."},

    {.path = "variant.NAME.plugin", .type = KeyType::plugin, .axis = false, .default_text = "required",
     .example = "\"openssl\"",
     .meaning = "The backend whose plugin runs on this build; NAME then stands for a backend in `backends`, "
                "`baseline`, `[roles]` and `[relay]`."},
    {.path = "variant.NAME.library_directory", .type = KeyType::file, .axis = false, .default_text = "required",
     .example = "\"/opt/openssl-3.5/lib\"",
     .meaning = "The directory with the build's library files, all of them; nothing else of that library is run."},

    {.path = "relay.backend", .type = KeyType::backend, .access = plain<relay, &RelaySettings::backend>(),
     .workloads = relayed, .example = "\"openssl\"",
     .meaning = "Who plays the relay, on its legs with TLS."},
    {.path = "relay.transport", .type = KeyType::word, .access = word<transports, relay, &RelaySettings::transport>(),
     .words = transports, .workloads = relayed, .example = "\"wire\"",
     .meaning = "As for the client, of both legs of the relay."},
    {.path = "relay.inbound", .type = KeyType::word, .access = word<legs, relay, &RelaySettings::inbound>(),
     .words = legs, .workloads = relayed, .example = "\"tls\"",
     .meaning = "What is spoken between client and relay, which is the server there; the client of a plain leg is "
                "plaintcp, whatever `[roles]` says."},
    {.path = "relay.outbound", .type = KeyType::word, .access = word<legs, relay, &RelaySettings::outbound>(),
     .words = legs, .workloads = relayed, .example = "\"tls\"",
     .meaning = "What is spoken between relay and server, of which the relay is the client; the server of a plain leg "
                "is plaintcp."},
    {.path = "relay.read", .type = KeyType::word, .access = word<relay_reads, relay, &RelaySettings::read>(),
     .words = relay_reads, .workloads = relayed, .example = "\"coalesce\"",
     .meaning = "How the relay reads before it writes. `per-record`: one read, which gives one record at most, is "
                "written on at once. `coalesce`: reads until `read_size` bytes are there or nothing is left, and writes "
                "once. `fixed`: as `per-record`, into a buffer of `read_size` that each connection holds while it is "
                "idle. `pending`: reads one byte, asks the library how many more are ready, and reads just those. "
                "`drain`: reads until nothing is left, up to 16 x `read_size` or 192 KiB, and writes once. `spin`: never "
                "waits, but polls with reads of as many bytes as the socket holds, or one: a bug, to show its cost."},
    {.path = "relay.read_size", .type = KeyType::size, .access = plain<relay, &RelaySettings::read_size>(), .least = 1,
     .most = 128 * kib, .workloads = relayed, .example = "\"32KiB\"",
     .meaning = "Bytes asked of one read of the relay's library; of `coalesce` those that it gathers."},

    {.path = "socket.nodelay", .type = KeyType::boolean, .access = plain<socket, &SocketSettings::nodelay>(),
     .workloads = socketed, .example = "false",
     .meaning = "TCP_NODELAY at both ends, set before the handshake."},
    {.path = "socket.send_buffer", .type = KeyType::size, .access = plain<socket, &SocketSettings::send_buffer>(),
     .least = 1 * kib, .most = 1 * gib, .zero = "default", .workloads = socketed, .example = "\"256KiB\"",
     .meaning = "SO_SNDBUF; `\"default\"` leaves it to the kernel."},
    {.path = "socket.receive_buffer", .type = KeyType::size,
     .access = plain<socket, &SocketSettings::receive_buffer>(), .least = 1 * kib, .most = 1 * gib, .zero = "default",
     .workloads = socketed, .example = "\"256KiB\"",
     .meaning = "SO_RCVBUF; `\"default\"` leaves it to the kernel."},
    {.path = "socket.read_size", .type = KeyType::size, .access = plain<socket, &SocketSettings::read_size>(),
     .least = 1, .most = 16 * mib, .workloads = socketed, .example = "\"16KiB\"",
     .meaning = "Bytes asked of one read(2) on a wire; on an fd the library decides."},

    {.path = "tls.policy", .type = KeyType::word, .access = word<policies, &Settings::tls, &TlsSettings::policy>(),
     .words = policies, .example = "\"as-shipped\"",
     .meaning = "`pinned`: the keys below hold at both ends and are proved after every handshake; `as-shipped`: "
                "version, cipher, group and tickets are the library's own defaults, whatever this table says."},
    {.path = "tls.version", .type = KeyType::word, .access = plain<&Settings::tls, &TlsSettings::version>(),
     .words = versions, .example = "\"1.2\"",
     .meaning = "The protocol version."},
    {.path = "tls.cipher", .type = KeyType::word, .access = plain<&Settings::tls, &TlsSettings::cipher>(),
     .words = ciphers, .default_text = "AES-128-GCM with SHA-256, as version and certificate need",
     .example = "\"TLS_CHACHA20_POLY1305_SHA256\"",
     .meaning = "The cipher suite, by its IANA name."},
    {.path = "tls.group", .type = KeyType::word, .access = plain<&Settings::tls, &TlsSettings::group>(),
     .words = groups, .example = "\"secp256r1\"",
     .meaning = "The group of the key exchange, by its IANA name; the suites `TLS_RSA_WITH_...` have none, and it has no "
                "effect with them."},
    {.path = "tls.certificate", .type = KeyType::word, .access = certificate_name(), .words = certificates,
     .example = "\"rsa-2048\"",
     .meaning = "The kind of the certificates that tlsrig makes: root, intermediate and leaf. Or a table of files of "
                "your own: their chain is verified, but no host name is checked."},
    {.path = "tls.certificate.chain", .type = KeyType::file, .access = certificate_file<&CertificateFiles::chain>(),
     .default_text = "none", .example = "\"pki/chain.pem\"",
     .meaning = "PEM: the leaf first, then its intermediates; both sides present it."},
    {.path = "tls.certificate.key", .type = KeyType::file, .access = certificate_file<&CertificateFiles::key>(),
     .default_text = "none", .example = "\"pki/key.pem\"",
     .meaning = "PEM: the leaf's private key."},
    {.path = "tls.certificate.trust", .type = KeyType::file, .access = certificate_file<&CertificateFiles::trust>(),
     .default_text = "none", .example = "\"pki/root.pem\"",
     .meaning = "PEM: the roots that the other side is checked against."},
    {.path = "tls.verify", .type = KeyType::word,
     .access = word<verifications, &Settings::tls, &TlsSettings::verify>(), .words = verifications,
     .example = "\"both\"",
     .meaning = "Whose certificate is checked."},
    {.path = "tls.resumption", .type = KeyType::word,
     .access = word<resumptions, &Settings::tls, &TlsSettings::resumption>(), .words = resumptions,
     .example = "\"off\"",
     .meaning = "How sessions are resumed, where the operation resumes: by tickets (TLS 1.3 and 1.2), or by the id that "
                "the server keeps (TLS 1.2)."},
    {.path = "tls.tickets", .type = KeyType::integer, .access = plain<&Settings::tls, &TlsSettings::tickets>(),
     .least = 0, .most = 8, .example = "2",
     .meaning = "Session tickets that the server sends in or after a full handshake; TLS 1.2 has one at most."},

    {.path = "traffic.connections", .type = KeyType::integer,
     .access = plain<traffic, &TrafficSettings::connections>(), .least = 1, .most = 10'000, .workloads = moving,
     .example = "64",
     .meaning = "Connections open at once."},
    {.path = "traffic.message_size", .type = KeyType::size,
     .access = plain<traffic, &TrafficSettings::message_size>(), .least = 1, .most = 16 * mib, .workloads = moving,
     .example = "\"16KiB\"",
     .meaning = "Payload bytes of one message (of echo: of a request)."},
    {.path = "traffic.reply_size", .type = KeyType::size, .access = plain<traffic, &TrafficSettings::reply_size>(),
     .least = 1, .most = 16 * mib, .workloads = bit(Workload::echo), .example = "\"64B\"",
     .meaning = "Payload bytes of a reply."},
    {.path = "traffic.pipeline", .type = KeyType::integer, .access = plain<traffic, &TrafficSettings::pipeline>(),
     .least = 1, .most = 1'024, .workloads = bit(Workload::echo), .example = "8",
     .meaning = "Messages in flight per connection."},
    {.path = "traffic.direction", .type = KeyType::word,
     .access = word<directions, traffic, &TrafficSettings::direction>(), .words = directions, .workloads = one_way,
     .example = "\"to-client\"",
     .meaning = "Which way messages go: `to-server` makes the client the source and the server the sink, `to-client` "
                "the reverse. They are counted at the sink."},
    {.path = "traffic.write", .type = KeyType::word,
     .access = word<write_strategies, traffic, &TrafficSettings::write>(), .words = write_strategies,
     .workloads = moving, .example = "\"coalesced\"",
     .meaning = "How the source gives messages away. `per-message`: one write of the library, and so one record, and "
                "one of the socket for each (and more of each for a message of more than 16 KiB). `batched`: a record "
                "for each, but the records of `batch_size` payload bytes go to the socket in one write (needs the "
                "transport wire). `coalesced`: messages are copied into one write of `batch_size` bytes. The workload "
                "echo has `per-message` alone."},
    {.path = "traffic.batch_size", .type = KeyType::size, .access = plain<traffic, &TrafficSettings::batch_size>(),
     .least = 1, .most = 1 * mib, .workloads = one_way, .example = "\"64KiB\"",
     .meaning = "Payload bytes that `batched` and `coalesced` gather, in whole messages; at least one message."},
    {.path = "traffic.rate", .type = KeyType::rate, .access = plain<traffic, &TrafficSettings::rate>(), .least = 1,
     .most = 100'000'000, .zero = "closed", .workloads = moving, .zero_only = true, .example = "\"closed\"",
     .meaning = "`\"closed\"`: the next message goes out when a reply is in, or when the socket takes it; or messages "
                "per second, such as `\"20k/s\"`."},
    {.path = "traffic.threads", .type = KeyType::integer, .access = plain<traffic, &TrafficSettings::threads>(),
     .least = 1, .most = 64, .workloads = moving, .example = "2",
     .meaning = "Threads of each role; not more than there are connections."},

    {.path = "engine.operation", .type = KeyType::word,
     .access = word<operations, engine, &EngineSettings::operation>(), .words = operations, .workloads = engine_only,
     .example = "\"handshake\"",
     .meaning = "What one operation is: a full handshake of both sides; one that resumes the session before it, the "
                "ticket for the next one read (`tls.resumption` says how); a message encrypted, decrypted, or both; a "
                "server's context with certificate and key and a client's with trust anchors, made and destroyed "
                "(`context-new`); a session of each side, opened and closed without a handshake (`session-new`)."},
    {.path = "engine.message_size", .type = KeyType::size, .access = plain<engine, &EngineSettings::message_size>(),
     .least = 1, .most = 16 * mib, .workloads = engine_only, .example = "\"1KiB\"",
     .meaning = "Payload bytes of one operation; a handshake, a context or a session has none."},
    {.path = "engine.buffers", .type = KeyType::word,
     .access = word<buffer_policies, engine, &EngineSettings::buffers>(), .words = buffer_policies,
     .workloads = engine_only, .example = "\"bounce\"",
     .meaning = "What is given to the library for payload and records. `direct`: the buffers themselves. The others copy "
                "into and out of other memory at each call: `bounce` one buffer of the session, `pool` one taken from a "
                "pool of size classes, `malloc` one allocated and freed."},
    {.path = "engine.context", .type = KeyType::word,
     .access = word<context_sharings, engine, &EngineSettings::context>(), .words = context_sharings,
     .workloads = engine_only, .example = "\"per-thread\"",
     .meaning = "Who shares a context; `per-connection` makes one for every handshake, and is for handshakes only."},
    {.path = "engine.trust_anchors", .type = KeyType::integer,
     .access = plain<engine, &EngineSettings::trust_anchors>(), .least = 1, .most = 1'000, .workloads = engine_only,
     .example = "100",
     .meaning = "Root certificates in the file that a verifying side loads; the one that matters is the last."},
    {.path = "engine.threads", .type = KeyType::integer, .access = plain<engine, &EngineSettings::threads>(),
     .least = 1, .most = 64, .workloads = engine_only, .example = "2",
     .meaning = "Threads, each with sessions of its own."},

    {.path = "measure.warmup", .type = KeyType::duration, .access = plain<measure, &MeasureSettings::warmup_ns>(),
     .least = 10 * ms, .most = 10 * minute, .axis = false, .example = "\"1s\"",
     .meaning = "Traffic before each block's measuring, in which every payload byte is verified."},
    {.path = "measure.warmup_bytes", .type = KeyType::size, .access = plain<measure, &MeasureSettings::warmup_bytes>(),
     .least = 1, .most = 1024 * gib, .zero = "none", .workloads = one_way, .axis = false, .example = "\"10GiB\"",
     .meaning = "Payload bytes that each warm-up sends and verifies at least, however long that takes; `\"none\"`: what "
                "`warmup` gives."},
    {.path = "measure.block", .type = KeyType::duration, .access = plain<measure, &MeasureSettings::block_ns>(),
     .least = 10 * ms, .most = 10 * minute, .axis = false, .example = "\"200ms\"",
     .meaning = "Measuring time per arm and block."},
    {.path = "measure.slice", .type = KeyType::duration, .access = plain<measure, &MeasureSettings::slice_ns>(),
     .least = 100 * us, .most = 10 * minute, .zero = "auto", .axis = false, .example = "\"20ms\"",
     .meaning = "How long one arm runs before the next takes over; `\"auto\"` is the workload's own; not more than a "
                "block."},
    {.path = "measure.processors", .type = KeyType::word,
     .access = word<processor_choices, measure, &MeasureSettings::processors>(), .words = processor_choices,
     .axis = false, .example = "\"free\"",
     .meaning = "`fixed`: in each block every arm runs on the same processors, one for each thread, drawn anew for the "
                "next; where there are fewer than threads, a relay has its own and the others share the rest; without "
                "one, or with `free`: wherever the system puts it."},
    {.path = "measure.blocks.min", .type = KeyType::integer, .access = plain<measure, &MeasureSettings::blocks_min>(),
     .least = 1, .most = 1'000, .axis = false, .example = "12",
     .meaning = "Blocks that every cell gets; an interval and a verdict need 6 or more."},
    {.path = "measure.blocks.max", .type = KeyType::integer, .access = plain<measure, &MeasureSettings::blocks_max>(),
     .least = 1, .most = 1'000, .axis = false, .example = "12",
     .meaning = "Blocks after which a cell ends, however wide its intervals are."},
    {.path = "measure.target_precision", .type = KeyType::percent,
     .access = plain<measure, &MeasureSettings::target_precision>(), .least = 1, .most = 10'000, .axis = false,
     .example = "\"0.5%\"",
     .meaning = "A cell ends before `blocks.max` when its intervals are this narrow: looked at after `blocks.min` and "
                "every fourth block beyond."},
    {.path = "measure.equivalence", .type = KeyType::percent,
     .access = plain<measure, &MeasureSettings::equivalence>(), .least = 0, .most = 5'000, .axis = false,
     .example = "\"5%\"",
     .meaning = "Differences within this are of no interest: the verdict is `equivalent`."},
    {.path = "measure.self_check", .type = KeyType::boolean, .access = plain<measure, &MeasureSettings::self_check>(),
     .axis = false, .example = "false",
     .meaning = "The baseline runs twice in every cell: what it differs by from itself, this machine cannot resolve."},
    {.path = "measure.seed", .type = KeyType::integer, .access = plain<measure, &MeasureSettings::seed>(), .least = 0,
     .most = seed_most, .axis = false, .example = "42",
     .meaning = "Of the order of slices and the placement of buffers; 0: drawn at random, and recorded. From 2^63 on "
                "it can be given by a flag only: TOML has no such number."},

    {.path = "thresholds.ratio", .type = KeyType::thresholds, .axis = false, .default_text = "none",
     .example = "[{ backend = \"plaintcp\", metric = \"throughput\", expr = \"low > 0.95\" }]",
     .meaning = "Ratios to the baseline of `throughput`, `cpu_ROLE` or `service_time_p99` (`p50`, `p999`): `low`, "
                "`high` or `ratio`, then `<`, `<=`, `>` or `>=`, then a number."},
    {.path = "thresholds.percentile", .type = KeyType::thresholds, .workloads = bit(Workload::echo), .axis = false,
     .default_text = "none",
     .example = "[{ backend = \"openssl\", metric = \"service_time_p99\", expr = \"high < 2ms\" }]",
     .meaning = "Service times, `service_time_p50`, `_p99` or `_p999`: `low`, `high` or `value`, then a relation and a "
                "duration."},
    {.path = "thresholds.rate", .type = KeyType::thresholds, .axis = false, .default_text = "none",
     .example = "[{ backend = \"openssl\", metric = \"throughput\", expr = \"low > 50k/s\" }]",
     .meaning = "Operations per second: `low`, `high` or `value`, then a relation and a rate."},
    {.path = "thresholds.bytes", .type = KeyType::thresholds, .axis = false, .default_text = "none",
     .example = "[{ backend = \"openssl\", metric = \"payload_bytes_per_second\", expr = \"low > 500MiB\" }]",
     .meaning = "Payload bytes per second, of the workload echo both ways, of the others one way: `low`, `high` or "
                "`value`, then a relation and a size."},
};
// clang-format on

}  // namespace

std::span<const Key> keys() { return table; }

std::span<const Word> workload_words() { return workload_list; }

}  // namespace tlsrig::scenario
