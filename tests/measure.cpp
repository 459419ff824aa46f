// Tests of core/measure: the histogram against sorted samples, where buffers lie, clocks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <tlsrig/measure/clock.hpp>
#include <tlsrig/measure/cpu.hpp>
#include <tlsrig/measure/histogram.hpp>
#include <tlsrig/measure/placement.hpp>
#include <tlsrig/measure/processors.hpp>

using namespace tlsrig::measure;

namespace {

constexpr std::int64_t hour_ns = std::int64_t{3600} * 1'000'000'000;

// The smallest sample that at least `quantile` of the samples do not exceed.
std::int64_t exact_quantile(std::vector<std::int64_t> samples, double quantile) {
  std::sort(samples.begin(), samples.end());
  const double share = quantile * static_cast<double>(samples.size());
  const auto needed = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(share)));
  return samples[needed - 1];
}

// A bucket keeps its upper bound: never below the sample, and at most 1/128 above it.
void check_kept(std::int64_t kept, std::int64_t sample) {
  CHECK(kept >= sample);
  CHECK(static_cast<double>(kept - sample) <= static_cast<double>(sample) / 128);
}

}  // namespace

TEST_SUITE("measure.histogram") {
  TEST_CASE("an empty histogram") {
    const Histogram histogram;
    CHECK(histogram.count() == 0);
    CHECK(histogram.quantile_ns(0.5) == 0);
    CHECK(histogram.sparse().empty());
  }

  TEST_CASE("quantiles agree with sorted samples") {
    std::mt19937_64 random(7);
    for (const double spread : {0.1, 1.0, 3.0}) {
      CAPTURE(spread);
      std::lognormal_distribution<double> durations(std::log(150'000.0), spread);
      Histogram histogram;
      std::vector<std::int64_t> samples;
      for (int i = 0; i < 50'000; ++i) {
        samples.push_back(std::min(static_cast<std::int64_t>(durations(random)), hour_ns));
        histogram.add(samples.back());
      }
      CHECK(histogram.count() == samples.size());
      for (const double quantile : {0.0, 0.001, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        CAPTURE(quantile);
        check_kept(histogram.quantile_ns(quantile), exact_quantile(samples, quantile));
      }
    }
  }

  TEST_CASE("every duration is kept within 0.8 percent, on both sides of each border") {
    std::vector<std::int64_t> durations;
    for (std::int64_t power = 1; power < hour_ns; power *= 2)
      for (std::int64_t near = -2; near <= 2; ++near) durations.push_back(std::max<std::int64_t>(0, power + near));
    durations.push_back(hour_ns - 1);
    for (const std::int64_t duration : durations) {
      CAPTURE(duration);
      Histogram histogram;
      histogram.add(duration);
      check_kept(histogram.quantile_ns(0.5), duration);
    }
  }

  TEST_CASE("small durations are exact") {
    for (std::int64_t duration = 0; duration < 256; ++duration) {
      Histogram histogram;
      histogram.add(duration);
      CHECK(histogram.quantile_ns(1) == duration);
    }
  }

  TEST_CASE("what is out of range counts at the end of the range") {
    Histogram histogram;
    histogram.add(-5);
    histogram.add(hour_ns * 10);
    CHECK(histogram.count() == 2);
    CHECK(histogram.quantile_ns(0) == 0);
    check_kept(histogram.quantile_ns(1), hour_ns);
  }

  TEST_CASE("merging and the sparse form lose nothing") {
    std::mt19937_64 random(11);
    std::uniform_int_distribution<std::int64_t> durations(0, 10'000'000);
    Histogram one, two, both;
    for (int i = 0; i < 10'000; ++i) {
      const std::int64_t duration = durations(random);
      (i % 3 ? one : two).add(duration);
      both.add(duration);
    }
    one.merge(two);
    CHECK(one.count() == both.count());
    CHECK(one.sparse() == both.sparse());
    const auto sparse = both.sparse();
    CHECK(std::is_sorted(sparse.begin(), sparse.end()));
    CHECK(Histogram::from_sparse(sparse).sparse() == sparse);
    CHECK(Histogram::from_sparse(sparse).count() == both.count());
    CHECK(Histogram::from_sparse(sparse).quantile_ns(0.99) == both.quantile_ns(0.99));
  }

  TEST_CASE("a percentile needs ten samples beyond it") {
    CHECK_FALSE(enough_samples(19, 0.5));
    CHECK(enough_samples(20, 0.5));
    CHECK_FALSE(enough_samples(999, 0.99));
    CHECK(enough_samples(1000, 0.99));
    CHECK_FALSE(enough_samples(9'999, 0.999));
    CHECK(enough_samples(10'000, 0.999));
    CHECK_FALSE(enough_samples(1'000'000'000, 1.0));
  }
}

TEST_SUITE("measure.placement") {
  TEST_CASE("a buffer lies where it was told to, zeroed and writable to its last byte") {
    for (const std::size_t offset : {0u, 64u, 1024u, 4032u, 4095u})
      for (const std::size_t size : {1u, 64u, 4096u, 65536u, 1000003u}) {
        CAPTURE(offset);
        CAPTURE(size);
        PlacedBuffer buffer(size, offset);
        CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096 == offset);
        CHECK(buffer.size() == size);
        CHECK(std::all_of(buffer.data(), buffer.data() + size, [](std::uint8_t byte) { return byte == 0; }));
        std::fill(buffer.data(), buffer.data() + size, std::uint8_t{1});
      }
  }

  TEST_CASE("an empty buffer is allowed, and a moved one keeps its place") {
    CHECK(PlacedBuffer(0, 0).size() == 0);
    PlacedBuffer first(100, 128);
    const std::uint8_t* const place = first.data();
    const PlacedBuffer second = std::move(first);
    CHECK(second.data() == place);
  }

  TEST_CASE("offsets follow from seed and purpose, spread over the page, a cache line apart") {
    std::set<std::size_t> seen;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      const std::size_t offset = page_offset(seed, 1);
      CHECK(offset == page_offset(seed, 1));
      CHECK(offset % 64 == 0);
      CHECK(offset < 4096);
      seen.insert(offset);
    }
    CHECK(seen.size() == 64);
    int differ = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) differ += page_offset(seed, 1) != page_offset(seed, 2);
    CHECK(differ > 90);
  }
}

TEST_SUITE("measure.placement") {
  TEST_CASE("a thread, and what it starts, runs where it was told to") {
    const std::vector<unsigned> all = allowed_processors();
    REQUIRE_FALSE(all.empty());
    CHECK(std::is_sorted(all.begin(), all.end()));
    std::vector<unsigned> alone, inherited;
    bool confined = false, impossible = true;
    std::thread([&] {
      confined = run_on(std::vector<unsigned>{all.back()});
      alone = allowed_processors();
      std::thread([&] { inherited = allowed_processors(); }).join();
      impossible = run_on(std::vector<unsigned>{65'000});
    }).join();
    CHECK(confined);
    CHECK(alone == std::vector<unsigned>{all.back()});
    CHECK(inherited == alone);
    CHECK_FALSE(impossible);
    CHECK_FALSE(run_on(std::vector<unsigned>{}));
    CHECK(allowed_processors() == all);
  }
}

TEST_SUITE("measure.time") {
  TEST_CASE("sleeping lasts until the instant and not less") {
    const std::int64_t until = now_ns() + 3'000'000;
    sleep_until_ns(until);
    CHECK(now_ns() >= until);
    const std::int64_t before = now_ns();
    sleep_until_ns(before - 1'000'000'000);
    CHECK(now_ns() - before < 1'000'000'000);
  }

  TEST_CASE("CPU time grows with work") {
    const CpuUse before = process_cpu_use();
    volatile std::uint64_t sum = 0;
    CpuUse used;
    while (used.user_seconds + used.system_seconds < 0.02) {
      for (std::uint64_t i = 0; i < 100'000; ++i) sum = sum + i;
      used = process_cpu_use() - before;
    }
    CHECK(used.user_seconds > 0);
  }
}
