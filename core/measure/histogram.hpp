// A histogram of durations: logarithmic buckets, each split into 128 linear steps, so a value is kept within 0.8 %.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tlsrig::measure {

class Histogram {
 public:
  Histogram();

  // Counts one duration; negative counts as 0, more than an hour as an hour. Does not allocate.
  void add(std::int64_t ns) noexcept;

  void merge(const Histogram& other);
  std::uint64_t count() const { return count_; }

  // The smallest kept value that at least `quantile` (0..1) of the durations do not exceed; 0 when empty.
  std::int64_t quantile_ns(double quantile) const;

  // Non-empty buckets as (upper bound in ns, count), in order; and back.
  std::vector<std::pair<std::int64_t, std::uint64_t>> sparse() const;
  static Histogram from_sparse(const std::vector<std::pair<std::int64_t, std::uint64_t>>& buckets);

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
};

// Whether a percentile may be told: at least 10 / (1 - quantile) samples.
bool enough_samples(std::uint64_t count, double quantile);

}  // namespace tlsrig::measure
