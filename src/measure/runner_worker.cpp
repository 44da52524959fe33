#include "measure/runner_worker.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "measure/guarded_region.h"
#include "support/clock.h"
#include "support/cpu_accounting.h"
#include "support/error.h"

namespace nestwright {

namespace {

constexpr std::int64_t kSetupTimeoutNs = 60'000'000'000;
constexpr std::int64_t kPollNs = 20'000'000;
constexpr double kWallRatio = 10;  // by the clock, of the CPU time: ends one that sleeps

}  // namespace

RunnerWorker::RunnerWorker(const CheckData& data, const RunnerOptions& options)
    : options_(options), tensors_(data), fault_fd_(memfd_create("nestwright-fault", MFD_CLOEXEC)) {
  // What PoCL compiles; its process may be killed and could not remove it.
  if (options.target.device == DeviceKind::kOpenCl && std::getenv("POCL_CACHE_DIR") == nullptr) {
    pocl_files_.emplace("nestwright-pocl");
  }
  if (options.threads < 1) throw UsageError("a runner needs at least one thread");
  if (ftruncate(fault_fd_.get(), sizeof(FaultRecord)) != 0) throw Error("cannot make a file in memory for the runner");
  ensure();
}

void RunnerWorker::ensure() {
  if (worker_) return;
  const FaultRecord none;
  nestwright::check(pwrite(fault_fd_.get(), &none, sizeof none, 0) == sizeof none,
                    "the runner's fault record cannot be written");
  std::vector<std::string> environment;
  if (pocl_files_) environment.push_back("POCL_CACHE_DIR=" + pocl_files_->path());
  auto worker =
      std::make_unique<WorkerProcess>("runner", 0, std::vector<int>{tensors_.fd(), fault_fd_.get()}, environment);
  worker->expect_ready();
  const RunnerSetup setup{tensors_.layout(), options_.threads,
                          options_.threads == 1 ? PoolKind::kSerial : options_.pool,
                          is_device() ? options_.target.str() : std::string()};
  std::string message;
  if (!worker->channel().send(encode(setup), kSetupTimeoutNs) ||
      worker->channel().receive(message, kSetupTimeoutNs) != Channel::Status::kMessage) {
    throw Error("the runner did not start (" + worker->obituary() + "); " +
                (is_device() ? "see what nestwright doctor says of the device, or choose smaller tensors"
                             : "free memory or choose smaller tensors"));
  }
  worker_ = std::move(worker);
}

std::optional<RunnerReply> RunnerWorker::ask(const RunnerRequest& request, double limit_s) {
  exceeded_limit_.clear();
  if (!worker_) return std::nullopt;
  std::string message;
  Channel::Status status = Channel::Status::kClosed;
  if (worker_->channel().send(encode(request), static_cast<std::int64_t>(kWallRatio * limit_s * 1e9))) {
    status = receive(message, limit_s);
  }
  if (status == Channel::Status::kMessage) {
    RunnerReply reply = decode_runner_reply(message);
    if (reply.is_lost) drop();
    return reply;
  }
  if (exceeded_limit_.empty()) last_words_ = worker_->obituary();
  drop();
  return std::nullopt;
}

// The clock ends nothing that merely had no processor: CPU time does.
Channel::Status RunnerWorker::receive(std::string& message, double limit_s) {
  const double wall_s = (is_device() ? 1 : kWallRatio) * limit_s, cpu_ns = limit_s * 1e9 * options_.threads;
  const std::int64_t deadline = steady_clock().now_ns() + static_cast<std::int64_t>(wall_s * 1e9);
  const double start_ns = child_cpu_ns(worker_->pid()).value_or(0);
  for (;;) {
    const std::int64_t left = deadline - steady_clock().now_ns();
    const Channel::Status status = worker_->channel().receive(message, std::clamp<std::int64_t>(left, 0, kPollNs));
    if (status != Channel::Status::kTimeout) return status;
    if (left <= 0) exceeded_limit_ = fmt::format("{:g} s", wall_s);
    if (!is_device() && child_cpu_ns(worker_->pid()).value_or(start_ns) - start_ns > cpu_ns) {
      exceeded_limit_ = fmt::format("{:g} s of CPU time", limit_s);
    }
    if (!exceeded_limit_.empty()) return status;
  }
}

std::string RunnerWorker::last_words(const char* doing) const {
  return fmt::format("{} while being {}{}", last_words_, doing, describe_fault());
}

std::string RunnerWorker::describe_fault() const {
  FaultRecord fault;
  if (pread(fault_fd_.get(), &fault, sizeof fault, 0) != sizeof fault || !fault.written || fault.parameter == -2)
    return {};
  const std::string what = fault.parameter < 0 ? "the workspace" : fmt::format("parameter {}", fault.parameter);
  switch (static_cast<GuardedRegion::Fault>(fault.side)) {
    case GuardedRegion::Fault::kPastEnd:
      return ": past the end of " + what;
    case GuardedRegion::Fault::kBeforeStart:
      return ": before the start of " + what;
    default:
      return ": it wrote to " + what + ", an input";
  }
}

}  // namespace nestwright
