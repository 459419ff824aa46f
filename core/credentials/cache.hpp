// Where sets of certificates are kept: whole or not at all, one maker at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace tlsrig::credentials {

// Gives the directory of the set `name` inside `cache`, in which every file is as it was made and the certificates are
// valid now and for a day. When it is not so, `make` fills an empty directory (0700) beside, which then takes the
// set's place. Any number of processes may ask at once; one makes, the others wait. Throws CredentialsError.
std::filesystem::path kept_or_made(const std::filesystem::path& cache, const std::string& name,
                                   const std::function<void(const std::filesystem::path&)>& make);

}  // namespace tlsrig::credentials
