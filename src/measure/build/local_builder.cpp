#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "ir/serialize/serialize.h"
#include "measure/build/builder.h"
#include "measure/process/protocol.h"
#include "measure/process/worker_process.h"
#include "nestwright/error.h"
#include "support/base/clock.h"

namespace nestwright {

namespace {

constexpr int kIdle = -1;
constexpr std::int64_t kPollNs = 50'000'000;  // between two looks at whether the time is over

constexpr std::int64_t kDeviceScale = 8;  // the memory limit of device compilers, relative to BuilderOptions

/// Absent if the message is malformed.
std::optional<CompileReply> decode(const std::string& message) {
  try {
    return decode_compile_reply(message);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

class LocalBuilder : public Builder {
 public:
  LocalBuilder(const Target& target, const BuilderOptions& options) : target_(target), options_(options) {
    if (options.processes < 1) throw UsageError("a builder needs at least one process");
    slots_.resize(static_cast<std::size_t>(options.processes));
    // All are started before the first is waited for.
    for (Slot& slot : slots_) spawn(slot);
    for (Slot& slot : slots_) introduce(slot);
  }

  std::vector<BuildResult> build(const std::vector<ir::Program>& programs, Pipeline pipeline,
                                 const std::function<bool()>& is_over) override {
    const BuildResult skipped{Outcome::kCompileError, "the time was over before it was compiled", true, {}, 0};
    std::vector<BuildResult> results(programs.size(), skipped);
    std::size_t next = 0, done = 0;
    // Replies to an earlier call that threw, or whose time was over, are dropped.
    for (Slot& slot : slots_) {
      if (slot.request != kIdle) slot = Slot();
    }
    while (done < programs.size() && !(is_over && is_over())) {
      for (Slot& slot : slots_) {
        if (slot.request != kIdle || next == programs.size()) continue;
        start(slot, programs[next], pipeline, static_cast<int>(next));
        ++next;
      }
      wait(is_over ? kPollNs : std::numeric_limits<std::int64_t>::max());
      for (Slot& slot : slots_) {
        if (slot.request == kIdle) continue;
        const int index = slot.request;
        if (std::optional<BuildResult> result = finish(slot)) {
          results[static_cast<std::size_t>(index)] = std::move(*result);
          ++done;
        }
      }
    }
    return results;
  }

 private:
  struct Slot {
    std::unique_ptr<WorkerProcess> worker;
    int request = kIdle;
    std::int64_t deadline_ns = 0;
  };

  void spawn(Slot& slot) {
    const std::int64_t scale = target_.device == DeviceKind::kCpu ? 1 : kDeviceScale;
    slot.worker = std::make_unique<WorkerProcess>("builder", scale * options_.memory_bytes);
  }

  void introduce(Slot& slot) {
    slot.worker->expect_ready();
    slot.worker->channel().send(target_.str(), timeout_ns());
  }

  std::int64_t timeout_ns() const { return static_cast<std::int64_t>(options_.timeout_s * 1e9); }

  void start(Slot& slot, const ir::Program& program, Pipeline pipeline, int index) {
    if (!slot.worker) {
      spawn(slot);
      introduce(slot);
    }
    slot.request = index;
    slot.deadline_ns = steady_clock().now_ns() + timeout_ns();
    // A worker that cannot accept it is dead, which finish() finds out.
    slot.worker->channel().send(encode(CompileRequest{pipeline, ir::serialize(program)}), timeout_ns());
  }

  // Waits until one of the busy workers has a message or has run out of time, at most `most_ns`.
  void wait(std::int64_t most_ns) const {
    std::vector<pollfd> entries;
    std::int64_t deadline = INT64_MAX;
    for (const Slot& slot : slots_) {
      if (slot.request == kIdle) continue;
      entries.push_back({slot.worker->channel().fd(), POLLIN, 0});
      deadline = std::min(deadline, slot.deadline_ns);
    }
    const std::int64_t left = std::clamp<std::int64_t>(deadline - steady_clock().now_ns(), 0, most_ns);
    poll(entries.data(), entries.size(), static_cast<int>(std::min<std::int64_t>(left / 1'000'000 + 1, 1'000'000)));
  }

  // Returns the result of a slot's request if there is one. The slot is then idle, and its worker is gone if it cannot
  // continue.
  std::optional<BuildResult> finish(Slot& slot) {
    std::string message;
    BuildResult result;
    switch (slot.worker->channel().receive(message, 0)) {
      case Channel::Status::kMessage:
        if (std::optional<CompileReply> reply = decode(message)) {
          slot.request = kIdle;
          return BuildResult{reply->outcome, std::move(reply->message), false, std::move(reply->object),
                             reply->compile_ms};
        }
        result.outcome = Outcome::kCompileError;
        result.message = "builder wrote what is no reply";
        break;
      case Channel::Status::kClosed: {
        result.outcome = Outcome::kCompileError;
        const std::string how = slot.worker->describe_exit();
        result.message = fmt::format("builder {} ({})", slot.worker->died_of_signal() ? "crashed" : "gave up", how);
        break;
      }
      case Channel::Status::kTimeout:
        if (steady_clock().now_ns() < slot.deadline_ns) return std::nullopt;
        result.outcome = Outcome::kCompileError;
        result.message = fmt::format("builder timed out after {:g} s", options_.timeout_s);
        break;
    }
    if (options_.on_output) options_.on_output(slot.worker->output());
    slot = Slot();  // kills it
    return result;
  }

  Target target_;
  BuilderOptions options_;
  std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<Builder> make_local_builder(const Target& target, const BuilderOptions& options) {
  return std::make_unique<LocalBuilder>(target, options);
}

}  // namespace nestwright
