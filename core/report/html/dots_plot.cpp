// Drawing the blocks of two arms.
#include <tlsrig/report/html/dots_plot.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <tlsrig/report/html/axis.hpp>
#include <tlsrig/report/html/svg.hpp>
#include <tlsrig/report/select.hpp>
#include <tlsrig/report/words/format.hpp>
#include <tlsrig/report/words/words.hpp>

namespace tlsrig::report::html {
namespace {

constexpr double left = 46, right = Svg::width - 8, top = 34, bottom = 146;  // with a legend of one line
constexpr double legend_line = 16;

// 0 where a block measured nothing: no dot.
std::vector<double> rates_of(const Arm& arm) {
  std::vector<double> rates;
  for (const Block& block : arm.blocks)
    rates.push_back(block.seconds > 0 ? static_cast<double>(block.operations) / block.seconds : 0);
  return rates;
}

bool fits_one_line(const Arm& arm, const Arm* baseline) {
  return baseline == nullptr || (width_of(arm.id, Weight::strong) < Svg::width / 2 - 24 &&
                                 width_of(baseline->id, Weight::strong) < Svg::width / 2 - 16);
}

class Dots {
 public:
  Dots(const Arm& arm, const Arm* baseline, const LogAxis& axis, std::vector<double> mine, std::vector<double> theirs)
      : arm_(arm),
        baseline_(baseline),
        axis_(axis),
        mine_(std::move(mine)),
        theirs_(std::move(theirs)),
        blocks_(std::max(mine_.size(), theirs_.size())),
        one_line_(fits_one_line(arm, baseline)),
        bottom_(bottom + (one_line_ ? 0 : legend_line)),
        svg_("dots", title(), description()) {}

  std::string drawn() {
    legend();
    axes();
    if (baseline_ != nullptr) {
      svg_.path("pairs", joins());
      dots("dots theirs", theirs_);
      svg_.path(crowded() + "dots hole", dot_data(theirs_));
    }
    dots("dots mine", mine_);
    flags();
    return svg_.finished(bottom_ + 38);
  }

 private:
  std::string title() const {
    return baseline_ == nullptr ? fmt::format("Blocks of {}", arm_.id)
                                : fmt::format("Blocks of {} and {}, joined by pair", arm_.id, baseline_->id);
  }

  std::string description() const {
    if (baseline_ == nullptr) return counted(mine_.size(), "block", "blocks");
    std::size_t above = 0, pairs = 0;
    for (std::size_t block = 0; block < std::min(mine_.size(), theirs_.size()); ++block) {
      if (mine_[block] <= 0 || theirs_[block] <= 0) continue;
      ++pairs;
      above += mine_[block] > theirs_[block] ? 1 : 0;
    }
    return fmt::format("{} had the higher throughput in {} of {}", arm_.id, above, counted(pairs, "block", "blocks"));
  }

  // Many blocks get smaller dots.
  std::string crowded() const { return blocks_ > 60 ? "crowded " : ""; }

  double x(std::size_t block) const {
    return left + (right - left) * (static_cast<double>(block) + 0.5) / static_cast<double>(blocks_);
  }

  // Strokes without length under round caps are dots: a tenth of what circles take, and a run may have a thousand
  // blocks.
  std::string dot_data(const std::vector<double>& rates) const {
    std::string data;
    for (std::size_t block = 0; block < rates.size(); ++block) {
      if (rates[block] > 0) data += fmt::format("M{} {}h0", coordinate(x(block)), coordinate(axis_.at(rates[block])));
    }
    return data;
  }

  void dots(const std::string& look, const std::vector<double>& rates) { svg_.path(crowded() + look, dot_data(rates)); }

  std::string joins() const {
    std::string data;
    for (std::size_t block = 0; block < std::min(mine_.size(), theirs_.size()); ++block) {
      if (mine_[block] <= 0 || theirs_[block] <= 0) continue;
      data += fmt::format("M{} {}V{}", coordinate(x(block)), coordinate(axis_.at(theirs_[block])),
                          coordinate(axis_.at(mine_[block])));
    }
    return data;
  }

