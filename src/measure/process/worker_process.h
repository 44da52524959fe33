// A nestwright-worker process and the channel to it. The executable is the one that the environment's NESTWRIGHT_WORKER
// names, else the one next to the running executable, else the one next to libnestwright.so or where the package of
// that library has it, else that of the package whose static library the program was built with. Thread rule: one
// thread at a time. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/os/channel.h"
#include "support/os/process.h"

namespace nestwright {

/// The path of the installed package's worker: nestwright::static of the package defines this function in each program.
/// The definition of the library itself returns null.
const char* installed_worker();

/// Returns the path of the executable. Throws Error that says what to do if there is no such file.
std::string worker_path();

class WorkerProcess {
 public:
  /// Starts the process in a role ("builder", "runner") and does not wait for it. `memory_bytes` limits its address
  /// space (0: no limit). `fds` become kWorkerTensorsFd and the descriptors after it. `environment` has "NAME=value"
  /// entries that are added to this process's own.
  WorkerProcess(const std::string& role, std::int64_t memory_bytes, const std::vector<int>& fds = {},
                const std::vector<std::string>& environment = {});
  /// Waits until the process is ready. Throws Error if it never is, UsageError if it has another version.
  void expect_ready();

  Channel& channel() { return channel_; }
  pid_t pid() const { return process_.pid(); }
  /// Returns how the process died, e.g. "SIGABRT: LLVM ERROR: out of registers". Call it after the channel has closed;
  /// a process that is still alive closed it itself, and is killed.
  std::string describe_exit();
  /// The end of what it has written to its standard error.
  std::string output() const { return process_.stderr_text(); }
  /// Whether it died of a signal. Call it after describe_exit().
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
