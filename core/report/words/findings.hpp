// What a result comes to, in words and numbers that every form of the report shares: sentences for verdicts, the
// reasons behind them, what this machine can see, and everything a reader has to be warned of. Plain text; who renders
// it escapes it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// What the baseline's twin showed in a cell, for the metric that it is ranked by.
struct Resolution {
  const Cell* cell = nullptr;  // the caller's
  std::string metric;
  double ratio = 1, low = 1, high = 1;
  double limit = 0;        // the smallest difference that can be told apart here, as a fraction: 0.038
  double equivalence = 0;  // the difference that the scenario wants told apart
  bool resolved() const { return limit <= equivalence; }
};

// Empty without a twin that is ok and has an interval.
std::optional<Resolution> resolution(const Cell& cell);

// That of the cell which resolves least; empty when no cell has one.
std::optional<Resolution> worst_resolution(const Result& result);

// The limit that the cell's verdicts on its main metric were held against; the largest, should they differ. Without
// verdicts what the twin allows; empty without that too.
std::optional<double> limit_of(const Cell& cell);

// That of any metric; empty without verdicts.
std::optional<double> limit_of(const Cell& cell, std::string_view metric);

// The difference that the scenario calls of no interest; empty when the cell has no verdicts and no twin.
std::optional<double> equivalence_of(const Cell& cell);

// "A/A not resolved: ..." in one or two sentences: what difference this machine can see, in how many cells, and what
// to do. Empty when every twin resolves its band.
std::string resolution_banner(const Result& result);

// The banner where a twin does not resolve its band, else what the twins come to: "A/A: the baseline's twin stayed
// within 1.3 % of it in 6 cells ...". Empty without a twin that has an interval.
std::string resolution_sentence(const Result& result);

// Whatever a reader has to know before using a number: incomplete, quick, in process, A/A not resolved, builds without
// hardware AES and other warnings of backends, a peer that is busier than what is compared (damping.hpp), the
// copy-alias effect, steal, late wake-ups, a loaded machine, failed arms. One sentence or two each; `subject` names
// what it is about ("wolfssl", "machine", "run").
struct Warning {
  std::string subject, text;
  bool about_all = false;  // it makes all of the result worth less: to be read before any number
};
std::vector<Warning> warnings_of(const Result& result);

// Blocks of arms that were out of the usual, by flag. Each block of a cell gives every arm one.
struct FlagCounts {
  std::size_t blocks = 0, flagged = 0;       // one of several flags is counted once
  std::map<std::string, std::size_t> flags;  // how many bear it
};
FlagCounts flag_counts(const std::vector<const Arm*>& arms);

// "3 late", "1 outlier", "2 with switches".
std::string flag_words(const std::string& flag, std::size_t count);

// "2 of 8 blocks flagged: 2 late, 1 with steal", with this word for the blocks; empty when none is.
std::string flags_sentence(const FlagCounts& counts, std::string_view block, std::string_view blocks);

// "about 40 blocks would settle it (-r)", or that no number of blocks would; empty where nothing is to be settled.
std::string settling_words(const Comparison& comparison);

// Why an arm may differ from its baseline, as far as the proof's counters of a workload on sockets tell: "9.0 x more
// writes per message (client)", for every counter per operation that differs by more than 1.5 x, the largest difference
// first; joined by ", ", without names of arms or a full stop. What could not be counted on one side says nothing.
// Empty when none differs, and when no call and no byte does: records alone are no likely cause, except of a one-way
// workload, where small messages share them or do not.
std::string why(const Cell& cell, const Comparison& comparison);

// The same; and where no counter tells of a `slower` with an AES suite, what its backend's record says of a build
// without hardware AES, unless it says so of the baseline's too.
std::string why(const Result& result, const Cell& cell, const Comparison& comparison);

// Counters that differ as above and are no likely cause: records alone, and whatever an engine counts, as nothing of it
// crosses a socket.
std::string also_differs(const Cell& cell, const Comparison& comparison);

// The reasons of all cells, and what else differs; those that read alike told once.
struct Reason {
  std::string scenario, arm, baseline, words;  // words: what why() says, or also_differs()
  bool likely = true;                          // why() says it
  std::vector<const Cell*> cells;              // the caller's
};
std::vector<Reason> reasons(const Result& result);

// One arm's verdict in a cell as a sentence: "boringssl is faster than openssl by 10.6 % (95 % interval 6.0 % to
// 14.2 %; limit 3.8 %)." From 2 x on, and from a half down, as factors: "... is slower than openssl: 0.424 x (95 %
// interval 0.404 x to 0.444 x; limit 3.8 %)." Also for arms without verdict: baseline, twin, yardstick, failed, too few
// blocks.
std::string verdict_sentence(const Cell& cell, const Arm& arm);

// One sentence per scenario and backend or setting over all cells: "boringssl: faster than openssl in 4 of 6 cells
// (1.030 x to 1.110 x, 95 % intervals within 1.010 .. 1.140), equivalent in 2 (...)." An arm that is ok nowhere says
// so, and so does a baseline that is missing somewhere. In each scenario best first, and what is not ranked last; where
// settings are compared, backend by backend.
struct Conclusion {
  std::string scenario, arm, baseline;
  std::string sentence;
};
std::vector<Conclusion> conclusions(const Result& result);

}  // namespace tlsrig::report
