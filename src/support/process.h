// Child processes, started by posix_spawn at any time (never by fork: the parent may have threads of TBB, OpenMP or a
// driver), and known to be gone when their handle is gone. Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/unique_fd.h"

namespace nestwright {

struct SpawnOptions {
  std::string executable;              ///< a path; PATH is not searched
  std::vector<std::string> arguments;  ///< without the executable's own name
  /// Become descriptors 3, 4, ... of the child; still owned by the caller. The child gets no others but 0, 1 and 2.
  std::vector<int> inherited_fds;
  std::vector<std::string> environment;  ///< "NAME=value", in the place of this process's own of that name
};

/// How a process ended.
struct ExitStatus {
  bool signaled = false;
  int code = 0;  ///< the signal, or the exit code
  /// "SIGSEGV" or "exit code 3".
  std::string str() const;
};

/// Its standard input and output are /dev/null, its standard error is kept for stderr_tail(). It has a session of its
/// own, without the terminal. SIGINT, SIGTERM and SIGHUP are blocked in it: they are for the parent to handle (or,
/// under nohup, to ignore), and no child's death by them may pass for a crash.
class ChildProcess {
 public:
  /// Throws Error where it cannot be started, naming the executable.
  explicit ChildProcess(const SpawnOptions& options);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Kills it (SIGKILL) and waits, unless it has been waited for.
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  void kill();
  /// Waits until it has ended.
  ExitStatus wait();
  /// Nothing where it has not ended in time.
  std::optional<ExitStatus> wait_for(std::int64_t timeout_ns);
  /// The end of what it wrote to standard error, up to 4 KiB.
  std::string stderr_text() const;
  /// The last line of it that is not empty; empty where there is none.
  std::string stderr_tail() const;

 private:
  pid_t pid_ = -1;
  UniqueFd stderr_;
  std::optional<ExitStatus> status_;
};

/// For the child: ends this process at once when the peer of `fd` (a Channel) is gone, whatever the other threads do.
/// Unlike PR_SET_PDEATHSIG this does not fire when the thread ends that happened to spawn the process.
void exit_with_parent(int fd);
/// For the child: limits its address space (0: no limit), never leaves a core file, and is the first that the system
/// ends where it runs out of memory.
void limit_this_process(std::int64_t memory_bytes);

}  // namespace nestwright
