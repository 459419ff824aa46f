// What a result comes to, in words and numbers.
#include <tlsrig/report/findings.hpp>

namespace tlsrig::report {}  // namespace tlsrig::report
