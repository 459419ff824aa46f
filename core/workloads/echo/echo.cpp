// What both roles of echo derive from the settings.
#include <tlsrig/workloads/echo/echo.hpp>

#include <algorithm>

#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::workloads {

namespace {

// Bytes of messages that are gathered whole.
constexpr std::uint64_t gathered_max = 65536;

void require_offered(const scenario::Settings& settings) {
  const auto refuse = [](const std::string& what) { throw StepError("config", "echo: " + what); };
  const scenario::TrafficSettings& traffic = settings.traffic;
  if (traffic.connections == 0 || traffic.message_size == 0 || traffic.reply_size == 0 || traffic.pipeline == 0 ||
      traffic.threads == 0 || settings.socket.read_size == 0)
    refuse("connections, message_size, reply_size, pipeline, threads and read_size are 1 or more");
  if (traffic.threads > traffic.connections) refuse("threads is larger than connections: some would have none");
  if (traffic.write != scenario::WriteStrategy::per_message)
    refuse("traffic.write is \"per-message\" and nothing else");
  if (traffic.rate != 0) refuse("traffic.rate is \"closed\" and nothing else");
  if (settings.tls.resumption != scenario::Resumption::off) refuse("tls.resumption is \"off\" and nothing else");
}

}  // namespace

std::unique_ptr<Participant> make_echo(const Assignment& assignment) {
  require_offered(assignment.settings);
  if (assignment.role == "server") return make_echo_server(assignment);
  if (assignment.role == "client") return make_echo_client(assignment);
  throw StepError("config", "echo has the roles \"server\" and \"client\", not \"" + assignment.role + "\"");
}

EchoShape echo_shape(const Assignment& assignment, Side side) {
  const scenario::TrafficSettings& traffic = assignment.settings.traffic;
  const bool client = side == Side::client;
  return {client ? traffic.message_size : traffic.reply_size, client ? traffic.reply_size : traffic.message_size,
          traffic.pipeline, Layout(assignment.placement_seed)};
}

TransportOptions transport_options(const Assignment& assignment, Side side) {
  const EchoShape shape = echo_shape(assignment, side);
  TransportOptions options;
  options.role = side == Side::client ? TLSRIG_CLIENT : TLSRIG_SERVER;
  options.plain = backend_of(assignment, options.role).plain();
  options.server_name = server_name_for(assignment, options.role);
  options.layout = shape.layout;
  options.read_size = assignment.settings.socket.read_size;
  options.write_size = window_for(std::min<std::uint64_t>(shape.out_size, gathered_max));
  return options;
}

}  // namespace tlsrig::workloads
