// `tlsrig list backends`: what each plugin is, or why it was refused.
#pragma once

#include <string>
#include <vector>

namespace tlsrig::cli {

// Prints to stdout; verbose: names every cipher suite too. Gives the exit status. Throws Unusable, rig::Interrupted.
int list_backends(const std::vector<std::string>& places, bool json, bool verbose);

}  // namespace tlsrig::cli
