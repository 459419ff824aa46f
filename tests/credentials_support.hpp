// What the tests of certificates have in common: the openssl command as the judge, and one that stands in for it.
#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/credentials/credentials.hpp>

namespace credentials_test {

namespace fs = std::filesystem;
using tlsrig::credentials::Credentials;
using tlsrig::credentials::CredentialsError;

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What `openssl ARGUMENTS` prints, both streams; `status` is its exit status.
inline std::string openssl(const std::string& arguments, int* status = nullptr) {
  std::string text;
  std::FILE* const pipe = ::popen(("openssl " + arguments + " 2>&1").c_str(), "r");
  if (!pipe) throw std::runtime_error("popen");
  std::array<char, 4096> part;
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), size);
  const int ended = ::pclose(pipe);
  if (status) *status = WEXITSTATUS(ended);
  return text;
}

inline bool succeeds(const std::string& arguments) {
  int status = -1;
  const std::string said = openssl(arguments, &status);
  INFO(said);
  return status == 0;
}

inline std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(stream)), {});
}

inline void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline unsigned mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

inline std::vector<fs::path> files_of(const Credentials& made) {
  return {made.server_chain, made.server_key, made.client_chain, made.client_key, made.trust};
}

inline bool fits(const fs::path& chain, const fs::path& key) {
  const std::string certified = openssl("x509 -noout -pubkey -in " + chain.string());
  return has(certified, "BEGIN PUBLIC KEY") && certified == openssl("pkey -pubout -in " + key.string());
}

inline bool verifies(const fs::path& chain, const fs::path& trust, const std::string& purpose) {
  return succeeds("verify -x509_strict -purpose " + purpose + " -CAfile " + trust.string() + " -untrusted " +
                  chain.string() + " " + chain.string());
}

inline bool good(const Credentials& made) {
  return verifies(made.server_chain, made.trust, "sslserver") && verifies(made.client_chain, made.trust, "sslclient") &&
         fits(made.server_chain, made.server_key) && fits(made.client_chain, made.client_key);
}

template <class Function>
inline std::string error_of(Function function) {
  try {
    function();
  } catch (const CredentialsError& error) {
    return error.what();
  }
  return {};
}

// An `openssl` in front of the real one, which notes each run in `log` and then does `body`.
inline std::string stand_in(const fs::path& directory, const fs::path& log, const std::string& body) {
  const fs::path script = directory / "openssl";
  write_file(script, "#!/bin/sh\necho run >> " + log.string() + "\n" + body + "\n");
  fs::permissions(script, fs::perms::owner_all | fs::perms::others_exec | fs::perms::others_read);
  return directory.string() + ":" + std::getenv("PATH");
}

inline std::string real_openssl() {
  std::string path(std::getenv("PATH"));
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path candidate = fs::path(path.substr(begin, end - begin)) / "openssl";
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.string();
    begin = end + 1;
  }
  throw std::runtime_error("no openssl in PATH");
}

inline std::ptrdiff_t count_lines(const fs::path& path) {
  const std::string text = read_file(path);
  return std::count(text.begin(), text.end(), '\n');
}

inline std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace credentials_test
