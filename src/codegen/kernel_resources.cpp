#include "codegen/kernel_resources.h"

#include <algorithm>

#include "ir/gpu/launch.h"
#include "target/description/gpu_target.h"
#include "target/description/occupancy.h"

namespace nestwright::codegen {
namespace {

/// The threads of a block; 0 if only a call determines them.
int threads_of_block(const ir::Kernel& kernel) {
  std::int64_t threads = 1;
  for (const ir::Expr& size : ir::launch_shape(kernel).block) {
    const std::int64_t* constant = ir::as_const_int(size);
    if (constant == nullptr) return 0;
    threads *= *constant;
  }
  return static_cast<int>(threads);
}

}  // namespace

KernelResources complete(KernelResources reported, const ir::Kernel& kernel, const Target& target,
                         bool counts_reserved) {
  const std::optional<MultiprocessorLimits> limits = multiprocessor_limits(target);
  const std::int64_t reserved = counts_reserved && limits ? limits->reserved_shared_bytes : 0;
  const ir::SharedLayout layout = ir::shared_layout(kernel);
  reported.shared_bytes = std::max(layout.bytes, reported.shared_bytes + layout.dynamic_bytes() - reserved);
  reported.threads = threads_of_block(kernel);
  if (reported.threads == 0) return reported;
  if (const auto resident = occupancy({reported.threads, reported.registers, reported.shared_bytes}, target)) {
    reported.occupancy = resident->share();
  }
  return reported;
}

}  // namespace nestwright::codegen
