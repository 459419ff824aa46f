// The line on the terminal, and saving after every cell.
#include <tlsrig/cli/progress.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/cli/output.hpp>
#include <tlsrig/cli/time_words.hpp>
#include <tlsrig/measure/clock.hpp>
#include <tlsrig/report/words/format.hpp>

namespace tlsrig::cli {

namespace {

// A terminal that can go back to the line's beginning.
bool is_terminal(int descriptor) {
  const char* const kind = std::getenv("TERM");
  return ::isatty(descriptor) && !(kind && std::string_view(kind) == "dumb");
}

// Ids differ at their ends and begin with the scenario, so the middle goes. Ids are ASCII but for text of the matrix;
// what is cut in two there is cut at a character.
std::string without_middle(const std::string& text, std::size_t columns) {
  if (report::display_width(text) <= columns) return text;
  if (columns < 5) return {};
  const auto continues = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xc0U) == 0x80; };
  std::size_t head = (columns - 3) / 2, tail = text.size() - (columns - 3 - head);
  while (head > 0 && continues(head)) --head;
  while (tail < text.size() && continues(tail)) ++tail;
  return text.substr(0, head) + "..." + text.substr(tail);
}

std::string bar(double share, std::size_t columns) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(columns));
  return "[" + std::string(full, '#') + std::string(columns - full, '.') + "] ";
}

std::string block_words(const Standing& standing) {
  const unsigned current = std::min(standing.blocks + 1, standing.blocks_max);
  return standing.blocks_min == standing.blocks_max
             ? fmt::format("block {} of {}", current, standing.blocks_max)
             : fmt::format("block {} of {} to {}", current, standing.blocks_min, standing.blocks_max);
}

}  // namespace

std::string progress_line(const Standing& standing, std::size_t width) {
  constexpr std::size_t bar_columns = 24, bar_least = 8, id_least = 24;
  const std::string place = fmt::format("{}/{} ", standing.number, standing.count);
  const std::string tail = fmt::format(", {}, {} left", block_words(standing), forecast(standing.left));
  const std::size_t id = report::display_width(standing.cell), fixed = place.size() + tail.size();
  const std::size_t needed = fixed + std::min(id, id_least);
  std::string line;
  if (width >= needed + bar_least + 3) {
    const std::size_t room = width - fixed - 3;
    const std::size_t columns = std::clamp(room > id ? room - id : 0, bar_least, bar_columns);
    const double expected = standing.done_seconds + (standing.left.least + standing.left.most) / 2;
    line = bar(expected > 0 ? standing.done_seconds / expected : 1, columns);
  }
  const std::size_t taken = line.size() + fixed;
  line += place + without_middle(standing.cell, width > taken ? width - taken : 0) + tail;
  return line.size() <= width || report::display_width(line) <= width ? line : line.substr(0, width);
}

Progress::Progress(const rig::RunPlan& plan, std::vector<std::filesystem::path> result_files, ProgressOptions options)
    : result_files_(std::move(result_files)),
      options_(options),
      terminal_(is_terminal(STDERR_FILENO)),
      cells_(rig::estimates(plan.scenarios)),
      pace_(cells_),
      begun_ns_(measure::now_ns()),
      block_begun_ns_(begun_ns_) {
  if (plan.limit) deadline_ns_ = plan.limit->deadline_ns;
}

Progress::~Progress() { clear(); }

void Progress::cell_begins(const std::string& cell, std::size_t number, std::size_t count) {
  pace_.begin_cell(number - 1);
  block_begun_ns_ = measure::now_ns();
  standing_.cell = report::one_line(cell);
  standing_.number = number;
  standing_.count = count;
  standing_.blocks = 0;
  standing_.blocks_min = cells_[number - 1].blocks_min;
  standing_.blocks_max = cells_[number - 1].blocks_max;
  show();
}

void Progress::block_done(unsigned blocks) {
  const std::int64_t now_ns = measure::now_ns();
  pace_.block_took(static_cast<double>(now_ns - block_begun_ns_) / 1e9);
  block_begun_ns_ = now_ns;
  standing_.blocks = blocks;
  show();
}

void Progress::cell_done(const report::Cell& cell, const report::Result& result) {
  clear();
  if (!options_.quiet && !terminal_)
    std::fprintf(stderr, "[%zu/%zu] %s\n", standing_.number, standing_.count, report::cell_line(cell).c_str());
  save(result);
}

void Progress::save(const report::Result& result) {
  for (const auto& file : result_files_) {
    try {
      report::write_atomically(file, result);
      save_errors_.erase(file);
    } catch (const std::system_error& error) {
      save_errors_[file] = error.what();  // what is in memory can still be printed, and the next cell may find room
    }
  }
}

void Progress::show() {
  if (options_.quiet || !terminal_) return;
  const std::int64_t now_ns = measure::now_ns();
  standing_.done_seconds = static_cast<double>(now_ns - begun_ns_) / 1e9;
  standing_.left = pace_.left();
  if (deadline_ns_) {
    const double limit = std::max(0.0, static_cast<double>(*deadline_ns_ - now_ns) / 1e9);
    standing_.left = {std::min(standing_.left.least, limit), std::min(standing_.left.most, limit)};
  }
  // One column less: a cursor behind the last one would be on the next line.
  const std::string line = progress_line(standing_, columns(STDERR_FILENO) - 1);
  const char* const begin = options_.colour ? "\x1b[36m" : "";
  const char* const end = options_.colour ? "\x1b[0m" : "";
  std::fprintf(stderr, "\r\x1b[K%s%s%s", begin, line.c_str(), end);
  std::fflush(stderr);
}

void Progress::clear() {
  if (options_.quiet || !terminal_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace tlsrig::cli
