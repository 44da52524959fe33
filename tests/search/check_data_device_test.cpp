// Convolutions and products on an OpenCL device, through the real runner: kernels of templates are correct on all sets
// of inputs, and kernels with a planted fault are wrong on the set that is meant to reveal it.
#ifdef WITH_OPENCL

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "measure/run/runner.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "search/task/check_data.h"

namespace nestwright {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const Target& opencl() {
  static const Target target = Target::parse("opencl");
  return target;
}

/// The kernel of the first seed of the first template that serves the workload.
CompiledObject compiled(const Workload& workload) {
  const Template& source = *templates_for(workload, opencl()).front();
  const Instance instance = instantiate(source, workload, opencl(), source.seeds(workload, opencl()).front());
  const ir::Program loops = lower(instance.schedule, instance.definition.args, opencl(), "kernel");
  return make_backend(DeviceKind::kOpenCl)->compile(expand(loops, opencl()), opencl(), {});
}

/// The same object with another body of its only kernel, which a single work-item runs.
CompiledObject with_body(CompiledObject object, const std::string& body) {
  const std::size_t kernel = object.object.find("__kernel"), begin = object.object.find('{', kernel);
  EXPECT_EQ(object.object.find("__kernel", kernel + 1), std::string::npos) << "one kernel";
  object.object.resize(begin);
  object.object += "{\n  if (get_global_id(0) + get_global_id(1) + get_global_id(2) > 0) return;\n" + body + "}\n";
  return object;
}

std::vector<Measurement> check(const Workload& workload, const std::vector<CompiledObject>& objects) {
  setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1);
  const auto runner = make_local_runner(make_strict_check_data(workload),
                                        {.target = opencl(), .timeout_s = 60, .device_compare_bytes = 0});
  std::vector<Contender> contenders;
  for (const CompiledObject& object : objects) contenders.push_back({&object});
  return runner->check(contenders);
}

TEST(CheckDataDevice, TemplatesAreRightOnAllSets) {
  for (const char* text :
       {"conv2d n=2 c=8 h=9 w=10 k=12 r=3 s=3 pad=1 epilogue=bias_relu",
        "conv2d n=1 c=6 h=7 w=8 k=12 r=3 s=2 groups=2 layout=NHWC dtype=float16",
        "conv2d n=1 c=5 h=7 w=8 k=9 r=3 s=3 dtype=bfloat16", "conv2d n=1 c=5 h=7 w=8 k=9 r=3 s=3 dtype=uint8",
        "depthwise_conv2d n=2 c=7 h=9 w=10 multiplier=2 r=3 s=3 pad=1 epilogue=bias",
        "depthwise_conv2d n=1 c=8 h=9 w=10 r=3 s=3 layout=NHWC dtype=float64", "matmul m=19 n=24 k=512 dtype=float16",
        "matmul m=19 n=20 k=64 ldc=24"}) {
    const Workload workload = parse_workload(text);
    const Measurement m = check(workload, {compiled(workload)})[0];
    EXPECT_EQ(m.outcome, Outcome::kOk) << text << ": " << m.message;
    EXPECT_TRUE(m.evidence.verified) << text;
    EXPECT_LE(m.evidence.largest_error_ratio, 1) << text;
  }
}

/// A convolution of 6 x 6 images with 16 filters of one element and `channels` channels, which leaves out channel
/// number `skipped`. Sums are float32, whatever the type of the tensors.
std::string convolution_body(int channels, int skipped, bool in_half, const std::string& stored = "sum") {
  const auto load = [&](const std::string& tensor, const std::string& at) {
    return in_half ? "vload_half(" + at + ", " + tensor + ")" : tensor + "[" + at + "]";
  };
  return fmt::format(
      "  for (int k = 0; k < 16; ++k) for (int p = 0; p < 36; ++p) {{\n"
      "    float sum = 0;\n"
      "    for (int c = 0; c < {}; ++c) if (c != {}) sum += {} * {};\n"
      "    {};\n  }}\n",
      channels, skipped, load("X", "c * 36 + p"), load("W", fmt::format("k * {} + c", channels)),
      in_half ? "vstore_half(" + stored + ", k * 36 + p, Y)" : "Y[k * 36 + p] = " + stored);
}

TEST(CheckDataDevice, WholeNumbersShowAChannelThatAConvolutionSkips) {
  const Workload workload = parse_workload("conv2d n=1 c=1024 h=6 w=6 k=16 r=1 s=1 dtype=float16");
  const CompiledObject object = compiled(workload);
  const auto results = check(workload, {with_body(object, convolution_body(1024, -1, true)),
                                        with_body(object, convolution_body(1024, 511, true))});
  EXPECT_EQ(results[0].outcome, Outcome::kOk) << results[0].message;
  EXPECT_EQ(results[1].outcome, Outcome::kWrongResult);
  EXPECT_THAT(results[1].message, EndsWith("from integers, where no error is allowed"));
}

TEST(CheckDataDevice, SmallMagnitudesShowWhatAConvolutionFlushes) {
  const Workload workload = parse_workload("conv2d n=1 c=32 h=6 w=6 k=16 r=1 s=1");
  const CompiledObject object = compiled(workload);
  const auto results =
      check(workload, {with_body(object, convolution_body(32, -1, false)),
                       with_body(object, convolution_body(32, -1, false, "fabs(sum) < 1e-6f ? 0 : sum"))});
  EXPECT_EQ(results[0].outcome, Outcome::kOk) << results[0].message;
  EXPECT_EQ(results[1].outcome, Outcome::kWrongResult);
  EXPECT_THAT(results[1].message, HasSubstr(", got 0, allowed error "));
  EXPECT_THAT(results[1].message, EndsWith("from inputs of large and small magnitudes"));
}

}  // namespace
}  // namespace nestwright

#endif
