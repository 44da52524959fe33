// The processors and the environment that contestants inherit, the same for all of them.
// Thread rule: one thread at a time.
#pragma once

#include <sched.h>

namespace nestwright::bench {

/// Sets the environment variables that libraries read when their process starts: numbers of threads, and code paths
/// that they do not detect. Must be called before contestants are made.
void set_library_environment(int threads);

/// Restricts this thread, and processes that it starts, to as many processors as there are threads: the last ones that
/// it may run on, since the first ones do most of the system's own work.
class Pinned {
 public:
  /// Throws Error where there are fewer processors.
  explicit Pinned(int threads);
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned();

 private:
  cpu_set_t before_;
};

}  // namespace nestwright::bench
