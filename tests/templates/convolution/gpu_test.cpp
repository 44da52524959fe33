// What the GPU templates of convolutions choose without tuning, and what one of them refuses.
#include <gmock/gmock.h>

#include "nestwright/registry.h"
#include "tests/templates/gpu_cases.h"

namespace nestwright {
namespace {

std::int64_t product(const Config& config, const std::vector<std::string>& splits, std::size_t part) {
  std::int64_t result = 1;
  for (const std::string& name : splits) result *= config.find(name)->value.at(part);
  return result;
}

// Layers of networks on a device of 132 multiprocessors: the first guess has blocks for all of them, of whole warps'
// worth of threads.
TEST(ConvolutionGpu, DefaultsFillTheDevice) {
  for (const std::string text :
       {"conv2d n=1 c=64 h=56 w=56 k=64 r=3 s=3 pad=1", "conv2d n=16 c=256 h=14 w=14 k=256 r=3 s=3 pad=1 layout=NHWC",
        "conv2d n=1 c=3 h=224 w=224 k=64 r=7 s=7 stride=2 pad=3 epilogue=bias_relu",
        "conv2d n=32 c=512 h=7 w=7 k=2048 r=1 s=1", "depthwise_conv2d n=1 c=144 h=56 w=56 r=3 s=3 pad=1",
        "depthwise_conv2d n=8 c=384 h=28 w=28 r=5 s=5 stride=2 pad=2 layout=NHWC"}) {
    const Workload w = parse_workload(text);
    for (const Template* t : templates_for(w, testing_gpu::cuda())) {
      if (t->is_generic) continue;  // its knobs have other names
      const Config first = t->seeds(w, testing_gpu::cuda()).front();
      const std::vector<std::string> splits{"tile_k", "tile_p", "tile_q"};
      EXPECT_GE(w.size("n") * product(first, splits, 0), testing_gpu::cuda().multiprocessors) << text << first.str();
      EXPECT_GE(product(first, splits, 1), 32) << text << first.str();
    }
  }
}

TEST(ConvolutionGpu, SaysWhereAWindowDoesNotFit) {
  const Target target = Target::parse("opencl,shared=49152");
  const Template& direct = *builtin_registry().find_template("conv2d.gpu_direct");
  const auto reason = [&](const std::string& sizes) {
    return direct.why_not(parse_workload("conv2d n=1 c=1 h=200 w=200 k=1 " + sizes), target);
  };
  EXPECT_EQ(reason("r=100 s=100"), "");
  EXPECT_EQ(reason("r=120 s=120"), "it needs the window of a filter to fit into a block's shared memory");
  EXPECT_EQ(reason("r=2 s=2 dilation=119"), "it needs the window of a filter to fit into a block's shared memory");
  // What its image leaves no room for is read where it lies.
  const Workload w = parse_workload("conv2d n=1 c=1 h=200 w=200 k=40 r=100 s=100");
  for (const Config& seed : direct.seeds(w, target)) EXPECT_EQ(seed.find("weights")->label, "direct");
}

}  // namespace
}  // namespace nestwright
