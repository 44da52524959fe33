// A process that disturbs the machine on purpose while something is measured beside it. It ends with the process that
// started it, however that happens. Thread rule: one thread at a time.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "bench/child.h"
#include "bench/figures/load_kind.h"

namespace nestwright::bench {

struct LoadOptions {
  double busy_ms = 50, idle_ms = 50;  ///< of kCore, in turns
  int cpu = -1;                       ///< that it runs on; -1: any
};

/// Loads the machine until `parent` is no longer the parent of this process. Throws Error where the process cannot be
/// bound to the processor.
void run_load(LoadKind kind, const LoadOptions& options, pid_t parent);

/// The load in a child, from construction to destruction.
class Load {
 public:
  explicit Load(LoadKind kind, const LoadOptions& options = {});
  /// Throws Error where the load has ended by itself, with what was measured beside it worthless.
  void check_running();

 private:
  std::unique_ptr<Child> child_;  ///< none for kNone
  std::string output_;
};

}  // namespace nestwright::bench
