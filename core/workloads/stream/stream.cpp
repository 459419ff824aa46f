// What source and sink derive from the settings.
#include <tlsrig/workloads/stream/stream.hpp>

#include <algorithm>
#include <string>

#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

namespace {

// What one write to a socket can take of a window: a send buffer grows to 4 MiB by default (tcp_wmem).
constexpr std::size_t window_max = 4 << 20;

bool plays_source(const Assignment& assignment) { return scenario::is_source(assignment.settings, assignment.role); }

void require_offered(const Assignment& assignment) {
  const scenario::Settings& settings = assignment.settings;
  const std::string workload = settings.workload == scenario::Workload::pipe ? "pipe: " : "stream: ";
  const auto refuse = [&](const std::string& what) { throw StepError("config", workload + what); };
  const scenario::TrafficSettings& traffic = settings.traffic;
  if (assignment.role != "client" && assignment.role != "server")
    refuse("source and sink are \"client\" and \"server\", not \"" + assignment.role + "\"");
  if (traffic.connections == 0 || traffic.message_size == 0 || traffic.batch_size == 0 || traffic.threads == 0 ||
      settings.socket.read_size == 0)
    refuse("connections, message_size, batch_size, threads and read_size are 1 or more");
  if (traffic.threads > traffic.connections) refuse("threads is larger than connections: some would have none");
  if (traffic.write == scenario::WriteStrategy::batched && plays_source(assignment) &&
      role_settings(assignment).transport != scenario::Transport::wire)
    refuse("traffic.write = \"batched\" needs the source's transport to be \"wire\"");
  if (traffic.rate != 0) refuse("traffic.rate is \"closed\" and nothing else");
  if (settings.tls.resumption != scenario::Resumption::off) refuse("tls.resumption is \"off\" and nothing else");
}

// Many small records are gathered, so that a generous number would cost memory: TLS 1.3 adds header, content type and
// authentication (RFC 8446, 5.2).
std::size_t overhead_of(const scenario::TlsSettings& tls, bool plain) {
  if (plain) return 0;
  return tls.policy == scenario::Policy::pinned && tls.version == "1.3" ? 24 : record_overhead;
}

// For what leaves together: one record, or the records of one batch.
std::size_t window_size(const Assignment& assignment, bool plain) {
  const StreamShape shape = stream_shape(assignment);
  const std::size_t overhead = overhead_of(assignment.settings.tls, plain);
  const std::size_t one = window_for(TLSRIG_WRITE_MAX);
  if (!plays_source(assignment) || shape.blocks_per_flush == 0) return one;
  const std::size_t writes = (shape.block_size + TLSRIG_WRITE_MAX - 1) / TLSRIG_WRITE_MAX;
  const std::size_t batch = shape.blocks_per_flush * (shape.block_size + writes * overhead);
  return std::clamp(batch, one, window_max);
}

}  // namespace

std::unique_ptr<Participant> make_stream(const Assignment& assignment) {
  require_offered(assignment);
  return plays_source(assignment) ? make_stream_source(assignment) : make_stream_sink(assignment);
}

StreamShape stream_shape(const Assignment& assignment) {
  const scenario::TrafficSettings& traffic = assignment.settings.traffic;
  StreamShape shape;
  shape.message_size = shape.block_size = traffic.message_size;
  shape.direction = traffic.direction;
  shape.layout = Layout(assignment.placement_seed);
  const std::uint64_t messages = std::max<std::uint64_t>(traffic.batch_size / traffic.message_size, 1);
  if (traffic.write == scenario::WriteStrategy::batched)
    shape.blocks_per_flush = static_cast<std::uint32_t>(messages);
  else if (traffic.write == scenario::WriteStrategy::coalesced && messages > 1) {
    shape.block_size = messages * traffic.message_size;
    shape.gathers = true;
  }
  return shape;
}

const scenario::RoleSettings& role_settings(const Assignment& assignment) {
  return assignment.role == "client" ? assignment.settings.client : assignment.settings.server;
}

std::int32_t side_of(const Assignment& assignment) {
  return assignment.role == "client" ? TLSRIG_CLIENT : TLSRIG_SERVER;
}

TransportOptions stream_transport_options(const Assignment& assignment) {
  TransportOptions options;
  options.role = side_of(assignment);
  options.plain = backend_of(assignment, options.role).plain();
  options.server_name = server_name_for(assignment, options.role);
  options.layout = Layout(assignment.placement_seed);
  options.read_size = assignment.settings.socket.read_size;
  options.write_size = window_size(assignment, options.plain);
  return options;
}

}  // namespace tlsrig::workloads
