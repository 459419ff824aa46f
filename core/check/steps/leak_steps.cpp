// Law 8 in numbers: a thousand sessions leave nothing behind, however they ended.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/heap.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

enum class Fate { closed_unused, closed_half_way, failed, closed_established, ended_in_order };
constexpr std::array fates = {Fate::closed_unused, Fate::closed_half_way, Fate::failed, Fate::closed_established,
                              Fate::ended_in_order};

void live(const Contexts& contexts, const Setup& setup, const char* server_name, Fate fate) {
  Bench bench(contexts, both_over(setup.transport), server_name);
  if (fate == Fate::closed_unused) return;
  if (fate == Fate::failed && setup.protocol != 0) {
    bench.server().incoming().put(pattern(100, 11));
    require(settled(bench, bench.server(), &End::handshake) == TLSRIG_ERROR, "{} with garbage as input; ERROR was due",
            bench.server());
    return;
  }
  if (fate == Fate::closed_half_way) {
    done(bench.client(), bench.client().handshake());
    done(bench.server(), bench.server().handshake());
    return;
  }
  shake(bench);
  exchange(bench, 1000);
  if (fate == Fate::ended_in_order) end_orderly(bench);
}

// Room for what leaks, so that the step can count it to the end; as it was when this is gone.
class ManyDescriptors {
 public:
  ManyDescriptors() {
    if (getrlimit(RLIMIT_NOFILE, &before_) != 0) return;
    rlimit raised = before_;
    raised.rlim_cur = std::max(before_.rlim_cur, std::min<rlim_t>(before_.rlim_max, 8192));
    setrlimit(RLIMIT_NOFILE, &raised);
  }
  ~ManyDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  ManyDescriptors(const ManyDescriptors&) = delete;
  ManyDescriptors& operator=(const ManyDescriptors&) = delete;

 private:
  rlimit before_{};
};

using Descriptors = std::map<std::string, std::size_t>;  // how many of each kind

// "socket", "pipe", "eventpoll", or the path of a file.
std::string kind_of(std::string target) {
  constexpr std::string_view anonymous = "anon_inode:";
  if (target.starts_with(anonymous)) {
    target.erase(0, anonymous.size());
    std::erase_if(target, [](char letter) { return letter == '[' || letter == ']'; });
    return target;
  }
  return target.substr(0, target.starts_with('/') ? std::string::npos : target.find(':'));
}

Descriptors open_descriptors() {
  Descriptors open;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone);
    if (!gone && !target.ends_with("/fd")) ++open[kind_of(target)];  // not the one that reads the directory
  }
  return open;
}

// "1,000 descriptors are left open: socket x 1,000"; empty when none is.
std::string words_of_leaks(const Descriptors& before, const Descriptors& after) {
  std::size_t sum = 0;
  std::string kinds;
  for (const auto& [kind, count] : after) {
    const auto found = before.find(kind);
    const std::size_t had = found == before.end() ? 0 : found->second;
    if (count <= had) continue;
    sum += count - had;
    kinds += fmt::format("{}{} x {}", kinds.empty() ? "" : ", ", kind, with_commas(count - had));
  }
  if (sum == 0) return {};
  return fmt::format("{} descriptor{} left open: {}", with_commas(sum), sum == 1 ? " is" : "s are", kinds);
}

std::size_t count_of(const Descriptors& descriptors) {
  std::size_t sum = 0;
  for (const auto& [kind, count] : descriptors) sum += count;
  return sum;
}

std::string words_of_size(double bytes) {
  return bytes < 1000 ? fmt::format("{:.1f} bytes", bytes) : fmt::format("{:.1f} KB", bytes / 1000);
}

constexpr unsigned batches = 20, of_each_fate = 5, judged_batches = 5, ends = 2;
constexpr unsigned batch_sessions = of_each_fate * unsigned(fates.size()) * ends;
constexpr unsigned sessions = batches * batch_sessions;
// The least that malloc gives is 32 bytes with its head: left by one kind of session in five, that is 6.4 a session.
constexpr double growth_max = 5, growth_failing = 1024;  // bytes a session
constexpr unsigned thousands_more = 4;                   // until growth that does not stop is believed

// The sessions of a step, and what they leave behind.
class Sessions {
 public:
  explicit Sessions(const Setup& setup)
      : setup_(&setup), settings_(usual(setup)), contexts_(*setup.backend, *setup.backend, settings_) {
    live_batch();  // what is made only once
    before_ = open_descriptors();
  }

  // Twenty batches of fifty sessions, ten of each fate. Returns the bytes that the heap grows by a session, 0 when it
  // is not told. glibc counts what its threads' caches hold as in use, and what that is goes up and down with the order
  // of calls: so the least of the last batches is compared with the least of the first ones.
  double live_a_thousand() {
    std::array<std::size_t, batches> heap{};
    for (std::size_t& now : heap) {
      live_batch();
      now = told_bytes().value_or(0);
    }
    const std::size_t first = *std::min_element(heap.begin(), heap.begin() + judged_batches);
    const std::size_t last = *std::min_element(heap.end() - judged_batches, heap.end());
    return (double(last) - double(first)) / ((batches - judged_batches) * batch_sessions);
  }

  // As words_of_leaks; throws Failed when descriptors are gone that no session opened.
  std::string descriptors_left() const {
    const Descriptors now = open_descriptors();
    require(count_of(now) >= count_of(before_),
            "{} descriptors were open before {} sessions and {} are after them: some were another's to close",
            count_of(before_), with_commas(sessions), count_of(now));
    return words_of_leaks(before_, now);
  }

 private:
  void live_batch() {
    for (unsigned i = 0; i < of_each_fate; ++i)
      for (const Fate fate : fates) live(contexts_, *setup_, settings_.server_name.c_str(), fate);
  }

  const Setup* setup_;
  const Settings settings_;
  const Contexts contexts_;
  Descriptors before_;
};

std::string flat_over_a_thousand(const Setup& setup) {
  const ManyDescriptors room;
  Sessions thousand(setup);
  double growth = 0;
  try {
    growth = thousand.live_a_thousand();
  } catch (const std::exception& exception) {
    const std::string left = thousand.descriptors_left();
    if (left.empty()) throw;
    fail("{}; meanwhile {}", exception.what(), left);
  }
  const std::string left = thousand.descriptors_left();
  // A process that has just begun fills its allocator's caches and the library's own for a while. A leak goes on.
  for (unsigned more = 0; more < thousands_more && growth > growth_max && growth < growth_failing; ++more)
    growth = std::min(growth, thousand.live_a_thousand());
  std::string grown;
  if (growth > growth_max)
    grown = fmt::format("memory grows by {} a session ({} sessions)", words_of_size(growth), with_commas(sessions));
  if (!left.empty())
    fail("{}{}", grown.empty() ? fmt::format("after {} sessions, ", with_commas(sessions)) : grown + "; ", left);
  if (growth > growth_failing) fail("{}", grown);
  if (!grown.empty()) warn("{}", grown);
  return fmt::format("{} sessions: {}", with_commas(sessions),
                     told_bytes() ? fmt::format("{:.1f} bytes of heap more a session, no descriptor", growth)
                                  : "no descriptor; heap not judged: its allocator does not tell");
}

}  // namespace

std::vector<Step> leak_steps() {
  return {
      {"flat-over-a-thousand", "law 8: sessions that are closed leave no descriptor and no memory behind",
       judged<flat_over_a_thousand>,
       "free in close() all that open() and the session's calls made, whatever state it is in, and close every "
       "descriptor but the runner's own; a build with -fsanitize=address names what is left"},
  };
}

}  // namespace tlsrig::check
