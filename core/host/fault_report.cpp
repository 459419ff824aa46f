// The words of a fault.
#include <tlsrig/host/fault_report.hpp>

#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace tlsrig::host {

namespace {

std::string place_words(const FaultReport& report, std::string_view preposition = "in") {
  using Place = FaultReport::Place;
  switch (report.place) {
    case Place::function:
      return fmt::format(" {} {}", preposition, report.function);
    case Place::plugin:
      return fmt::format(" in a call of {} that is not known", report.plugin);
    case Place::plugin_thread:
      return fmt::format(" on a thread that the plugin started (named \"{}\")", report.thread);
    case Place::loading:
      return fmt::format(" while {} was being loaded: in a constructor of it or of a library that it needs",
                         report.plugin);
    case Place::runner:
      return " outside the plugin's code: in the runner, whose memory the plugin may have damaged";
    case Place::unknown:
      break;
  }
  return " in a call that is not known";
}

}  // namespace

std::string code_words(const FaultReport& report) {
  if (!*report.file) return "";
  std::string words = fmt::format(", in code of {}+{:#x}", report.file, report.offset);
  if (report.plugin_offset != 0 && std::strcmp(report.file, report.plugin) != 0)
    words += fmt::format(", called from {}+{:#x}", std::filesystem::path(report.plugin).filename().string(),
                         report.plugin_offset);
  return words;
}

bool is_whole(const FaultReport& report) { return report.stage.load() == 2; }

std::string fault_words(const FaultReport& report, std::string_view meanwhile) {
  using Cause = FaultReport::Cause;
  if (!is_whole(report)) return {};
  const std::string place = place_words(report);
  switch (report.cause) {
    case Cause::signal:
      return fmt::format("crashed (SIG{}){}{} ({})", ::sigabbrev_np(report.signal), place, code_words(report),
                         meanwhile);
    case Cause::exit:
      return fmt::format("ended the process by an exit{} ({}): a backend answers ERROR instead", place, meanwhile);
    case Cause::exception:
      return fmt::format("let an exception out{}: {} ({}): a backend catches it and answers ERROR with a text",
                         place_words(report, "of"),
                         *report.words ? report.words : "none of C++, as when its thread is ended", meanwhile);
    case Cause::asked:
      return fmt::format("did not come back from a call{}{} ({})", place, code_words(report), meanwhile);
    case Cause::none:
      break;
  }
  return {};
}

}  // namespace tlsrig::host
