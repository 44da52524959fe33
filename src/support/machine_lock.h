// A lock of a whole machine or of one of its devices, by which processes that measure time take turns: a neighbour that
// times a kernel at the same moment disturbs both. The lock is a flock of a file that all of them find, so the kernel
// frees it when its holder dies, however that happens.
//
// Two files make the turns fair. Who wants the lock first takes "NAME.queue.lock", waits for "NAME.lock" and then lets
// go of the queue: while somebody waits there, the one that just released the lock cannot get ahead of it. So two
// processes alternate where a turn is longer than the 10 ms between two looks at a lock; shorter turns may repeat, and
// of three or more processes no order is promised.
//
// The files lie in the first of these folders in which they can be opened: NESTWRIGHT_LOCK_DIR alone where it is set,
// else /run/lock, XDG_RUNTIME_DIR, /tmp. Processes that see different folders (containers, a user whose /run/lock is
// not writable) do not see each other: give them one by NESTWRIGHT_LOCK_DIR. Another program takes a turn by
// `flock /run/lock/nestwright-cpu.lock PROGRAM`. The files are never removed. Local file systems only.
// Thread rule: one thread at a time; two MachineLock of one process exclude each other like two processes.
#pragma once

#include <functional>
#include <string>

#include "support/unique_fd.h"

namespace nestwright {

class MachineLock {
 public:
  /// A turn: lasts until this is gone, which the lock outlives.
  class Hold {
   public:
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    Hold(Hold&& other) noexcept;
    Hold& operator=(Hold&& other) = delete;
    ~Hold();
    /// False only where waiting was given up. Where no lock is available each turn is granted at once.
    bool is_granted() const { return is_granted_; }

   private:
    friend class MachineLock;
    Hold(int fd, bool is_granted) : fd_(fd), is_granted_(is_granted) {}
    int fd_;  ///< of the lock's file, which is the lock's; -1: nothing is held
    bool is_granted_;
  };

  /// `what` is "cpu" or a device, as "cuda-0": small letters, digits and '-'; InternalError otherwise.
  explicit MachineLock(const std::string& what);

  /// False where no folder will do: then message() says why, and what to do; it is for the caller to say it once.
  bool is_available() const { return lock_.get() >= 0; }
  const std::string& message() const { return message_; }
  /// Of the file; empty where there is none.
  const std::string& path() const { return path_; }

  /// Waits for a turn. `give_up` is asked every 10 ms while others hold it: true ends the wait without a turn. It may
  /// also tell the user that there is a wait. Requires that this object holds none. Without others a turn takes 2 us.
  Hold hold(const std::function<bool()>& give_up);

 private:
  std::string path_, message_;
  UniqueFd lock_, queue_;
};

}  // namespace nestwright
