// Issuing one set of certificates with the `openssl` command.
#include "issue.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <tlsrig/credentials/credentials.hpp>

#include "command.hpp"

namespace tlsrig::credentials {

namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

// Each kind and what `openssl genpkey` wants to hear for it. RSA-3072 is for libraries at security level 3.
const std::array<std::pair<const char*, Arguments>, 3>& recipes() {
  static const std::array<std::pair<const char*, Arguments>, 3> list{{
      {"ecdsa-p256",
       {"-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:named_curve"}},
      {"rsa-2048", {"-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"}},
      {"rsa-3072", {"-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:3072"}},
  }};
  return list;
}

const Arguments& key_arguments(const std::string& kind) {
  for (const auto& [name, arguments] : recipes())
    if (name == kind) return arguments;
  throw CredentialsError(
      fmt::format("there is no certificate kind `{}`; the kinds are {}", kind, fmt::join(kinds(), ", ")));
}

// The whole configuration that the command sees: the extensions of each certificate (RFC 5280, 4.2).
constexpr std::string_view configuration = R"([req]
distinguished_name = subject
prompt = no
[subject]
commonName = set with -subj
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[intermediate]
basicConstraints = critical, CA:TRUE, pathlen:0
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:server.tlsrig.test, DNS:localhost, IP:127.0.0.1, IP:::1
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
subjectAltName = DNS:client.tlsrig.test
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
)";

constexpr const char* expired_from = "20200101000000Z";
constexpr const char* expired_since = "20200201000000Z";

// A path as the command's configuration files spell it.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char letter : path) {
    if (std::string_view("\\$#\"'`").find(letter) != std::string_view::npos) text += '\\';
    text += letter;
  }
  return text;
}

// What `openssl ca` wants to hear: of all versions of the command it alone takes dates, not a number of days from now.
std::string ca_configuration(const std::string& directory) {
  return fmt::format(R"([ca]
default_ca = dated
[dated]
database = {0}/index
serial = {0}/serial
new_certs_dir = {0}
default_md = sha256
policy = any_subject
[any_subject]
organizationName = supplied
commonName = supplied
)",
                     escaped(directory));
}

void append_behind_each(std::string& text, std::string_view part, std::string_view more) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + more.size()))
    text.insert(at += part.size(), more);
}

// An RSA key encrypts a secret too in the static RSA suites of TLS 1.2, which its certificate has to allow (RFC 5280,
// 4.2.1.3); an ECDSA key only signs. Large leaves: the server's section has as many names more as make its certificate
// larger than 40 KiB.
std::string configuration_of(std::string_view kind, Leaves leaves) {
  std::string text(configuration);
  if (kind.starts_with("rsa-")) append_behind_each(text, "digitalSignature", ", keyEncipherment");
  if (leaves != Leaves::large) return text;
  constexpr std::string_view last_name = "IP:::1";
  std::string names(last_name);
  for (unsigned i = 0; names.size() < 44 * 1024; ++i)
    names += fmt::format(", DNS:host-{:04}.one-name-of-very-many.tlsrig.test", i);
  return text.replace(text.find(last_name), last_name.size(), names);
}

void write_file(const fs::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw CredentialsError(fmt::format("cannot write {}", path.string()));
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw CredentialsError(fmt::format("cannot read {}", path.string()));
  return std::string((std::istreambuf_iterator<char>(stream)), {});
}

// On a full disk the command may write half a file and still end with status 0.
std::string read_certificate(const fs::path& path) {
  std::string text = read_file(path);
  if (!text.ends_with("-----END CERTIFICATE-----\n"))
    throw CredentialsError(fmt::format("{} ({} bytes) does not hold a whole certificate", path.string(), text.size()));
  return text;
}

// Serial numbers are drawn, as RFC 5280 wants them unique under one issuer and a remade set keeps its issuers' names.
std::string random_serial() {
  std::random_device random;
  const auto draw = [&random] { return static_cast<std::uint32_t>(random()); };
  return fmt::format("0x{:08x}{:08x}", draw() >> 1 | 1u, draw());
}

// One run of the openssl command after another, all in one directory.
class Issuer {
 public:
  Issuer(const std::string& kind, std::string who, const fs::path& directory, Leaves leaves)
      : key_arguments_(key_arguments(kind)), who_(std::move(who)), directory_(directory) {
    write_file(path("openssl.cnf"), configuration_of(kind, leaves));
  }

  void make_root() {
    make_key("root");
    openssl({"req", "-new", "-x509", "-sha256", "-config", path("openssl.cnf"), "-extensions", "root", "-key",
             path("root-key.pem"), "-subj", subject("root"), "-set_serial", random_serial(), "-days", days(), "-out",
             path("root.pem")});
  }

