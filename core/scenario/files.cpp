// Whether a file that a scenario names is there to be read.
#include <tlsrig/scenario/files.hpp>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace tlsrig::scenario {

std::string file_fault(const std::filesystem::path& file) {
  std::error_code error;
  const auto type = std::filesystem::status(file, error).type();
  if (type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::none) {
    return "cannot be opened: " + error.message();
  }
  if (type == std::filesystem::file_type::directory) {
    return "is a directory";
  }
  if (type != std::filesystem::file_type::regular) {
    return "is no regular file";  // each library reads it anew, which a pipe does not allow
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> handle(std::fopen(file.c_str(), "rbe"), &std::fclose);
  if (!handle) {
    return "cannot be opened: " + std::generic_category().message(errno);
  }
  errno = 0;
  if (std::fgetc(handle.get()) != EOF) {
    return {};
  }
  return std::ferror(handle.get()) != 0 ? "cannot be read: " + std::generic_category().message(errno) : "is empty";
}

}  // namespace tlsrig::scenario
