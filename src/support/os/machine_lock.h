// A lock on the whole machine or on one of its devices, held while a process measures time: two kernels that are timed
// at the same moment disturb each other. The lock is a flock on a file at a well-known path, so the kernel releases it
// when its holder dies, for whatever reason.
//
// The lock is fair between two processes. A process first takes "NAME.queue.lock", waits for "NAME.lock" and then
// releases the queue: while one process waits there, the process that just released the lock cannot overtake it. Two
// processes therefore alternate if they hold the lock for longer than the polling interval of 10 ms; shorter holds may
// repeat, and no order is guaranteed among three or more processes.
//
// The files lie in the first of these folders in which they can be opened: only NESTWRIGHT_LOCK_DIR if it is set, else
// /run/lock, XDG_RUNTIME_DIR, /tmp. Processes that see different folders (containers, a user whose /run/lock is not
// writable) do not exclude each other unless NESTWRIGHT_LOCK_DIR names a common one. Another program takes the lock
// with `flock /run/lock/nestwright-cpu.lock PROGRAM`. The files are never removed. Local file systems only.
// Thread rule: one thread at a time; two MachineLocks in one process exclude each other as two processes do.
#pragma once

#include <functional>
#include <string>

#include "support/os/unique_fd.h"

namespace nestwright {

class MachineLock {
 public:
  /// Holds the lock until it is destroyed. The MachineLock must outlive it.
  class Hold {
   public:
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    Hold(Hold&& other) noexcept;
    Hold& operator=(Hold&& other) = delete;
    ~Hold();
    /// False only if waiting was given up. If no lock is available, every hold is granted at once.
    bool is_granted() const { return is_granted_; }

   private:
    friend class MachineLock;
    Hold(int fd, bool is_granted) : fd_(fd), is_granted_(is_granted) {}
    int fd_;  ///< the lock's file, not owned; -1: nothing is held
    bool is_granted_;
  };

  /// `what` is "cpu" or a device such as "cuda-0": lower-case letters, digits and '-', else InternalError.
  explicit MachineLock(const std::string& what);

  /// False if the lock files cannot be opened in any folder. Then message() says why and what to do; the caller should
  /// show it once.
  bool is_available() const { return lock_.get() >= 0; }
  const std::string& message() const { return message_; }
  /// The path of the lock's file; empty if there is none.
  const std::string& path() const { return path_; }

  /// Waits for the lock. While others hold it, `give_up` is called every 10 ms; it ends the wait by returning true, and
  /// may also report the wait to the user. Requires that no Hold of this object exists. Uncontended, it takes 2 us.
  Hold hold(const std::function<bool()>& give_up);

 private:
  std::string path_, message_;
  UniqueFd lock_, queue_;
};

}  // namespace nestwright
