#include "bench/comparison/timing/contestant.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include "nestwright/error.h"
#include "support/data/wire.h"

namespace nestwright::bench {
namespace {

constexpr std::int64_t kPatience_ns = 300'000'000'000;

}  // namespace

Contestant::Contestant(const Competitor& competitor, const std::string& folder, const ContestRequest& request,
                       int tensors_fd)
    : name_(competitor.name) {
  auto [ours, theirs] = Channel::make_pair();
  channel_ = std::make_unique<Channel>(std::move(ours));
  static_assert(kContestantChannelFd == 3 && kContestantTensorsFd == 4, "the order in which they are inherited");
  process_ = std::make_unique<ChildProcess>(
      SpawnOptions{folder + "/" + competitor.executable, {}, {theirs.get(), tensors_fd}});
  theirs = UniqueFd();
  channel_->send(encode(request));
  try {
    const std::string hello = answer();
    Decoder decoder(hello);
    readiness_ = static_cast<Readiness>(decoder.u8());
    detail_ = decoder.bytes();
  } catch (const Error& e) {
    detail_ = e.what();
    return;
  }
  if (readiness_ == Readiness::kReady) {
    stop();
  } else {
    process_->kill();
  }
}

Sample Contestant::sample() {
  ::kill(process_->pid(), SIGCONT);
  channel_->send(Encoder().u8(1).str());
  const std::string message = answer();
  stop();
  Decoder decoder(message);
  const double time_ns = decoder.f64();
  return {time_ns, decoder.f64()};
}

std::string Contestant::answer() {
  std::string message;
  if (channel_->receive(message, kPatience_ns) == Channel::Status::kMessage) return message;
  process_->kill();
  const ExitStatus status = process_->wait();
  throw Error(fmt::format("the process of {} gave no answer and ended with {}; it said: {}", name_, status.str(),
                          process_->stderr_tail()));
}

void Contestant::stop() {
  ::kill(process_->pid(), SIGSTOP);
  // The machine is free for the next contestant only once this one has stopped.
  siginfo_t info = {};
  waitid(P_PID, static_cast<id_t>(process_->pid()), &info, WSTOPPED | WEXITED | WNOWAIT);
}

}  // namespace nestwright::bench
