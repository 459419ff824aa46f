// [variant.NAME] and --variant: other builds of the same libraries.
#pragma once

#include <tlsrig/scenario/collect.hpp>

namespace tlsrig::scenario {

// The variants that the file, -s and --variant define; the faulty ones are left out after a diagnostic. Adds their
// names to `known`, those of faulty ones too, so that one fault is not told again wherever the name is used.
std::vector<Variant> collect_variants(const Raw& document, const std::filesystem::path& file,
                                      const Overrides& overrides, KnownBackends& known, Diagnostics& diagnostics);

// Without -b a variant of the command line joins the backends of a scenario that compares its plugin, right behind it.
void join_backends(const std::vector<Variant>& variants, const Overrides& overrides, Draft& draft);

}  // namespace tlsrig::scenario
