#include "exporter/apply_best.h"

#include <fmt/format.h>

#include "codegen/backend.h"
#include "lower/lower.h"
#include "support/error.h"
#include "target/host.h"

namespace nestwright {

AppliedKernel apply_best(const Workload& workload, const Target& target, const std::string& database) {
  if (target.isa > host_isa()) {
    throw UsageError(fmt::format("this machine cannot run kernels for {}: use the host's target, or nestwright export",
                                 target.str()));
  }
  const Task task{workload, target};
  Lookup found;
  if (database.empty()) {
    found = look_up(task, nullptr);
  } else {
    const TuningLog log = TuningLog::open(database, OpenMode::kRead);
    found = look_up(task, &log);
  }
  const ir::Program program = expand(program_of(task, *found.source, found.config, workload.op), target);
  const CompiledObject object = make_backend(target.device)->compile(program, target, {.pipeline = Pipeline::kFinal});
  std::shared_ptr<LoadedObject> loaded = load_object(object);
  // The pool that the configuration was timed with; one thread makes it a serial one.
  std::shared_ptr<ParallelPool> pool = make_pool(PoolKind::kSpin, target.threads);
  auto* entry = reinterpret_cast<nestwright_kernel>(loaded->entry());
  return {std::move(found), CompiledKernel(entry, object.workspace, std::move(pool), std::move(loaded))};
}

}  // namespace nestwright
