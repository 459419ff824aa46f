// The known word nearest to a misspelt one.
#include <tlsrig/scenario/nearest.hpp>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace tlsrig::scenario {
namespace {

std::string lower(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before_last(right.size() + 1), last(right.size() + 1), row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[right.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t longest = 100;  // the distance costs length x length, and no known word is that long
  if (word.empty() || word.size() > longest || std::isdigit(static_cast<unsigned char>(word.front()))) {
    return {};  // between numbers nearness means nothing
  }
  const std::string wanted = lower(word);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance < best_distance && distance < candidate.size()) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string quoted_list(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words) {
    out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", word);
  }
  return out;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::string best = nearest(word, known);
  return best.empty() ? std::string{} : fmt::format("; did you mean \"{}\"?", best);
}

}  // namespace tlsrig::scenario
