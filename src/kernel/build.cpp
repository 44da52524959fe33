#include "kernel/build.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "kernel/parallel_loops.h"
#include "lower/lower.h"
#include "support/error.h"
#include "target/host.h"

namespace nestwright {
namespace {

std::shared_ptr<ParallelPool> pool_for(const ir::Program& program, const Target& target, const BuildOptions& options) {
  if (options.pool != nullptr) return options.pool;
  constexpr int kMostThreads = 1024;
  if (options.threads < 0 || options.threads > kMostThreads) {
    throw UsageError(fmt::format("{} threads are asked for: give 1 to {}, or 0 for as many as the target says",
                                 options.threads, kMostThreads));
  }
  // Threads that have nothing to do would still spin.
  if (!has_parallel_loop(program)) return make_pool(PoolKind::kSerial, 1);
  return make_pool(options.pool_kind, options.threads > 0 ? options.threads : target.threads);
}

}  // namespace

Function build(const ir::Program& loops, const Target& target, const BuildOptions& options) {
  if (target.device == DeviceKind::kCpu && target.isa > host_isa()) {
    throw UsageError(fmt::format("this machine cannot run kernels for {}: use the host's target, or nestwright export",
                                 target.str()));
  }
  CallSignature signature(loops);  // refuses before anything is compiled
  const CompiledObject object =
      make_backend(target.device)->compile(expand(loops, target), target, {.pipeline = options.pipeline});
  std::shared_ptr<LoadedObject> code = load_object(object);
  const std::shared_ptr<ParallelPool> pool = pool_for(loops, target, options);
  const auto kernel_at = [&](void* entry) {
    return CompiledKernel(reinterpret_cast<nestwright_kernel>(entry), object.workspace, pool, code, object.symbols);
  };
  std::optional<CompiledKernel> preparation;
  if (code->preparation() != nullptr) preparation = kernel_at(code->preparation());
  return {loops, std::move(signature), kernel_at(code->entry()), std::move(preparation)};
}

Function build(const Schedule& schedule, const Args& args, const Target& target, std::string_view name,
               const BuildOptions& options) {
  return build(lower(schedule, args, target, name), target, options);
}

}  // namespace nestwright
