// Child processes that are guaranteed to be gone when their handle is destroyed. They are started by posix_spawn, never
// by fork, because this process may have threads (TBB, OpenMP, a driver).
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/os/unique_fd.h"

namespace nestwright {

/// What to start, and how.
struct SpawnOptions {
  std::string executable;              ///< a path; PATH is not searched
  std::vector<std::string> arguments;  ///< not including the executable's name
  /// They become descriptors 3, 4, ... of the child; the caller keeps ownership. Besides them, the child inherits only
  /// 0, 1 and 2.
  std::vector<int> inherited_fds;
  std::vector<std::string> environment;  ///< "NAME=value", each overrides or extends this process's own
};

/// How a process ended.
struct ExitStatus {
  static constexpr int kUnknownCode = -1;
  bool signaled = false;
  int code = 0;  ///< the signal, or the exit code
  /// "SIGSEGV", "exit code 3" or "an unknown exit code".
  std::string str() const;
};

/// A running or ended child. Its standard input and output are /dev/null; its standard error is kept for stderr_text().
/// It runs in its own session, without the terminal, and with SIGINT, SIGTERM and SIGHUP blocked: the parent handles
/// them (or ignores them, under nohup), and a child that they killed would be mistaken for one that crashed.
class ChildProcess {
 public:
  /// Starts the child. Throws Error that names the executable if it cannot be started.
  explicit ChildProcess(const SpawnOptions& options);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Kills the child (SIGKILL) and waits for it, unless it has been waited for.
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  void kill();
  /// Waits until the child has ended.
  ExitStatus wait();
  /// The same with a time limit. Absent if the child has not ended by then.
  std::optional<ExitStatus> wait_for(std::int64_t timeout_ns);
  /// Returns the end of what the child wrote to standard error, at most 4 KiB.
  std::string stderr_text() const;
  /// Returns the last non-empty line of stderr_text(); empty if there is none.
  std::string stderr_tail() const;

 private:
  pid_t pid_ = -1;
  UniqueFd stderr_;
  std::optional<ExitStatus> status_;
};

/// For the child: ends this process immediately when the peer of `fd` (a Channel) is gone, whatever the other threads
/// do. Unlike PR_SET_PDEATHSIG, it does not fire when only the parent's thread that started this process ends.
void exit_with_parent(int fd);
/// For the child: limits its address space (0: no limit), disables core files, and makes it the first process that the
/// system kills when memory runs out.
void limit_this_process(std::int64_t memory_bytes);

}  // namespace nestwright
