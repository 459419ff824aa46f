// OpenSSL called by hand: one thread, two sessions joined by two flat buffers through a BIO, no plugin and no rig.
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <tlsrig/credentials/credentials.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/workloads/layout.hpp>

#include "contestant.hpp"

namespace tlsrig::benchmarks {

namespace {

using workloads::Layout;
using workloads::Purpose;

constexpr std::size_t pipe_size = 256 * 1024;

struct Pipe {
  explicit Pipe(measure::PlacedBuffer buffer) : bytes(std::move(buffer)) {}
  measure::PlacedBuffer bytes;
  std::size_t read = 0, written = 0;
};

struct Ends {
  Pipe *in, *out;
};

int pipe_write(BIO* bio, const char* data, int size) {
  Pipe& pipe = *static_cast<Ends*>(BIO_get_data(bio))->out;
  BIO_clear_retry_flags(bio);
  if (pipe.read == pipe.written) pipe.read = pipe.written = 0;
  const std::size_t taken = std::min(static_cast<std::size_t>(size), pipe_size - pipe.written);
  if (taken == 0) {
    BIO_set_retry_write(bio);
    return -1;
  }
  std::memcpy(pipe.bytes.data() + pipe.written, data, taken);
  pipe.written += taken;
  return static_cast<int>(taken);
}

int pipe_read(BIO* bio, char* data, int size) {
  Pipe& pipe = *static_cast<Ends*>(BIO_get_data(bio))->in;
  BIO_clear_retry_flags(bio);
  const std::size_t given = std::min(static_cast<std::size_t>(size), pipe.written - pipe.read);
  if (given == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  std::memcpy(data, pipe.bytes.data() + pipe.read, given);
  pipe.read += given;
  return static_cast<int>(given);
}

long pipe_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH; }

[[noreturn]] void fail(const char* what) {
  char words[256] = "no reason told";
  if (const unsigned long code = ERR_get_error()) ERR_error_string_n(code, words, sizeof words);
  throw std::runtime_error(std::string("bare engine: ") + what + ": " + words);
}

void require(bool done, const char* what) {
  if (!done) fail(what);
}

SSL_CTX* make_context(const SSL_METHOD* method) {
  SSL_CTX* context = SSL_CTX_new(method);
  require(context, "SSL_CTX_new");
  require(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1, "version");
  require(SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") == 1, "cipher");
  require(SSL_CTX_set1_groups_list(context, "X25519") == 1, "group");
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  return context;
}

class BareEngine final : public Contestant {
 public:
  explicit BareEngine(const Task& task)
      : handshakes_(task.operation == "handshake"),
        to_server_(Layout(task.placement_seed).make(Purpose::wire_in, pipe_size)),
        to_client_(Layout(task.placement_seed).make(Purpose::wire_out, pipe_size)),
        message_(Layout(task.placement_seed).make(Purpose::message, task.size)),
        received_(Layout(task.placement_seed).make(Purpose::receive, task.size)) {
    method_ = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "pipe");
    BIO_meth_set_write(method_, pipe_write);
    BIO_meth_set_read(method_, pipe_read);
    BIO_meth_set_ctrl(method_, pipe_control);
    const auto credentials = credentials::ensure("ecdsa-p256");
    client_context_ = make_context(TLS_client_method());
    server_context_ = make_context(TLS_server_method());
    require(SSL_CTX_use_certificate_chain_file(server_context_, credentials.server_chain.c_str()) == 1 &&
                SSL_CTX_use_PrivateKey_file(server_context_, credentials.server_key.c_str(), SSL_FILETYPE_PEM) == 1,
            "certificate");
    connect();
  }

  ~BareEngine() override {
    disconnect();
    SSL_CTX_free(client_context_);
    SSL_CTX_free(server_context_);
    BIO_meth_free(method_);
  }

  // The first operation finds the caches as the other contestant has left them and is not counted, as in the rig.
  double run(std::int64_t begin_ns, std::int64_t end_ns) override {
    const unsigned operations_per_look = handshakes_ ? 1 : 32;
    measure::sleep_until_ns(begin_ns);
    operate();
    const std::int64_t begin = measure::now_ns();
    std::uint64_t operations = 0;
    std::int64_t now = begin;
    do {
      for (unsigned i = 0; i < operations_per_look; ++i) operate();
      operations += operations_per_look;
      now = measure::now_ns();
    } while (now < end_ns);
    return 1e9 * static_cast<double>(operations) / static_cast<double>(now - begin);
  }

 private:
  void operate() {
    if (!handshakes_) return wrap_unwrap();
    disconnect();
    connect();
  }

  SSL* open(SSL_CTX* context, Ends& ends) {
    SSL* ssl = SSL_new(context);
    BIO* bio = BIO_new(method_);
    require(ssl && bio, "SSL_new");
    BIO_set_data(bio, &ends);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    return ssl;
  }

  void connect() {
    to_server_.read = to_server_.written = to_client_.read = to_client_.written = 0;
    client_ = open(client_context_, client_ends_);
    server_ = open(server_context_, server_ends_);
    SSL_set_connect_state(client_);
    SSL_set_accept_state(server_);
    int client = 0, server = 0;
    for (int turn = 0; turn < 8 && (client != 1 || server != 1); ++turn) {
      if (client != 1) client = SSL_do_handshake(client_);
      if (server != 1) server = SSL_do_handshake(server_);
    }
    require(client == 1 && server == 1, "handshake");
  }

  void disconnect() {
    SSL_free(client_);
    SSL_free(server_);
  }

  void wrap_unwrap() {
    std::size_t written = 0, got = 0;
    if (SSL_write_ex(client_, message_.data(), message_.size(), &written) != 1) fail("SSL_write_ex");
    while (got < message_.size()) {
      std::size_t size = 0;
      if (SSL_read_ex(server_, received_.data() + got, message_.size() - got, &size) != 1) fail("SSL_read_ex");
      got += size;
    }
  }

  const bool handshakes_;
  Pipe to_server_, to_client_;
  Ends client_ends_{&to_client_, &to_server_}, server_ends_{&to_server_, &to_client_};
  measure::PlacedBuffer message_, received_;
  BIO_METHOD* method_ = nullptr;
  SSL_CTX *client_context_ = nullptr, *server_context_ = nullptr;
  SSL *client_ = nullptr, *server_ = nullptr;
};

}  // namespace

std::unique_ptr<Contestant> make_bare_engine(const Task& task) { return std::make_unique<BareEngine>(task); }

}  // namespace tlsrig::benchmarks
