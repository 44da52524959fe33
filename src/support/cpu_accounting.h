// What the kernel accounts for this process: the processor time of its threads, how often one was preempted, and how
// long they were runnable without a core. Beside wall time this shows whether somebody else had the cores meanwhile:
// the wait is exact for what runs inside this machine, and a process time below wall time shows a host that withheld
// the core. Thread rule: one thread at a time. Units: nanoseconds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "support/unique_fd.h"

namespace nestwright {

/// Counted since the start of the process, the wait of each thread since it was listed. Of two of them, the difference
/// is what happened in between.
struct CpuUsage {
  double cpu_ns = 0;                      ///< user and system time of all threads, those that ended included
  std::int64_t involuntary_switches = 0;  ///< of all threads: a thread that could go on was taken off its core
  double wait_ns = 0;                     ///< all threads together: runnable, but not running; 0 where it is not told

  friend CpuUsage operator-(const CpuUsage& later, const CpuUsage& earlier) {
    return {later.cpu_ns - earlier.cpu_ns, later.involuntary_switches - earlier.involuntary_switches,
            later.wait_ns - earlier.wait_ns};
  }
};

/// Keeps the kernel's files of this process's threads open: a snapshot takes 2.5 us, and 1 us for each thread after the
/// first (measured).
class CpuAccounting {
 public:
  /// Lists the threads. `task_folder` has a folder for each thread with its "schedstat".
  explicit CpuAccounting(std::string task_folder = "/proc/self/task");

  /// Takes in the threads that were started since the last listing: after a pool was made. Others do not count for
  /// the wait. Takes 2 us for each thread that is known and 9 us for another.
  void list_threads();
  CpuUsage now();

 private:
  struct Thread {
    UniqueFd schedstat;
    double listed_ns = 0;  ///< its wait when it was listed
    double last_ns = 0;    ///< since then; stays when the thread has ended
  };

  std::string task_folder_;
  std::map<std::string, Thread> threads_;  ///< by thread id
  double ended_wait_ns_ = 0;               ///< of threads that ended and were dropped
};

/// The processor time that another process and its threads have taken: what limits of a worker go by, which a
/// neighbour cannot use up. Takes 0.6 us. Nothing once it is gone, or where there is none.
std::optional<double> child_cpu_ns(pid_t pid);

}  // namespace nestwright
