// One nestwright-worker and the channel to it. The executable is the one that NESTWRIGHT_WORKER names, else the one
// beside the running executable. Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/channel.h"
#include "support/process.h"

namespace nestwright {

/// Throws Error that says what to do where there is no such file.
std::string worker_path();

class WorkerProcess {
 public:
  /// Starts it in a role ("builder", "runner"); `memory_bytes` limits its address space (0: no limit). The descriptors
  /// become kWorkerTensorsFd and those after it. Does not wait for it.
  /// `environment`: "NAME=value", on top of this process's own.
  WorkerProcess(const std::string& role, std::int64_t memory_bytes, const std::vector<int>& fds = {},
                const std::vector<std::string>& environment = {});
  /// Waits until it is ready. Throws Error where it never is, UsageError where it is of another version.
  void expect_ready();

  Channel& channel() { return channel_; }
  pid_t pid() const { return process_.pid(); }
  /// How it died, e.g. "SIGABRT: LLVM ERROR: out of registers"; for after the channel closed. One that still lives had
  /// closed it itself, and is killed.
  std::string obituary();
  /// True where it died of a signal. For after obituary().
  bool died_of_signal() const { return status_.signaled; }

 private:
  explicit WorkerProcess(const std::string& path, const std::string& role, std::int64_t memory_bytes,
                         const std::vector<int>& fds, const std::vector<std::string>& environment,
                         std::pair<UniqueFd, UniqueFd> ends);

  std::string path_;
  Channel channel_;
  ChildProcess process_;
  ExitStatus status_;
};

}  // namespace nestwright
