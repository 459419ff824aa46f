// Running one external command without a shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tlsrig::credentials {

// The command as a reader would type it, for messages.
std::string as_typed(const std::vector<std::string>& arguments);

// Runs arguments[0], found in PATH, and waits for it. Its stdin is empty; what it prints goes to `log`. Its environment
// is this process's without LD_PRELOAD, and with OPENSSL_CONF naming `openssl_conf`. Throws CredentialsError, with
// what the command printed, unless it ends with status 0.
void run(const std::vector<std::string>& arguments, const std::filesystem::path& openssl_conf,
         const std::filesystem::path& log);

}  // namespace tlsrig::credentials
