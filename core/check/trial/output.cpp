// Keeping the two ends of an output.
#include <tlsrig/check/trial/output.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace tlsrig::check {

void KeptOutput::add(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t first = std::min(bytes.size(), head_max - head_.size());
  head_ += bytes.substr(0, first);
  bytes.remove_prefix(first);
  if (bytes.size() > tail_max) bytes.remove_prefix(bytes.size() - tail_max);
  tail_ += bytes;
  if (tail_.size() > tail_max) tail_.erase(0, tail_.size() - tail_max);
}

namespace {

// A plugin prints what it likes: nothing of it may drive a terminal or break a document.
std::string harmless(std::string text) {
  for (char& letter : text)
    if ((letter < ' ' || letter > '~') && letter != '\n' && letter != '\t') letter = '?';
  return text;
}

}  // namespace

std::string KeptOutput::text() const {
  const std::uint64_t left_out = total_ - head_.size() - tail_.size();
  if (left_out == 0) return harmless(head_ + tail_);
  return fmt::format("{}\n... ({} bytes in all, {} left out) ...\n{}", harmless(head_), total_, left_out,
                     harmless(tail_));
}

}  // namespace tlsrig::check
