// `tlsrig list backends`: what each plugin is, or why it was refused.
#pragma once

#include <string>
#include <vector>

namespace tlsrig::cli {

// variants: NAME=PLUGIN:DIR, listed beside the others. Prints to stdout; verbose: names every cipher suite too. Gives
// the exit status. Throws Unusable, rig::Interrupted.
int list_backends(const std::vector<std::string>& places, const std::vector<std::string>& variants, bool json,
                  bool verbose);

}  // namespace tlsrig::cli
