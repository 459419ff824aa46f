// Waiting for the answers of several workers at once.
#include <tlsrig/rig/worker_handle.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/measure/clock.hpp>

namespace tlsrig::rig {

WorkerHandle::~WorkerHandle() { ::close(channel_.fd()); }

std::pair<int, int> WorkerHandle::control_sockets() {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make the control socket of a worker");
  return {pair[0], pair[1]};
}

void WorkerHandle::ask(Json request) {
  step_ = request.at("do").get<std::string>();
  channel_.send(request);  // a worker that is gone is seen at its answer
}

std::optional<StepFailure> WorkerHandle::take_answer(Json& answer, std::int64_t deadline_ns, double seconds) {
  switch (channel_.receive(answer, deadline_ns)) {
    case Received::message:
      break;
    case Received::ended:
      return ended_early();
    case Received::late:
      return give_up(seconds);
  }
  if (answer.contains("done")) return std::nullopt;
  const std::string reason = answer.value("reason", "no reason given");
  if (answer.contains("unsupported")) return StepFailure{StepFailure::Cause::unsupported, "unsupported", reason};
  return StepFailure{StepFailure::Cause::answered, answer.value("kind", "other"),
                     fmt::format("{} in step {}: {}", role_, step_, reason)};
}

namespace {

// How long the others may take to show their own failure once one has failed: a crash at one end is often first seen
// at the other as a connection that ended.
constexpr std::int64_t others_grace_ns = 300'000'000;

// The rig wakes up this often while it waits. When it finds itself much later than that it was stopped itself, most
// likely together with its workers (Ctrl-Z, a paused container), and their deadline moves by as much.
constexpr std::int64_t longest_wait_ns = 1'000'000'000;

void read_answers(const std::vector<WorkerHandle*>& workers, const std::vector<pollfd>& waiting,
                  const std::vector<std::size_t>& pending, std::int64_t deadline_ns, double seconds,
                  std::vector<Answer>& answers) {
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (!waiting[i].revents && !workers[pending[i]]->holds_answer()) continue;
    Answer& answer = answers[pending[i]];
    answer.failure = workers[pending[i]]->take_answer(answer.message, deadline_ns, seconds);
    answer.answered = true;
  }
}

}  // namespace

std::vector<Answer> await(const std::vector<WorkerHandle*>& workers, std::size_t required, std::int64_t deadline_ns,
                          double seconds, Interruption& interruption) {
  std::vector<Answer> answers(workers.size());
  const auto answered = [](const Answer& answer) { return answer.answered; };
  const auto failed = [](const Answer& answer) { return answer.failure.has_value(); };
  const auto last_required = answers.begin() + static_cast<std::ptrdiff_t>(required);
  bool any_failed = false;
  while (any_failed || !std::all_of(answers.begin(), last_required, answered)) {
    interruption.check();
    std::vector<pollfd> waiting;
    std::vector<std::size_t> pending;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (answers[i].answered) continue;
      waiting.push_back({workers[i]->fd(), POLLIN, 0});
      pending.push_back(i);
    }
    const std::int64_t left_ns = deadline_ns - measure::now_ns();
    if (pending.empty() || left_ns <= 0) break;
    waiting.push_back({interruption.fd(), POLLIN, 0});
    const bool held = std::any_of(pending.begin(), pending.end(), [&](auto i) { return workers[i]->holds_answer(); });
    const std::int64_t wait_ns = held ? 0 : std::min(left_ns, longest_wait_ns);
    const std::int64_t until_ns = measure::now_ns() + wait_ns;
    ::poll(waiting.data(), waiting.size(), static_cast<int>((wait_ns + 999'999) / 1'000'000));
    if (const std::int64_t late_ns = measure::now_ns() - until_ns; late_ns > longest_wait_ns) deadline_ns += late_ns;
    read_answers(workers, waiting, pending, deadline_ns, seconds, answers);
    if (!any_failed && std::any_of(answers.begin(), answers.end(), failed)) {
      any_failed = true;
      deadline_ns = std::min(deadline_ns, measure::now_ns() + others_grace_ns);
    }
  }
  if (any_failed || std::all_of(answers.begin(), last_required, answered)) return answers;
  // Those that are only watched too: the one that holds the others up may be among them.
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (!answers[i].answered) answers[i].failure = workers[i]->give_up(seconds);
  return answers;
}

}  // namespace tlsrig::rig
