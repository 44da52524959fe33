// What a process gets with it when it starts, the same for all contestants: processors and environment.
// Thread rule: one thread at a time.
#pragma once

#include <sched.h>

namespace nestwright::bench {

/// What libraries read from the environment when their process starts: numbers of threads, and code paths that they
/// would not find by themselves. Call it before contestants are made.
void set_library_environment(int threads);

/// Keeps this thread, and what it starts, on as many processors as there are threads, the last ones of those it may run
/// on: the first ones get most of the system's own work.
class Pinned {
 public:
  /// Throws Error where there are not so many.
  explicit Pinned(int threads);
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned();

 private:
  cpu_set_t before_;
};

}  // namespace nestwright::bench
