#include "measure/run/runner_worker.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>

#include "measure/check/device_checker_source.h"
#include "measure/process/guarded_region.h"
#include "nestwright/device.h"
#include "nestwright/error.h"
#include "support/base/clock.h"
#include "support/os/cpu_accounting.h"
#include "support/os/descriptors.h"
#include "support/os/syscall_filter.h"
#include "target/description/host.h"

namespace nestwright {

namespace {

constexpr std::int64_t kSetupTimeoutNs = 60'000'000'000;
// The intervals at which CPU time and memory are polled. Polling disturbs timings, and in 5 ms memory grows by at most
// about 10 MB.
constexpr std::int64_t kPollNs = 5'000'000, kPollTimedNs = 20'000'000;
constexpr std::int64_t kTensorCopies = 3;  // the file, outputs, and a device's copies
constexpr double kWallRatio = 10;          // wall time relative to CPU time, for candidates that sleep

/// Absent if it is not a reply to that request, because a candidate wrote to the channel.
std::optional<RunnerReply> decode(const std::string& message, std::int64_t number) {
  try {
    RunnerReply reply = decode_runner_reply(message);
    if (reply.number == number) return reply;
  } catch (const UsageError&) {
  }
  return std::nullopt;
}

/// The checker for the types of the outputs; empty on a CPU.
std::string checker_of(const RunnerOptions& options, const CheckData& data) {
  if (options.target.device == DeviceKind::kCpu) return {};
  std::vector<ir::Type> types;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < data.types.size() && i < data.roles.size(); ++i) {
    bytes += data.elements[i] * data.types[i].bytes();
    if (data.roles[i] == ir::Role::kOutput) types.push_back(data.types[i]);
  }
  return bytes < options.device_compare_bytes ? std::string() : device_checker_object(options.target, types);
}

/// An upper bound of the copies of `tensor_bytes` that the runner makes: of the tensors, and of prepared ones, which
/// may be somewhat larger than those that they are made from.
std::int64_t copy_bytes(const RunnerOptions& options, std::int64_t tensor_bytes) {
  if (options.target.device != DeviceKind::kCpu || options.caches == CacheState::kWarm) return 0;
  if (options.caches == CacheState::kStream) return tensor_bytes;
  return 2 * (2 * last_cache_bytes() + 4 * tensor_bytes);
}

/// The first device of that kind, as this process sees it; empty on a CPU, and where there is none.
std::string device_of(const Target& target) {
  if (target.device == DeviceKind::kCpu) return {};
  const DeviceListing listing = list_devices(target.device);
  return listing.devices.empty() ? std::string() : listing.devices.front().str();
}

}  // namespace

RunnerWorker::RunnerWorker(const CheckData& data, const RunnerOptions& options)
    : options_(options),
      tensors_(data),
      checker_(checker_of(options, data)),
      device_(device_of(options.target)),
      fault_fd_(make_memory_file("nestwright-fault")) {
  // For files of drivers, which a killed process cannot remove.
  if (is_device()) device_files_.emplace("nestwright-device");
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
  if (device_files_) {
    environment.push_back("TMPDIR=" + device_files_->path());
    for (const char* name : {"POCL_CACHE_DIR", "CUDA_CACHE_PATH"}) {
      if (std::getenv(name) == nullptr) environment.push_back(name + ("=" + device_files_->path()));
    }
  }
  auto worker =
      std::make_unique<WorkerProcess>("runner", 0, std::vector<int>{tensors_.fd(), fault_fd_.get()}, environment);
  worker->expect_ready();
  const RunnerSetup setup{tensors_.layout(),
                          options_.threads,
                          options_.threads == 1 ? PoolKind::kSerial : options_.pool,
                          is_device() ? options_.target.str() : std::string(),
                          checker_,
                          device_,
                          options_.caches};
  std::string message;
  if (!worker->channel().send(encode(setup), kSetupTimeoutNs) ||
      worker->channel().receive(message, kSetupTimeoutNs) != Channel::Status::kMessage) {
    throw Error("the runner did not start (" + worker->describe_exit() + "); " +
                (is_device() ? "see what nestwright doctor says of the device, choose smaller tensors, or set "
                               "NESTWRIGHT_CONFINEMENT=off where its driver needs more than a worker may do"
                             : "free memory or choose smaller tensors"));
  }
  worker_ = std::move(worker);
  memory_.emplace(worker_->pid());
  max_memory_bytes_ = memory_->bytes().value_or(0) + room_bytes() + copy_bytes(options_, tensors_.bytes());
}

