// Far ends of a relay, and the relay between them.
#include "workloads_relay_support.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

#include <tlsrig/host/failure.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/workloads/relay/relay.hpp>
#include <tlsrig/workloads/sockets/sockets.hpp>
#include <tlsrig/workloads/tls_setup.hpp>

namespace tlsrig::tests {

namespace {

using workloads::Direction;

Direction opposite(Direction direction) {
  return direction == Direction::to_server ? Direction::to_client : Direction::to_server;
}

workloads::TransportOptions options_for(const workloads::Assignment& assignment, std::int32_t role) {
  workloads::TransportOptions options;
  options.role = role;
  options.plain = workloads::backend_of(assignment, role).plain();
  options.server_name = workloads::server_name_for(assignment, role);
  return options;
}

net::Fd next_connection(net::Listener& listener) {
  pollfd poll{listener.fd(), POLLIN, 0};
  if (::poll(&poll, 1, 10'000) != 1) throw std::runtime_error("no connection came");
  return listener.accept();
}

}  // namespace

const host::Backend& plain_backend() {
  if (backend_under_test().plain()) return backend_under_test();
  static const host::Backend backend = host::Backend::load(std::filesystem::path(TLSRIG_TEST_PLUGINS) / "plaintcp.so");
  return backend;
}

FarEnd::FarEnd(const host::Context& context, net::Fd socket, const workloads::TransportOptions& options,
               std::uint32_t number, Direction sends)
    : transport_(context, std::move(socket), options),
      out_pattern_(number, sends),
      in_pattern_(number, opposite(sends)) {}

void FarEnd::send(std::uint64_t bytes, std::size_t write_size, bool then_end) {
  to_send_ += bytes;
  write_size_ = write_size;
  then_end_ = then_end;
}

void FarEnd::answer_end(std::uint64_t bytes, std::size_t write_size) {
  send(bytes, write_size, true);
  after_peer_ = true;
}

bool FarEnd::step() {
  if (gone || !failure_.empty()) return false;
  const bool sent = send_some();
  return take_some() || sent;
}

bool FarEnd::send_some() {
  if (output_ended_ || (after_peer_ && !closed_)) return false;
  bool moved = false;
  std::array<std::uint8_t, TLSRIG_WRITE_MAX> piece;
  for (int i = 0; i < 64 && sent_ < to_send_; ++i) {
    const std::uint64_t of_message = write_size_ - sent_ % write_size_;
    const std::size_t size = std::min<std::uint64_t>({of_message, to_send_ - sent_, piece.size()});
    out_pattern_.fill({piece.data(), size}, sent_);
    std::size_t written = 0;
    const tlsrig_result result = transport_.write(piece.data(), size, written);
    if (result != TLSRIG_OK) {
      fail(result, "write");
      return moved;
    }
    sent_ += written;
    moved = true;
  }
  if (sent_ < to_send_ || !then_end_) return moved;
  const tlsrig_result result = transport_.shutdown();
  fail(result, "shutdown");
  if (result != TLSRIG_OK) return moved;
  net::end_output(fd());
  output_ended_ = true;
  return true;
}

bool FarEnd::take_some() {
  bool moved = false;
  std::array<std::uint8_t, 20'000> data;
  for (int i = 0; i < 64 && reads && !closed_ && failure_.empty(); ++i) {
    std::size_t size = 0;
    const tlsrig_result result = transport_.read(data.data(), data.size(), size);
    if (result == TLSRIG_CLOSED) {
      closed_ = true;
      return true;
    }
    if (result != TLSRIG_OK) {
      fail(result, "read");
      return moved;
    }
    if (in_pattern_.mismatch({data.data(), size}, received_)) failure_ = "payload: a wrong byte";
    received_ += size;
    moved = true;
  }
  return moved;
}

void FarEnd::fail(tlsrig_result result, const char* step) {
  if (result == TLSRIG_OK || result == TLSRIG_WANT_READ || result == TLSRIG_WANT_WRITE) return;
  failure_ = std::string(host::kind_name(transport_.error().kind)) + ": " + transport_.error().text + " (" + step + ")";
}

Chain::Chain(const ChainOptions& options)
    : inbound_backend_(options.inbound_tls ? backend_under_test() : plain_backend()),
      outbound_backend_(options.outbound_tls ? backend_under_test() : plain_backend()) {
  assignment_ = assignment_for(backend_under_test(), scenario::Workload::pipe);
  assignment_.role = "relay";
  assignment_.control_fd = control_.fd();
  assignment_.server = &inbound_backend_;
  assignment_.client = &outbound_backend_;
  scenario::Settings& settings = assignment_.settings;
  settings.traffic.connections = options.connections;
  settings.traffic.threads = options.threads;
  settings.traffic.message_size = 1024;
  settings.socket.send_buffer = settings.socket.receive_buffer = options.socket_buffers;
  settings.relay.present = true;
  settings.relay.transport = options.transport;
  settings.relay.inbound = options.inbound_tls ? scenario::LegProtocol::tls : scenario::LegProtocol::plain;
  settings.relay.outbound = options.outbound_tls ? scenario::LegProtocol::tls : scenario::LegProtocol::plain;
  settings.relay.read = options.read;
  settings.relay.read_size = options.read_size;
  if (options.version == "1.2") pin(assignment_, "1.2", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "x25519");
  relay_ = workloads::make_relay(assignment_);
  connect(options);
}

Chain::~Chain() {
  for (auto* ends : {&clients, &servers})
    for (auto& end : *ends) net::reset(end->fd());  // an orderly end could wait for one that does not read
  finishing_ = true;
  control_.signal();
  if (thread_.joinable()) thread_.join();
}

void Chain::connect(const ChainOptions& options) {
  workloads::Assignment client = assignment_, server = assignment_;
  client.client = &inbound_backend_;
  server.server = &outbound_backend_;
  client_context_.emplace(workloads::make_context(client, TLSRIG_CLIENT));
  server_context_.emplace(workloads::make_context(server, TLSRIG_SERVER));
  const net::SocketOptions sockets = workloads::socket_options(assignment_.settings.socket);
  net::Listener listener(sockets);
  const auto port = relay_->prepare().at("port").get<std::uint16_t>();
  std::string failure;
  const auto guarded = [&failure](auto&& part) {
    try {
      part();
    } catch (const std::exception& error) {
      failure = error.what();  // one of three: whichever comes last
    }
  };
  std::thread relay([&] { guarded([&] { connected_ = relay_->connect({{"port", listener.port()}}); }); });
  std::thread serving([&] {
    guarded([&] {
      for (std::uint32_t i = 0; i < options.connections; ++i) {
        auto end = std::make_unique<FarEnd>(*server_context_, next_connection(listener),
                                            options_for(server, TLSRIG_SERVER), i, Direction::to_client);
        workloads::complete_handshake(end->transport(), {"far", "server", i});
        if (workloads::take_announcement(end->transport(), {"far", "server", i}) != i)
          throw std::runtime_error("the announcement was changed");
        end->send(options.early_bytes, 1000, false);
        while (!end->sent_all()) end->step();
        servers.push_back(std::move(end));
      }
    });
  });
  guarded([&] {
    for (std::uint32_t i = 0; i < options.connections; ++i) {
      auto end = std::make_unique<FarEnd>(*client_context_, net::connect_local(port, sockets),
                                          options_for(client, TLSRIG_CLIENT), i, Direction::to_server);
      workloads::complete_handshake(end->transport(), {"far", "client", i});
      workloads::announce(end->transport(), {"far", "client", i});
      end->send(options.early_bytes, 1000, options.early_end);
      while (!end->sent_all()) end->step();
      clients.push_back(std::move(end));
    }
  });
  relay.join();
  serving.join();
  if (!failure.empty()) throw std::runtime_error(failure);
}

void Chain::run() {
  thread_ = std::thread([this] { drive(); });
}

void Chain::drive() {
  const auto guarded = [this](auto&& step) {
    try {
      step();
    } catch (const workloads::StepError& error) {
      if (failure_.empty()) failure_kind_ = error.kind;
      failure_ = error.what();  // the last: it tells of all
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
  };
  std::thread asks([this] {
    measure::sleep_until_ns(measure::now_ns() + 5'000'000);
    control_.signal();
  });
  guarded([&] { relay_->warm_up({}); });
  asks.join();
  while (!finishing_) {
    const std::int64_t begin = measure::now_ns() + 300'000;
    guarded([&] { relay_->slice({begin, begin + 4'000'000}); });
  }
  guarded([&] { finished_ = relay_->finish(); });
}

bool Chain::step_all() {
  bool moved = false;
  for (auto* ends : {&clients, &servers})
    for (auto& end : *ends) moved |= end->step();
  return moved;
}

// Not for long: an end that has hung up raises its event again and again, and one that is blocked may need another's.
void Chain::wait_for_any() {
  std::vector<pollfd> polls;
  for (auto* ends : {&clients, &servers})
    for (auto& end : *ends) {
      const int events = (end->reads && !end->closed() ? POLLIN : 0) | (end->wants_room() ? POLLOUT : 0);
      if (events && !end->gone && end->failure().empty()) polls.push_back({end->fd(), static_cast<short>(events), 0});
    }
  ::poll(polls.data(), polls.size(), 20);
}

workloads::Json Chain::finish() {
  finishing_ = true;
  thread_.join();
  return finished_;
}

}  // namespace tlsrig::tests
