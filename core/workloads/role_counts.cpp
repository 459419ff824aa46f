// From marks to what lies between them.
#include <tlsrig/workloads/role_counts.hpp>

namespace tlsrig::workloads {

Json RoleCounts::to_json() const {
  const WireCounts &before = warm_up_begin.wire, &warm = warm_up_end.wire;
  const WireCounts &begin = measured_begin.wire, &end = measured_end.wire;
  const bool complete = before.complete && warm.complete && begin.complete && end.complete;
  const auto between = [&](std::uint64_t from, std::uint64_t to) { return complete ? Json(to - from) : Json(nullptr); };
  const auto records = [&](const std::optional<std::uint64_t>& from, const std::optional<std::uint64_t>& to) {
    return from && to ? between(*from, *to) : Json(nullptr);
  };
  return {{"warmup_operations", warm_up_end.operations - warm_up_begin.operations},
          {"records_in", records(before.records_in, warm.records_in)},
          {"records_out", records(before.records_out, warm.records_out)},
          {"operations", measured_end.operations - measured_begin.operations},
          {"reads", between(begin.calls.reads, end.calls.reads)},
          {"writes", between(begin.calls.writes, end.calls.writes)},
          {"bytes_in", between(begin.calls.bytes_in, end.calls.bytes_in)},
          {"bytes_out", between(begin.calls.bytes_out, end.calls.bytes_out)}};
}

}  // namespace tlsrig::workloads
