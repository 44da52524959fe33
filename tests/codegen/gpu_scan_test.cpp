// The cumulative sum with symbolic steps and columns, as scan.gpu schedules it, compiled for CUDA and run on OpenCL.
#include <gmock/gmock.h>

#include "codegen/backend.h"
#include "ir/serialize/serialize.h"
#include "nestwright/lower.h"
#include "runtime/device_program.h"
#include "templates/scan/scan.h"
#include "tests/templates/gpu_cases.h"

namespace nestwright {
namespace {

/// The vector form of the sum.
ir::Program symbolic_sum(const Target& target, bool in_threads) {
  const Var m = var("m"), n = var("n");
  const Tensor x = placeholder({m, n}, kFloat32, "X");
  const ScanTensors scan = make_scan("sum", x);
  Schedule s = create_schedule(scan.y);
  bind_scan(s, scan, {.threads = 256}, in_threads);
  return expand(lower(s, {x, scan.y}, target, "cumulative_sum"), target);
}

TEST(GpuScan, OfSymbolicSizesCompilesForCuda) {
  for (const bool in_threads : {false, true}) {
    const CompiledObject object = make_backend(DeviceKind::kCuda)
                                      ->compile(symbolic_sum(testing_gpu::cuda(), in_threads), testing_gpu::cuda(), {});
    ASSERT_EQ(object.resources.size(), 2u);
    for (const KernelResources& kernel : object.resources) EXPECT_EQ(kernel.spill_bytes, 0) << object.source;
  }
}

TEST(GpuScan, OfSymbolicSizesRunsThroughOpenCl) {
  const std::shared_ptr<Device> device = make_device(DeviceKind::kOpenCl);
  for (const bool in_threads : {false, true}) {
    const CompiledObject object =
        make_backend(DeviceKind::kOpenCl)
            ->compile(symbolic_sum(testing_gpu::opencl(), in_threads), testing_gpu::opencl(), {});
    DeviceProgram program(device, object.object, ir::deserialize(object.launches));
    for (const auto& [steps, columns] : {std::pair<std::size_t, std::size_t>{10, 1024}, {7, 300}, {1, 5}}) {
      std::vector<float> x(steps * columns), y(steps * columns, -1e30F);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 11) - 5;
      std::vector<DeviceMemoryPtr> memory;
      for (std::vector<float>* tensor : {&x, &y}) {
        const std::span<std::byte> bytes = std::as_writable_bytes(std::span(*tensor));
        memory.push_back(device->allocate(static_cast<std::int64_t>(bytes.size())));
        device->upload(*memory.back(), bytes);
      }
      const std::vector<std::int64_t> sizes{static_cast<std::int64_t>(steps), static_cast<std::int64_t>(columns)};
      program.run(memory, sizes);
      device->synchronise();
      device->download(*memory.back(), std::as_writable_bytes(std::span(y)));
      for (std::size_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (std::size_t t = 0; t < steps; ++t) {
          sum += x[t * columns + j];
          ASSERT_EQ(y[t * columns + j], sum) << steps << "x" << columns << " at " << t << ", " << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace nestwright
