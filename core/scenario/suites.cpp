// The TLS cipher suites that a scenario may name.
#include <tlsrig/scenario/suites.hpp>

#include <algorithm>

namespace tlsrig::scenario {

const Suite* find_suite(std::string_view name) {
  const auto at =
      std::find_if(std::begin(suites), std::end(suites), [&](const Suite& suite) { return suite.name == name; });
  return at == std::end(suites) ? nullptr : at;
}

bool has_group(std::string_view suite) {
  const Suite* const found = find_suite(suite);
  return found == nullptr || found->has_group;
}

KeyKind key_kind(std::string_view certificate) {
  if (certificate.starts_with("ecdsa-")) {
    return KeyKind::ecdsa;
  }
  return certificate.starts_with("rsa-") ? KeyKind::rsa : KeyKind::any;
}

std::string_view default_suite(std::string_view version, KeyKind key) {
  const auto fits = [&](const Suite& suite) {
    return suite.version == version && (suite.key == key || suite.key == KeyKind::any);
  };
  const auto at = std::find_if(std::begin(suites), std::end(suites), fits);
  return at == std::end(suites) ? std::string_view{} : at->name;
}

}  // namespace tlsrig::scenario
