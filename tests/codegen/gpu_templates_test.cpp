// Every GPU template in the registry: random configurations of its spaces are compiled for CUDA, which needs no GPU,
// and run on OpenCL, by PoCL if there is no GPU, on each set of inputs that checks use. NESTWRIGHT_GPU_SAMPLES=N in the
// environment draws N configurations of each template, and compiles each for every architecture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/backend.h"
#include "ir/serialize/serialize.h"
#include "nestwright/registry.h"
#include "runtime/device_program.h"
#include "templates/sketch/sketch_template.h"
#include "tests/templates/all_templates.h"
#include "tests/templates/gpu_cases.h"
#include "tests/templates/input_sets.h"
#include "tests/templates/matmul/check.h"

namespace nestwright {
namespace {

/// Bytes that a thread may spill: NVIDIA's assembler spills a few registers for a higher occupancy of small blocks.
constexpr std::int64_t kDeclaredSpill = 128;

struct DrawnPoint {
  Workload workload;
  Config config;
  ir::Program program;  ///< in vector form
  std::string what;
};

class GpuTemplates : public ::testing::TestWithParam<std::string> {
 protected:
  const Template& source() const { return *builtin_registry().find_template(GetParam()); }

  /// Lowered points of the workloads' spaces, alternating between the workloads: a seed, and a slice of the samples.
  std::vector<DrawnPoint> candidates(const Target& target) const {
    std::vector<std::string> texts = testing_gpu::large_workloads();
    texts.insert(texts.end(), testing_gpu::workloads().begin(), testing_gpu::workloads().end());
    std::vector<Workload> served;
    for (const std::string& text : texts) {
      const Workload w = parse_workload(text);
      const bool serves =
          w.op->find_template(source().name) && (!source().why_not || source().why_not(w, target).empty());
      if (serves) served.push_back(w);
    }
    std::mt19937_64 random(std::hash<std::string>()(GetParam()));
    std::vector<DrawnPoint> result;
    std::vector<std::optional<ConfigSpace>> spaces(served.size());
    const testing::CaseRange slice = testing_gpu::slice_of_samples();
    for (int n = 0; n < slice.end; ++n) {
      const std::size_t at = static_cast<std::size_t>(n) % served.size();
      const Workload& w = served[at];
      if (!spaces[at]) spaces[at] = discover_space(source(), w, target);
      const Config config = n == 0 ? source().seeds(w, target).front() : spaces[at]->sample(random).value();
      if (n > 0 && !slice.contains(n)) continue;
      const Instance instance = instantiate(source(), w, target, config);
      const ir::Program loops = lower(instance.schedule, instance.definition.args, target, w.op->name);
      result.push_back({w, config, expand(loops, target), source().name + " of " + w.str() + ": " + config.str()});
    }
    return result;
  }
};

class CudaTemplates : public GpuTemplates {};

TEST_P(CudaTemplates, CompileAndStayInRegisters) {
  const std::unique_ptr<Backend> backend = make_backend(DeviceKind::kCuda);
  Target target = testing_gpu::cuda();
  std::size_t number = 0;
  for (const DrawnPoint& c : candidates(target)) {
    ++number;
    for (const char* arch : {"sm_80", "sm_90"}) {
      if (!testing_gpu::is_soak() && (number % 2 == 0) == (std::string(arch) == "sm_80")) continue;
      target.arch = arch;
      if (source().why_not && !source().why_not(c.workload, target).empty()) continue;
      CompiledObject object;
      ASSERT_NO_THROW(object = backend->compile(c.program, target, {})) << c.what;
      ASSERT_EQ(object.resources.size(), c.program.kernels.size()) << c.what;
      for (const KernelResources& kernel : object.resources) {
        EXPECT_LE(kernel.spill_bytes, kDeclaredSpill) << c.what << " for " << arch << "\n" << object.source;
        EXPECT_GT(kernel.registers, 0) << c.what;
        EXPECT_LE(kernel.shared_bytes, target.shared_bytes) << c.what;
      }
    }
  }
}

class OpenClTemplates : public GpuTemplates {};

TEST_P(OpenClTemplates, ComputeTheReference) {
  const std::unique_ptr<Backend> backend = make_backend(DeviceKind::kOpenCl);
  const std::shared_ptr<Device> device = make_device(DeviceKind::kOpenCl);
  const Target target = testing_gpu::opencl();
  for (const DrawnPoint& c : candidates(target)) {
    const CompiledObject object = backend->compile(c.program, target, {});
    const auto run = [&](std::span<const ir::Memory> arguments) {
      DeviceProgram program(device, object.object, ir::deserialize(object.launches));
      std::vector<DeviceMemoryPtr> memory;
      for (const ir::Memory& argument : arguments) {
        memory.push_back(device->allocate(static_cast<std::int64_t>(argument.size())));
        device->upload(*memory.back(), argument);
      }
      program.run(memory);
      device->synchronise();
      device->download(*memory.back(), arguments.back());
    };
    for (const auto& [name, data] : testing_inputs::input_sets(c.workload, testing_matmul::inputs(c.workload))) {
      testing_matmul::expect_computed(c.workload, c.what + " of " + name, data, run);
    }
    if (HasFailure()) {
      ADD_FAILURE() << object.source;
      return;
    }
  }
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// A row of 256 threads is reduced by five exchanges within each warp, then over the eight warps' results.
TEST(GpuRows, AreReducedByShufflesOnCuda) {
  struct Case {
    const char *workload, *source, *config;
    int reductions, barriers;
  };
  for (const Case& c : {Case{"reduce function=sum shape=5x700 axes=1", "reduce.gpu",
                             "reduction=whole exchange=shuffles unroll=4 threads_x=256 threads_y=2", 1, 1},
                        Case{"reduce function=max shape=9x300 axes=1 dtype=float64", "reduce.gpu",
                             "reduction=whole exchange=shuffles unroll=1 threads_x=32 threads_y=8", 1, 1},
                        Case{"softmax rows=5 columns=400", "softmax.gpu",
                             "row=read powers=again exchange=shuffles threads=256 rows=4 unroll=1 lanes=4", 2, 5},
                        Case{"layer_norm rows=3 columns=512", "layer_norm.gpu",
                             "row=read exchange=shuffles threads=256 rows=1 unroll=4 lanes=4", 2, 6}}) {
    const Workload w = parse_workload(c.workload);
    const Target target = testing_gpu::cuda();
    const Template& source = *builtin_registry().find_template(c.source);
    const Config config = discover_space(source, w, target).resolve(Config::parse(c.config));
    const Instance instance = instantiate(source, w, target, config);
    const ir::Program loops = lower(instance.schedule, instance.definition.args, target, w.op->name);
    const ir::Program program = expand(loops, target, {.after_pass = {}, .verify = true});
    const CompiledObject object = make_backend(DeviceKind::kCuda)->compile(program, target, {});
    EXPECT_EQ(count(object.source, "__shfl_xor_sync(0xffffffffu, "), 5 * c.reductions) << object.source;
    EXPECT_EQ(count(object.source, "__syncthreads();"), c.barriers) << object.source;
    EXPECT_EQ(object.resources.at(0).spill_bytes, 0);
    testing_matmul::expect_reference(loops, w, c.config);
    testing_matmul::expect_reference(program, w, c.config);
  }
}

std::vector<std::string> names(DeviceKind kind) {
  std::vector<std::string> result;
  for (const Template* each : all_templates()) {
    const Template& t = *each;
    if (t.is_for(kind)) result.push_back(t.name);
  }
  return result;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, CudaTemplates, ::testing::ValuesIn(names(DeviceKind::kCuda)), test_name);
INSTANTIATE_TEST_SUITE_P(Registry, OpenClTemplates, ::testing::ValuesIn(names(DeviceKind::kOpenCl)), test_name);

TEST(GeneratedForCuda, SeedsAndSamplesCompile) {
  const Target target = testing_gpu::cuda();
  const std::unique_ptr<Backend> backend = make_backend(DeviceKind::kCuda);
  const Template t = sketch_gpu_template();
  std::mt19937_64 random(7);
  for (const char* text : {"matmul m=33 n=128 k=40 epilogue=bias_relu", "conv2d n=1 c=16 h=14 w=14 k=32 r=3 s=3 pad=1",
                           "depthwise_conv2d n=1 c=16 h=14 w=14 r=3 s=3 pad=1", "softmax rows=64 columns=1000",
                           "layer_norm rows=18 columns=512", "reduce function=max shape=64x1000 axes=0",
                           "transpose rows=100 columns=64", "scan function=sum steps=8 columns=200"}) {
    const Workload w = parse_workload(text);
    for (const Config& config : {t.seeds(w, target).front(), discover_space(t, w, target).sample(random).value()}) {
      const Instance instance = instantiate(t, w, target, config);
      const ir::Program loops = lower(instance.schedule, instance.definition.args, target, w.op->name);
      EXPECT_NO_THROW(backend->compile(expand(loops, target), target, {})) << w.str() << ": " << config.str();
    }
  }
}

}  // namespace
}  // namespace nestwright
