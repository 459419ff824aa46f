// Whether copies on this machine are slow at certain places: on AMD Zen 3 a copy whose source and destination lie 1 to
// 16 bytes apart within their pages runs 20 to 40 times slower (glibc bug 30994, `rep movsb`), in the C library and in
// the kernel's socket copies alike. The rig draws where its buffers lie anew for every block; this says whether that
// matters here.
#pragma once

#include <nlohmann/json.hpp>

namespace tlsrig::rig {

// {"memcpy_slowdown": x, "socket_slowdown": x, "affected": bool}: how many times longer a 64 KiB copy takes at the
// worst of the probed places than at the median one, within memory and out of a TCP socket; affected: either is 2 or
// more. null for what could not be probed. Takes about 50 ms of CPU time, on the calling thread.
nlohmann::ordered_json copy_alias_record();

}  // namespace tlsrig::rig
