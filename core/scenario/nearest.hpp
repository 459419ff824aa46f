// The known word nearest to a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tlsrig::scenario {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view left, std::string_view right);

// Empty when none is near enough to be what was meant: more than a third of the word would have to change.
std::string nearest(std::string_view word, std::span<const std::string> known);

// `"a", "b", "c"`.
std::string quoted_list(std::span<const std::string> words);

// `; did you mean "word"?`, or nothing when no known word is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace tlsrig::scenario
