// A process that disturbs the machine on purpose while something is measured. It ends when the process that started it
// ends, in whatever way. Thread rule: one thread at a time.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "bench/figures/machine/load_kind.h"
#include "bench/support/child.h"

namespace nestwright::bench {

struct LoadOptions {
  double busy_ms = 50, idle_ms = 50;  ///< of kCore, alternating
  int cpu = -1;                       ///< to run on; -1: any
};

/// Loads the machine until `parent` is no longer the parent of this process. Throws Error where the process cannot be
/// pinned to the processor.
void run_load(LoadKind kind, const LoadOptions& options, pid_t parent);

/// A load that runs in a child process as long as this object exists.
class Load {
 public:
  explicit Load(LoadKind kind, const LoadOptions& options = {});
  /// Throws Error where the load has ended, which makes measurements beside it worthless.
  void check_running();

 private:
  std::unique_ptr<Child> child_;  ///< null for kNone
  std::string output_;
};

}  // namespace nestwright::bench
