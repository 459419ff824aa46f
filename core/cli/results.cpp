// Reading results.
#include <tlsrig/cli/results.hpp>

#include <filesystem>
#include <system_error>

#include <tlsrig/judge/consistency.hpp>
#include <tlsrig/report/file/read.hpp>

namespace tlsrig::cli {

std::string result_file(const std::string& argument) {
  std::error_code error;
  return argument != "-" && std::filesystem::is_directory(argument, error)
             ? (std::filesystem::path(argument) / "result.json").string()
             : argument;
}

report::Result read_consistent(const std::string& file) {
  report::Result result = report::read_result(file);
  judge::require_consistent(result, file == "-" ? "standard input" : file);
  return result;
}

}  // namespace tlsrig::cli
