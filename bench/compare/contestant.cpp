#include "bench/compare/contestant.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>

#include "support/error.h"
#include "support/wire.h"
#include "target/host.h"

namespace nestwright::bench {
namespace {

constexpr std::int64_t kPatience_ns = 120'000'000'000;

}  // namespace

void set_library_environment(int threads) {
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"}) {
    setenv(name, std::to_string(threads).c_str(), 1);
  }
  if (host_isa() == CpuIsa::kAvx512) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
    setenv("BLIS_ARCH_TYPE", "0", 1);  // skx
  }
}

Contestant::Contestant(std::string name, const std::string& executable, const Problem& problem, int threads,
                       int tensor_fd, const std::string& database)
    : name_(std::move(name)) {
  auto [ours, theirs] = Channel::make_pair();
  channel_ = std::make_unique<Channel>(std::move(ours));
  process_ = std::make_unique<ChildProcess>(SpawnOptions{executable,
                                                         {std::to_string(problem.m), std::to_string(problem.n),
                                                          std::to_string(problem.k), std::to_string(threads), database},
                                                         {theirs.get(), tensor_fd}});
  theirs = UniqueFd();
  const std::string hello = answer();
  Decoder decoder(hello);
  const bool ready = decoder.u8() == 1;
  detail_ = decoder.bytes();
  if (!ready) throw Error(fmt::format("{} on {} with threads={}: {}", name_, problem.str(), threads, detail_));
  stop();
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
  // Only once it stands still does the next one have the machine.
  siginfo_t info = {};
  waitid(P_PID, static_cast<id_t>(process_->pid()), &info, WSTOPPED | WEXITED | WNOWAIT);
}

}  // namespace nestwright::bench
