// The extension tlsrig.keylog/1: the secrets of the right sessions, in lines that a tool can read.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include <sys/socket.h>

#include <tlsrig/abi/keylog.h>
#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>
#include <tlsrig/net/fd.hpp>

namespace tlsrig::check {
namespace {

// Where a key log goes: a socket that keeps apart what each write(2) gave.
class Log {
 public:
  Log() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
      fail("the step could not make a socket pair");
    near_ = net::Fd(ends[0]);
    far_ = net::Fd(ends[1]);
  }

  int fd() const { return near_.get(); }

  // What was written since the last call, one element a write(2).
  std::vector<std::string> writes() const {
    std::vector<std::string> all;
    std::array<char, 4096> buffer;
    for (ssize_t size; (size = recv(far_.get(), buffer.data(), buffer.size(), 0)) > 0;)
      all.emplace_back(buffer.data(), std::size_t(size));
    return all;
  }

 private:
  net::Fd near_, far_;
};

void start(const Setup& setup, const host::Context& context, const Log& log) {
  const auto* keylog = setup.backend->extension<tlsrig_keylog>(TLSRIG_KEYLOG);
  if (!keylog) skip("does not offer {}", TLSRIG_KEYLOG);
  tlsrig_error error{};
  host::LoggedCall call(setup.backend->log(), {"keylog.start"});
  const tlsrig_result result = call.ends(keylog->start(context.get(), log.fd(), &error));
  require(result == TLSRIG_OK, "start() answered {} ({}); OK was due", name_of(result), words_of(error));
}

// The random of the ClientHello in hexadecimal (RFC 8446, 4.1.2), from the bytes that the client sent.
std::string client_random(End& client) {
  constexpr std::size_t record_and_message_headers = 5 + 4, version = 2, size = 32;
  const auto sent = client.outgoing().history();
  require(sent.size() >= record_and_message_headers + version + size, "the client has sent no ClientHello");
  std::string text;
  for (const std::uint8_t byte : sent.subspan(record_and_message_headers + version, size))
    text += fmt::format("{:02x}", byte);
  return text;
}

bool is_hexadecimal(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char letter) { return std::isxdigit(letter) != 0; });
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& letter : made) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return made;
}

// LABEL, the client's random and the secret, with a space between them; one line a write. Returns label and secret.
std::map<std::string, std::string> parsed(const std::vector<std::string>& writes, const std::string& random) {
  constexpr std::size_t random_digits = 64, secret_digits_least = 64, secret_digits_most = 96;
  std::map<std::string, std::string> secrets;
  for (const std::string& line : writes) {
    require(std::count(line.begin(), line.end(), '\n') == 1 && line.back() == '\n',
            "one write of the key log is \"{}\"; a whole line and nothing else was due", line);
    const std::string_view text(line.data(), line.size() - 1);
    const std::size_t first = text.find(' '), second = text.find(' ', first + 1);
    require(first != std::string_view::npos && second != std::string_view::npos,
            "a line of the key log is \"{}\"; LABEL RANDOM SECRET was due", text);
    const std::string_view told = text.substr(first + 1, second - first - 1), secret = text.substr(second + 1);
    require(told.size() == random_digits && lower(told) == random,
            "a line of the key log tells the client's random {}; the ClientHello has {}", told, random);
    require(is_hexadecimal(secret) && secret.size() >= secret_digits_least && secret.size() <= secret_digits_most,
            "a line of the key log has the secret \"{}\"; 64 to 96 hexadecimal digits were due", secret);
    secrets[std::string(text.substr(0, first))] = lower(secret);
  }
  return secrets;
}

std::set<std::string> labels_of(std::uint32_t protocol) {
  if (protocol == TLSRIG_TLS_1_2) return {"CLIENT_RANDOM"};
  return {"CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0",
          "SERVER_TRAFFIC_SECRET_0"};
}

// Both sides write the same secrets of the same session.
void keylog_lines(const Setup& setup) {
  skip_unless_tls(setup);
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  const Log client_log, server_log;
  start(setup, contexts.client, client_log);
  start(setup, contexts.server, server_log);
  for (unsigned i = 0; i < 2; ++i) {
    Bench bench(contexts, both_over(setup.transport), settings.server_name.c_str());
    shake(bench);
    exchange(bench, 1000);
    const std::string random = client_random(bench.client());
    const auto by_client = parsed(client_log.writes(), random), by_server = parsed(server_log.writes(), random);
    for (const std::string& label : labels_of(setup.protocol)) {
      require(by_client.count(label) != 0, "the client's key log has no line {}", label);
      require(by_server.count(label) != 0, "the server's key log has no line {}", label);
      require(by_client.at(label) == by_server.at(label), "client and server tell different secrets for {}", label);
    }
  }
}

// Nothing is written of sessions of other contexts, and nothing but secrets.
void keylog_of_its_own_sessions(const Setup& setup) {
  skip_unless_tls(setup);
  const Settings settings = usual(setup);
  const Contexts logged(*setup.backend, *setup.backend, settings), silent(*setup.backend, *setup.backend, settings);
  const Log log;
  start(setup, logged.client, log);
  const auto talk = [&](const Contexts& contexts) {
    Bench bench(contexts, both_over(setup.transport), settings.server_name.c_str());
    shake(bench);
    exchange(bench, 1000);
    end_orderly(bench);
  };
  talk(silent);
  require(log.writes().empty(), "a session of another context wrote to the key log");
  talk(logged);
  require(!log.writes().empty(), "a session opened after start() wrote nothing to the key log");
}

}  // namespace

std::vector<Step> keylog_steps() {
  return {
      {"keylog-lines", "keylog: one line a write, with the secrets of the session", judged<keylog_lines>,
       "write each line that the library's callback gives (SSL_CTX_set_keylog_callback, "
       "gnutls_session_set_keylog_function) with its newline in one write(2), and nothing else"},
      {"keylog-of-its-own-sessions", "keylog: the sessions opened later from the context, and no others",
       judged<keylog_of_its_own_sessions>,
       "keep the descriptor in the context and install the callback there, not in a variable of the plugin"},
  };
}

}  // namespace tlsrig::check