std::int64_t RunnerWorker::room_bytes() const { return options_.memory_bytes + kTensorCopies * tensors_.bytes(); }

void RunnerWorker::prepare_thorough_checks() {
  if (!tensors_.has_wide_to_come()) return;
  drop();  // a process maps what there is when it starts
  tensors_.append_wide();
}

std::optional<RunnerReply> RunnerWorker::ask(RunnerRequest request, double limit_s) {
  reached_limit_.reset();
  if (!worker_) return std::nullopt;
  request.number = ++requests_;
  std::string message;
  Channel::Status status = Channel::Status::kClosed;
  if (worker_->channel().send(encode(request), static_cast<std::int64_t>(kWallRatio * limit_s * 1e9))) {
    status = receive(message, limit_s, request.kind == RunnerRequest::Kind::kSample ? kPollTimedNs : kPollNs);
  }
  if (status == Channel::Status::kMessage) {
    if (std::optional<RunnerReply> reply = decode(message, request.number)) {
      if (reply->is_lost) drop();
      return reply;
    }
  }
  if (!reached_limit_) exit_description_ = worker_->describe_exit();
  if (options_.on_output) options_.on_output(worker_->output());
  drop();
  return std::nullopt;
}

// CPU time is the limit, because a process that merely had no processor must not be killed.
Channel::Status RunnerWorker::receive(std::string& message, double limit_s, std::int64_t poll_ns) {
  const double wall_s = (is_device() ? 1 : kWallRatio) * limit_s;
  const std::int64_t deadline = steady_clock().now_ns() + static_cast<std::int64_t>(wall_s * 1e9);
  const double start_ns = child_cpu_ns(worker_->pid()).value_or(0);
  for (;;) {
    const std::int64_t left = deadline - steady_clock().now_ns();
    const Channel::Status status = worker_->channel().receive(message, std::clamp<std::int64_t>(left, 0, poll_ns));
    if (status != Channel::Status::kTimeout) return status;
    reached_limit_ = reached_limit(start_ns, limit_s);
    if (!reached_limit_ && options_.seconds_left && options_.seconds_left() <= 0) {
      reached_limit_ = End{Outcome::kTimeout, "not done when the time was over", true};
    }
    if (!reached_limit_ && left <= 0)
      reached_limit_ = End{Outcome::kTimeout, fmt::format("not done after {:g} s", wall_s)};
    if (reached_limit_) return status;
  }
}

std::optional<RunnerWorker::End> RunnerWorker::reached_limit(double start_ns, double limit_s) const {
  if (memory_->bytes().value_or(0) > max_memory_bytes_) {
    return End{Outcome::kCrash, fmt::format("ended for more than {} MiB of memory", max_memory_bytes_ >> 20)};
  }
  const double cpu_ns = child_cpu_ns(worker_->pid()).value_or(start_ns) - start_ns;
  if (!is_device() && cpu_ns > limit_s * 1e9 * options_.threads) {
    return End{Outcome::kTimeout, fmt::format("not done after {:g} s of CPU time", limit_s)};
  }
  return std::nullopt;
}

RunnerWorker::End RunnerWorker::end(const char* doing) const {
  if (reached_limit_)
    return {reached_limit_->outcome, fmt::format("{} while being {}", reached_limit_->message, doing),
            reached_limit_->is_given_up};
  return {Outcome::kCrash, fmt::format("{} while being {}{}", exit_description_, doing, describe_fault())};
}

std::string RunnerWorker::describe_fault() const {
  FaultRecord fault;
  if (pread(fault_fd_.get(), &fault, sizeof fault, 0) != sizeof fault || !fault.written) return {};
  if (fault.refused >= 0) return fmt::format(": it called {}", refused_syscall_name(fault.refused));
  if (fault.parameter == -2) return {};
  const std::string what = fault.parameter < 0 ? "the workspace" : fmt::format("parameter {}", fault.parameter);
  switch (static_cast<GuardedRegion::Fault>(fault.side)) {
    case GuardedRegion::Fault::kPastEnd:
      return ": past the end of " + what;
    case GuardedRegion::Fault::kBeforeStart:
      return ": before the start of " + what;
    case GuardedRegion::Fault::kInside:
    case GuardedRegion::Fault::kElsewhere:
      break;
  }
  return ": it wrote to " + what + ", an input";
}

}  // namespace nestwright
