// A machine's record in words.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// "AMD EPYC, 2 processors, 23.5 GiB memory, Linux 6.1, load 0.52 0.58 0.59": what a reader compares machines by. All
// else that the record holds follows when `everything` is asked. Empty for an empty record.
std::string machine_words(const Json& machine, bool everything);

}  // namespace tlsrig::report
