// Estimates, and what blocks teach.
#include <tlsrig/rig/pace.hpp>

#include <algorithm>
#include <utility>

#include <tlsrig/rig/arm_life.hpp>

namespace tlsrig::rig {

namespace {

// What an arm's life costs beside warm-up and measuring: starting workers, loading, connecting, closing. Seen: 60 to
// 120 ms.
constexpr double life_seconds = 0.1;
// What a library verifies of a stream, roughly: 100 MB/s to 1 GB/s.
constexpr double verified_bytes_per_second = 3e8;

CellEstimate estimate(const scenario::CellPlan& cell) {
  CellEstimate estimate;
  for (const auto& arm : cell.arms) {
    const auto& measure = arm.settings.measure;
    const double warmup_seconds = std::max(static_cast<double>(measure.warmup_ns) / 1e9,
                                           static_cast<double>(measure.warmup_bytes) / verified_bytes_per_second);
    estimate.block_seconds +=
        life_seconds + warmup_seconds + static_cast<double>(fill_ns(arm.settings) + measure.block_ns) / 1e9;
    estimate.blocks_min = measure.blocks_min;
    estimate.blocks_max = measure.blocks_max;
  }
  return estimate;
}

}  // namespace

std::vector<CellEstimate> estimates(const std::vector<scenario::ScenarioPlan>& plans) {
  std::vector<CellEstimate> cells;
  for (const auto& plan : plans)
    for (const auto& cell : plan.cells) cells.push_back(estimate(cell));
  return cells;
}

void Pace::begin_cell(std::size_t index) {
  current_ = index;
  blocks_ = 0;
  seconds_ = 0;
}

void Pace::block_took(double seconds) {
  ++blocks_;
  seconds_ += seconds;
  all_seconds_ += seconds;
  estimated_seconds_ += cells_[current_].block_seconds;
}

// A cell that has blocks is its own measure. Another is as far from its estimate as those before it were.
double Pace::block_seconds(std::size_t index) const {
  if (index == current_ && blocks_ > 0) return seconds_ / blocks_;
  const double factor = estimated_seconds_ > 0 ? all_seconds_ / estimated_seconds_ : 1;
  return cells_[index].block_seconds * factor;
}

Span Pace::left() const {
  Span left;
  for (std::size_t i = current_; i < cells_.size(); ++i) {
    const unsigned done = i == current_ ? blocks_ : 0;
    left.least += block_seconds(i) * (cells_[i].blocks_min > done ? cells_[i].blocks_min - done : 0);
    left.most += block_seconds(i) * (cells_[i].blocks_max > done ? cells_[i].blocks_max - done : 0);
  }
  return left;
}

double Pace::share(double seconds) const {
  double least = 0, room = 0;
  for (std::size_t i = current_; i < cells_.size(); ++i) {
    least += block_seconds(i) * cells_[i].blocks_min;
    room += block_seconds(i) * (cells_[i].blocks_max - cells_[i].blocks_min);
  }
  const CellEstimate& cell = cells_[current_];
  const double own_room = block_seconds(current_) * (cell.blocks_max - cell.blocks_min);
  const double over = std::max(0.0, seconds - least);
  return block_seconds(current_) * cell.blocks_min + (room > 0 ? std::min(over, room) * own_room / room : 0);
}

void TimeBudget::begin_cell(std::size_t index, std::int64_t now_ns) {
  pace_.begin_cell(index);
  begun_ns_ = now_ns;
}

bool TimeBudget::share_used_up(std::int64_t now_ns) const {
  if (!deadline_ns_) return false;
  const double had = static_cast<double>(*deadline_ns_ - begun_ns_) / 1e9;
  const double used = static_cast<double>(now_ns - begun_ns_) / 1e9;
  return used + pace_.block_seconds() > pace_.share(had);
}

}  // namespace tlsrig::rig
