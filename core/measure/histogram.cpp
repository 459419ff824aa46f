// Logarithmic buckets with linear steps. Durations below 128 ns have a bucket each; from there on every power of two is
// split into 128 steps, so a bucket is at most 1/128 as wide as the durations that it holds.
#include <tlsrig/measure/histogram.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace tlsrig::measure {

namespace {

constexpr unsigned step_bits = 7;
constexpr std::uint64_t steps = std::uint64_t{1} << step_bits;
constexpr std::int64_t longest_ns = std::int64_t{3600} * 1'000'000'000;

constexpr std::size_t bucket_of(std::uint64_t ns) noexcept {
  if (ns < steps) return ns;
  const unsigned shift = static_cast<unsigned>(std::bit_width(ns)) - 1 - step_bits;
  return (shift + 1) * steps + ((ns >> shift) - steps);
}

// The largest duration that a bucket holds.
constexpr std::int64_t upper_ns(std::size_t bucket) noexcept {
  if (bucket < steps) return static_cast<std::int64_t>(bucket);
  const std::size_t shift = bucket / steps - 1;
  const std::uint64_t step = steps + bucket % steps;
  return static_cast<std::int64_t>(((step + 1) << shift) - 1);
}

constexpr std::size_t bucket_count = bucket_of(static_cast<std::uint64_t>(longest_ns)) + 1;

constexpr std::size_t clamped_bucket(std::int64_t ns) noexcept {
  return bucket_of(static_cast<std::uint64_t>(std::clamp<std::int64_t>(ns, 0, longest_ns)));
}

}  // namespace

Histogram::Histogram() : buckets_(bucket_count) {}

void Histogram::add(std::int64_t ns) noexcept {
  ++buckets_[clamped_bucket(ns)];
  ++count_;
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < bucket_count; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
}

std::int64_t Histogram::quantile_ns(double quantile) const {
  if (count_ == 0) return 0;
  const double share = std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count_);
  const std::uint64_t needed = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(share)), 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < bucket_count; ++i) {
    seen += buckets_[i];
    if (seen >= needed) return upper_ns(i);
  }
  return upper_ns(bucket_count - 1);
}

std::vector<std::pair<std::int64_t, std::uint64_t>> Histogram::sparse() const {
  std::vector<std::pair<std::int64_t, std::uint64_t>> filled;
  for (std::size_t i = 0; i < bucket_count; ++i)
    if (buckets_[i]) filled.emplace_back(upper_ns(i), buckets_[i]);
  return filled;
}

Histogram Histogram::from_sparse(const std::vector<std::pair<std::int64_t, std::uint64_t>>& buckets) {
  Histogram histogram;
  for (const auto& [upper, count] : buckets) {
    histogram.buckets_[clamped_bucket(upper)] += count;
    histogram.count_ += count;
  }
  return histogram;
}

bool enough_samples(std::uint64_t count, double quantile) {
  // Compared as a product: 10 / (1 - 0.99) is a little more than 1000 in binary.
  return quantile < 1 && static_cast<double>(count) * (1 - quantile) >= 10 * (1 - 1e-9);
}

}  // namespace tlsrig::measure
