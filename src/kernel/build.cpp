#include "nestwright/build.h"

#include <fmt/format.h>

#include <utility>

#include "codegen/backend.h"
#include "ir/serialize/serialize.h"
#include "kernel/call_signature.h"
#include "kernel/device_call.h"
#include "kernel/has_parallel_loop.h"
#include "kernel/require_this_machine.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "runtime/compiled_kernel.h"

namespace nestwright {
namespace {

std::shared_ptr<ParallelPool> pool_for(const ir::Program& program, const Target& target, const BuildOptions& options) {
  if (options.pool != nullptr) return options.pool;
  constexpr int kMaxThreads = 1024;
  if (options.threads < 0 || options.threads > kMaxThreads) {
    throw UsageError(fmt::format("{} threads are asked for: give 1 to {}, or 0 for as many as the target says",
                                 options.threads, kMaxThreads));
  }
  // Threads without work would still spin.
  if (!has_parallel_loop(program)) return make_pool(PoolKind::kSerial, 1);
  return make_pool(options.pool_kind, options.threads > 0 ? options.threads : target.threads);
}

Function build_for_device(const ir::Program& loops, const Target& target, const BuildOptions& options,
                          CallSignature signature) {
  const CompiledObject object = compile_program(expand(loops, target), target, {.pipeline = options.pipeline});
  std::shared_ptr<Device> device = options.device != nullptr ? options.device : make_device(target.device);
  if (device->info().kind != target.device) {
    throw UsageError(
        fmt::format("{} cannot run kernels for {}: name a device of that kind", device->info().name, target.str()));
  }
  auto call =
      std::make_shared<DeviceCall>(DeviceProgram(std::move(device), object.object, ir::deserialize(object.launches)));
  return {loops, std::move(signature),
          [call](std::span<void* const> buffers, std::span<const std::int64_t> symbols) { (*call)(buffers, symbols); }};
}

}  // namespace

Function build(const ir::Program& loops, const Target& target, const BuildOptions& options) {
  if (target.device == DeviceKind::kCpu) require_this_machine(target);
  CallSignature signature(loops);  // throws before anything is compiled
  if (target.device != DeviceKind::kCpu) return build_for_device(loops, target, options, std::move(signature));
  const CompiledObject object = compile_program(expand(loops, target), target, {.pipeline = options.pipeline});
  std::shared_ptr<LoadedObject> code = load_object(object);
  const std::shared_ptr<ParallelPool> pool = pool_for(loops, target, options);
  const auto entry_at = [&](void* entry) -> Function::Entry {
    if (entry == nullptr) return {};
    auto kernel = std::make_shared<CompiledKernel>(reinterpret_cast<nestwright_kernel>(entry), object.workspace, pool,
                                                   code, object.symbols);
    return [kernel](std::span<void* const> buffers, std::span<const std::int64_t> symbols) {
      check(kernel->call(buffers, symbols) == 0, "a kernel gave an error back");
    };
  };
  return {loops, std::move(signature), entry_at(code->entry()), entry_at(code->preparation())};
}

Function build(const Schedule& schedule, const Args& args, const Target& target, std::string_view name,
               const BuildOptions& options) {
  return build(lower(schedule, args, target, name), target, options);
}

}  // namespace nestwright
