// How long the cells of a run take: estimated beforehand, then learnt from the blocks that were run; and how a time
// limit is shared out among them. Looks at clocks alone, never at a ratio: stopping on a verdict would make verdicts
// too frequent.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tlsrig/scenario/plan.hpp>

namespace tlsrig::rig {

struct CellEstimate {
  double block_seconds = 0;  // of all arms together
  unsigned blocks_min = 0, blocks_max = 0;
};

// By what is asked: warm-up and measuring of every arm, and what starting and ending its workers costs.
std::vector<CellEstimate> estimates(const std::vector<scenario::ScenarioPlan>& plans);

struct Span {
  double least = 0, most = 0;  // seconds
};

class Pace {
 public:
  explicit Pace(std::vector<CellEstimate> cells) : cells_(std::move(cells)) {}

  void begin_cell(std::size_t index);
  void block_took(double seconds);  // of the cell that has begun

  unsigned blocks() const { return blocks_; }
  double block_seconds() const { return block_seconds(current_); }  // of the cell that has begun

  // What is left of the cell that has begun and of all behind it, with as few and as many blocks as may be; before any
  // cell has begun: everything.
  Span left() const;

  // How much of `seconds`, which were there when the cell began, it may take in all: its fewest blocks, and of what the
  // fewest blocks of all remaining cells leave over, a part by how many more it could use.
  double share(double seconds) const;

 private:
  double block_seconds(std::size_t index) const;

  std::vector<CellEstimate> cells_;
  std::size_t current_ = 0;
  unsigned blocks_ = 0;                             // of the current cell
  double seconds_ = 0;                              // that they took
  double all_seconds_ = 0, estimated_seconds_ = 0;  // of every block so far, and what they had been estimated at
};

// A limit on a run's time. Times are those of measure::now_ns().
class TimeBudget {
 public:
  TimeBudget(std::vector<CellEstimate> cells, std::optional<std::int64_t> deadline_ns)
      : pace_(std::move(cells)), deadline_ns_(deadline_ns) {}

  void begin_cell(std::size_t index, std::int64_t now_ns);
  void block_took(double seconds) { pace_.block_took(seconds); }

  // No block begins any more.
  bool used_up(std::int64_t now_ns) const { return deadline_ns_ && now_ns >= *deadline_ns_; }

  // One more block would go beyond what the cell that has begun may take.
  bool share_used_up(std::int64_t now_ns) const;

 private:
  Pace pace_;
  std::optional<std::int64_t> deadline_ns_;
  std::int64_t begun_ns_ = 0;
};

}  // namespace tlsrig::rig