  // Puts so many roots before the root of the trust file. Each has a key of its own: libraries may take two
  // certificates of one key for the same anchor and keep one.
  void add_other_roots(unsigned count) {
    const std::string key = path("other-key.pem"), certificate = path("other.pem");
    std::string trusted;
    for (unsigned i = 1; i <= count; ++i) {
      openssl({"req",
               "-new",
               "-x509",
               "-sha256",
               "-config",
               path("openssl.cnf"),
               "-extensions",
               "root",
               "-newkey",
               "ec",
               "-pkeyopt",
               "ec_paramgen_curve:P-256",
               "-pkeyopt",
               "ec_param_enc:named_curve",
               "-nodes",
               "-keyout",
               key,
               "-subj",
               subject(fmt::format("other root {}", i)),
               "-set_serial",
               random_serial(),
               "-days",
               days(),
               "-out",
               certificate});
      trusted += read_certificate(certificate);
    }
    write_file(path(trust_file), trusted + read_certificate(path(trust_file)));
    remove({"other-key.pem", "other.pem"});
  }

  // A certificate under `issuer`, with the extensions of the configuration's section of its own name.
  void make_certificate(const std::string& name, const std::string& issuer) {
    make_request(name);
    openssl({"x509", "-req", "-sha256", "-in", path(name + ".csr"), "-CA", path(issuer + ".pem"), "-CAkey",
             path(issuer + "-key.pem"), "-set_serial", random_serial(), "-days", days(), "-extfile",
             path("openssl.cnf"), "-extensions", name, "-out", path(name + ".pem")});
  }

  // The same, but good for one month of the past.
  void make_expired_certificate(const std::string& name, const std::string& issuer) {
    make_request(name);
    const std::string office = path("office-of-" + name);
    std::error_code failed;
    if (fs::create_directory(office, failed); failed)
      throw CredentialsError(fmt::format("cannot make the directory {}: {}", office, failed.message()));
    write_file(office + "/ca.cnf", ca_configuration(office));
    write_file(office + "/index", "");
    write_file(office + "/serial", random_serial().substr(2) + "\n");
    openssl({"ca",
             "-batch",
             "-notext",
             "-config",
             office + "/ca.cnf",
             "-in",
             path(name + ".csr"),
             "-cert",
             path(issuer + ".pem"),
             "-keyfile",
             path(issuer + "-key.pem"),
             "-startdate",
             expired_from,
             "-enddate",
             expired_since,
             "-extfile",
             path("openssl.cnf"),
             "-extensions",
             name,
             "-out",
             path(name + ".pem")});
    if (fs::remove_all(office, failed); failed)
      throw CredentialsError(fmt::format("cannot remove {}: {}", office, failed.message()));
  }

  void make_chain(const std::string& name, const std::string& issuer) {
    write_file(path(name + "-chain.pem"),
               read_certificate(path(name + ".pem")) + read_certificate(path(issuer + ".pem")));
  }

  void remove(const std::vector<std::string>& names) {
    std::error_code failed;
    for (const std::string& name : names)
      if (fs::remove(directory_ / name, failed); failed)
        throw CredentialsError(fmt::format("cannot remove {}: {}", path(name), failed.message()));
  }

 private:
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string subject(const std::string& role) const { return fmt::format("/O=tlsrig/CN={} {}", who_, role); }
  static std::string days() { return std::to_string(lifetime_days); }

  void make_request(const std::string& name) {
    make_key(name);
    openssl({"req", "-new", "-sha256", "-config", path("openssl.cnf"), "-key", path(name + "-key.pem"), "-subj",
             subject(name), "-out", path(name + ".csr")});
  }

  void make_key(const std::string& name) {
    Arguments arguments{"genpkey"};
    arguments.insert(arguments.end(), key_arguments_.begin(), key_arguments_.end());
    arguments.insert(arguments.end(), {"-out", path(name + "-key.pem")});
    openssl(arguments);
  }

  void openssl(Arguments arguments) {
    arguments.insert(arguments.begin(), "openssl");
    run(arguments, directory_ / "openssl.cnf", directory_ / "log");
  }

  const Arguments& key_arguments_;
  const std::string who_;
  const fs::path directory_;
};

}  // namespace

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const auto& recipe : recipes()) names.emplace_back(recipe.first);
  return names;
}

void check_kind(const std::string& kind) { key_arguments(kind); }

void issue(const std::string& kind, const std::string& who, const fs::path& directory, Leaves leaves,
           unsigned other_roots) {
  Issuer issuer(kind, who, directory, leaves);
  issuer.make_root();
  issuer.make_certificate("intermediate", "root");
  for (const char* leaf : {"server", "client"}) {
    if (leaves == Leaves::expired)
      issuer.make_expired_certificate(leaf, "intermediate");
    else
      issuer.make_certificate(leaf, "intermediate");
    issuer.make_chain(leaf, "intermediate");
  }
  if (other_roots) issuer.add_other_roots(other_roots);
  issuer.remove({"openssl.cnf", "log", "root-key.pem", "intermediate-key.pem", "intermediate.pem", "intermediate.csr",
                 "server.csr", "server.pem", "client.csr", "client.pem"});
}

}  // namespace tlsrig::credentials
