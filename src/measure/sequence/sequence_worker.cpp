#include "measure/sequence/sequence_worker.h"

#include <fmt/format.h>

#include <vector>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::int64_t kSetupTimeoutNs = 60'000'000'000;

}  // namespace

void SequenceWorker::ensure() {
  if (worker_) return;
  auto worker = std::make_unique<WorkerProcess>("sequence", 0, std::vector<int>{data_fd_});
  worker->expect_ready();
  std::string message;
  if (!worker->channel().send(encode(setup_), kSetupTimeoutNs) ||
      worker->channel().receive(message, kSetupTimeoutNs) != Channel::Status::kMessage) {
    throw Error("the worker that runs the network did not start (" + worker->describe_exit() + "); free memory");
  }
  worker_ = std::move(worker);
}

std::optional<SequenceReply> SequenceWorker::ask(const SequenceRequest& request, double limit_s) {
  ensure();
  const auto limit_ns = static_cast<std::int64_t>(limit_s * 1e9);
  std::string message;
  Channel::Status status = Channel::Status::kClosed;
  if (worker_->channel().send(encode(request), limit_ns)) status = worker_->channel().receive(message, limit_ns);
  if (status == Channel::Status::kMessage) {
    try {
      SequenceReply reply = decode_sequence_reply(message);
      const std::size_t steps = request.with_steps ? setup_.sequence.steps.size() : 0;
      if (reply.step_ns.size() != steps && reply.result == 0) throw UsageError("another number of steps");
      if (reply.result == 0) return reply;
      failure_ = fmt::format("a kernel returned {}", reply.result);
    } catch (const UsageError&) {
      failure_ = "a kernel wrote into the channel";
    }
  } else if (status == Channel::Status::kTimeout) {
    failure_ = fmt::format("a run was not done after {:g} s", limit_s);
  } else {
    failure_ = worker_->describe_exit();
  }
  drop();
  return std::nullopt;
}

}  // namespace nestwright