  void legend() {
    svg_.path("dots mine", "M6 8h0");
    svg_.name(16, 12, arm_.id, (one_line_ ? Svg::width / 2 : Svg::width) - 24);
    if (baseline_ == nullptr) return;
    const double x = one_line_ ? Svg::width / 2 : 0, y = one_line_ ? 12 : 28;
    const std::string dot = fmt::format("M{} {}h0", coordinate(x + 6), coordinate(y - 4));
    svg_.path("dots theirs", dot);
    svg_.path("dots hole", dot);
    svg_.name(x + 16, y, baseline_->id, Svg::width - x - 16);
  }

  void axes() {
    const std::vector<double> marks = axis_.marks(5, 13);
    std::vector<double> values = theirs_.empty() ? mine_ : theirs_;  // the same unit beside one baseline
    const Scale scale = scale_for(values, 3);
    svg_.text("tick", 0, bottom_ - 117, scale.prefix + "op/s, log scale");
    for (const double value : marks) {
      svg_.line("grid", left, axis_.at(value), Svg::width, axis_.at(value));
      svg_.text("tick", left - 6, axis_.at(value) + 4, mark_text(value / scale.unit), Anchor::end);
    }
    svg_.line("axis", left, bottom_, Svg::width, bottom_);
    const std::size_t step = std::max<std::size_t>(1, (blocks_ + 9) / 10);
    for (std::size_t block = 0; block < blocks_; block += step)
      svg_.text("tick", x(block), bottom_ + 19, std::to_string(block + 1), Anchor::middle);
  }

  // Triangles at the axis below or above the flagged blocks of one arm.
  std::string flag_data(const Arm& arm, double height) const {
    std::string data;
    for (std::size_t block = 0; block < std::min(blocks_, arm.blocks.size()); ++block) {
      if (arm.blocks[block].flags.empty()) continue;
      data += fmt::format("M{} {}l-3.5 {}h7z", coordinate(x(block)), coordinate(bottom_ + (height < 0 ? -1 : 1)),
                          coordinate(height));
    }
    return data;
  }

  // Filled and hollow as the two arms' dots are.
  void flags() {
    const std::string mine = flag_data(arm_, -6);
    const std::string theirs = baseline_ == nullptr ? std::string() : flag_data(*baseline_, 6);
    if (!mine.empty()) svg_.path("flag", mine);
    if (!theirs.empty()) svg_.path("flag hollow", theirs);
    std::vector<std::string> keys;
    const auto key = [&](const std::string& mark, const std::string& name, const std::string& other) {
      keys.push_back(mark + " " + (width_of(name) < 80 ? name : other));
    };
    if (!mine.empty()) key("▼", arm_.id, "the arm");
    if (!theirs.empty()) key("△", baseline_->id, "the baseline");
    svg_.text("tick", left, bottom_ + 34, "block" + (keys.empty() ? "" : "; flagged: " + joined(keys, ", ")));
  }

  const Arm& arm_;
  const Arm* baseline_;
  LogAxis axis_;
  std::vector<double> mine_, theirs_;
  std::size_t blocks_;
  bool one_line_;
  double bottom_;  // of the plot, without the words below
  Svg svg_;
};

}  // namespace

std::string dots_plot(const Cell& cell, const Arm& arm) {
  const Arm* baseline = find_arm(cell, cell.baseline);
  if (baseline == &arm || (baseline != nullptr && baseline->status != Status::ok)) baseline = nullptr;
  std::vector<double> mine = rates_of(arm), theirs = baseline == nullptr ? std::vector<double>() : rates_of(*baseline);
  std::vector<double> all = mine;
  all.insert(all.end(), theirs.begin(), theirs.end());
  const auto range = range_of(all, 0.08, 1.1);
  if (arm.status != Status::ok || !range) return "";
  const double down = fits_one_line(arm, baseline) ? 0 : legend_line;
  const LogAxis axis(range->low, range->high, bottom + down - 8, top + down + 4);
  return Dots(arm, baseline, axis, std::move(mine), std::move(theirs)).drawn();
}

}  // namespace tlsrig::report::html
