#include "nestwright/export.h"

#include "nestwright/build.h"

namespace nestwright {

AppliedKernel apply_best(const Workload& workload, const Target& target, const std::string& database,
                         const std::string& only, CacheState caches) {
  const TaskContext context(Task{workload, target, caches});
  Lookup found;
  if (database.empty()) {
    found = look_up(context, nullptr, only);
  } else {
    const TuningLog log = TuningLog::open(database, OpenMode::kRead);
    found = look_up(context, &log, only);
  }
  // The pool that the configuration was timed with.
  Function function = build(program_of(context.task(), *found.source, found.config, kernel_name(workload)), target,
                            {.pool_kind = PoolKind::kSpin});
  return {std::move(found), std::move(function)};
}

}  // namespace nestwright
