// Durations, sizes, rates, percentages, and how near a word is.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include <tlsrig/scenario/nearest.hpp>
#include <tlsrig/scenario/units.hpp>

using namespace tlsrig::scenario;

namespace {

using Fault = Quantity::Fault;

std::uint64_t value(QuantityKind kind, std::string_view text) {
  const Quantity quantity = parse_quantity(kind, text);
  CAPTURE(std::string(text));
  CHECK(quantity.fault == Fault::none);
  return quantity.value;
}

}  // namespace

TEST_CASE("every unit") {
  CHECK(value(QuantityKind::duration, "7ns") == 7);
  CHECK(value(QuantityKind::duration, "7us") == 7'000);
  CHECK(value(QuantityKind::duration, "250ms") == 250'000'000);
  CHECK(value(QuantityKind::duration, "2s") == 2'000'000'000);
  CHECK(value(QuantityKind::duration, "3min") == 180'000'000'000);
  CHECK(value(QuantityKind::size, "64B") == 64);
  CHECK(value(QuantityKind::size, "16KiB") == 16'384);
  CHECK(value(QuantityKind::size, "2MiB") == 2'097'152);
  CHECK(value(QuantityKind::size, "1GiB") == 1'073'741'824);
  CHECK(value(QuantityKind::rate, "50/s") == 50);
  CHECK(value(QuantityKind::rate, "5k/s") == 5'000);
  CHECK(value(QuantityKind::rate, "2M/s") == 2'000'000);
}

TEST_CASE("shapes that are refused") {
  for (const char* text :
       {"", "KiB", "1", "1kib", "1 KiB", " 1KiB", "1KiB ", "-1B", "+1B", "1.5KiB", "0x10B", "1_000B", "1e3B"}) {
    CAPTURE(text);
    CHECK(parse_quantity(QuantityKind::size, text).fault == Fault::shape);
  }
}

TEST_CASE("the limits of 64 bits") {
  CHECK(value(QuantityKind::size, "18446744073709551615B") == ~0ULL);
  CHECK(value(QuantityKind::size, "17179869183GiB") == 17179869183ULL << 30);
  CHECK(parse_quantity(QuantityKind::size, "18446744073709551616B").fault == Fault::overflow);
  CHECK(parse_quantity(QuantityKind::size, "17179869184GiB").fault == Fault::overflow);
  CHECK(parse_quantity(QuantityKind::duration, "9999999999999999999min").fault == Fault::overflow);
  CHECK(multiply(1ULL << 32, 1ULL << 31) == 1ULL << 63);
  CHECK_FALSE(multiply(1ULL << 32, 1ULL << 32).has_value());
}

TEST_CASE("what is formatted is read as the same number") {
  for (const QuantityKind kind : {QuantityKind::duration, QuantityKind::size, QuantityKind::rate}) {
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1'000}, std::uint64_t{1'024},
                                       std::uint64_t{1'536}, std::uint64_t{60'000'000'000}, ~std::uint64_t{0}}) {
      CHECK(value(kind, format_quantity(kind, number)) == number);
    }
  }
  CHECK(format_quantity(QuantityKind::size, 16'384) == "16KiB");
  CHECK(format_quantity(QuantityKind::size, 1'536) == "1536B");
  CHECK(format_quantity(QuantityKind::duration, 300'000'000) == "300ms");
}

TEST_CASE("guesses") {
  CHECK(guess_quantity(QuantityKind::size, "1kib") == "1KiB");
  CHECK(guess_quantity(QuantityKind::size, "16 K") == "16KiB");
  CHECK(guess_quantity(QuantityKind::size, "10") == "10B");
  CHECK(guess_quantity(QuantityKind::size, "ten").empty());
  CHECK(guess_quantity(QuantityKind::size, "").empty());
  CHECK(guess_quantity(QuantityKind::duration, "5 minutes") == "5min");
  CHECK(guess_quantity(QuantityKind::duration, "300").empty());  // of what?
  CHECK(guess_quantity(QuantityKind::rate, "5K/s") == "5k/s");
}

TEST_CASE("percentages") {
  CHECK(parse_percent("1%") == 0.01);
  CHECK(parse_percent("0.5%") == 0.005);
  CHECK(parse_percent("100%") == 1.0);
  for (const char* text : {"", "%", "1", "-1%", "+1%", "nan%", "inf%", "1 %", "1e2%", "0x1%", ".5%", "1%%"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_percent(text).has_value());
  }
  for (const char* text : {"1%", "0.5%", "7%", "12.5%", "100%", "0.01%", "0%"}) {
    CHECK(format_percent(*parse_percent(text)) == text);
  }
}

TEST_CASE("nearest words") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("mesage", "message") == 1);
  CHECK(edit_distance("kye", "key") == 1);  // neighbours swapped
  CHECK(edit_distance("kitten", "sitting") == 3);
  const std::array<std::string, 3> words{"openssl", "boringssl", "wolfssl"};
  CHECK(nearest("opnssl", words) == "openssl");
  CHECK(nearest("OpenSSL", words) == "openssl");
  CHECK(nearest("wolf", words) == "");
  CHECK(nearest("xyz", words) == "");
  CHECK(nearest("", words) == "");
  CHECK(nearest(std::string(10'000, 'a'), words) == "");
  CHECK(did_you_mean("borringssl", words) == "; did you mean \"boringssl\"?");
  CHECK(quoted_list(words) == "\"openssl\", \"boringssl\", \"wolfssl\"");
}
