// A forked process has none of its parent's threads, which kernels and searches need.
// Thread rule: any thread.
#pragma once

namespace nestwright::python {

/// Begins to notice forks. Called once.
void watch_forks();
/// Notes that this process uses threads of the library from now on. Throws UsageError in a process that was forked from
/// one that did.
void require_threads();

}  // namespace nestwright::python
