// The kernel's accounting for this process: the processor time of its threads, how often they were preempted, and how
// long they were runnable without a core. Together with wall time it shows whether something else had the cores: the
// wait is exact for other processes inside this machine, and a processor time below wall time shows that the host
// withheld a core.
// Thread rule: one thread at a time. Units: nanoseconds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "support/os/unique_fd.h"

namespace nestwright {

/// A snapshot of the counters. They count from the start of the process, except that the wait of each thread counts
/// from when it was listed. Subtract two snapshots to get what happened between them.
struct CpuUsage {
  double cpu_ns = 0;                      ///< user and system time of all threads, including those that have ended
  std::int64_t involuntary_switches = 0;  ///< times that a runnable thread was taken off its core, all threads
  /// Time that threads were runnable but not running, all threads; 0 if the kernel does not report it.
  double wait_ns = 0;

  friend CpuUsage operator-(const CpuUsage& later, const CpuUsage& earlier) {
    return {later.cpu_ns - earlier.cpu_ns, later.involuntary_switches - earlier.involuntary_switches,
            later.wait_ns - earlier.wait_ns};
  }
};

/// Takes snapshots for this process. It keeps the kernel's files for its threads open: a snapshot takes 2.5 us, plus 1
/// us for each thread after the first (measured).
class CpuAccounting {
 public:
  /// Lists the threads. `task_folder` contains a folder for each thread with its "schedstat" file.
  explicit CpuAccounting(std::string task_folder = "/proc/self/task");

  /// Adds the threads that were started since the last listing, e.g. by a new thread pool; threads that are not listed
  /// do not contribute to the wait. Takes 2 us for each known thread and 9 us for each new one.
  void list_threads();
  CpuUsage now();

 private:
  struct Thread {
    UniqueFd schedstat;
    double listed_ns = 0;  ///< its wait when it was listed
    double last_ns = 0;    ///< its wait since then; kept after the thread has ended
  };

  std::string task_folder_;
  std::map<std::string, Thread> threads_;  ///< by thread id
  double ended_wait_ns_ = 0;               ///< the wait of threads that ended and were dropped
};

/// Returns the processor time that another process and its threads have used. Time limits of workers are based on it,
/// because other processes cannot use it up. Takes 0.6 us. Absent if the process does not exist or has ended.
std::optional<double> child_cpu_ns(pid_t pid);

}  // namespace nestwright
