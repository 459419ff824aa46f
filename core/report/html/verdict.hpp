// A verdict as the page marks it: a symbol, a word and a tone, so that nothing rests on colour.
#pragma once

#include <string>

#include <tlsrig/report/model.hpp>
#include <tlsrig/report/words/words.hpp>  // interval_words

namespace tlsrig::report::html {

struct Marking {
  std::string symbol, word;
  std::string reason;  // why there is no number; empty when there is one
  std::string tone;    // the class that colours it: "good" "bad" "open" "none" "missing"
};

// Of an arm in its cell: by the metric that arms are ranked by, or by another one. Of CPU times "faster" is worded
// "less CPU".
Marking marking_of(const Cell& cell, const Arm& arm);
Marking marking_of(const Cell& cell, const Arm& arm, const std::string& metric);

// " (text)"; empty for an empty text.
std::string in_brackets(const std::string& text);

}  // namespace tlsrig::report::html
