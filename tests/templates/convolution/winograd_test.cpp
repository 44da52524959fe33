// conv2d.winograd: its configurations compute the reference, from integers exactly; what it refuses.
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "templates/conv2d/conv2d.h"
#include "tests/templates/matmul/check.h"

namespace nestwright {
namespace {

const Template& winograd() {
  static const Template source = conv2d_winograd_template();
  return source;
}

/// The first seed with tiles of this size.
Config seed_of(const Workload& w, const Target& target, const std::string& tile) {
  for (const Config& config : winograd().seeds(w, target)) {
    if (config.str().find("tile=" + tile) != std::string::npos) return config;
  }
  throw InternalError("no seed has tiles of " + tile);
}

/// Runs one seed on the interpreter and holds it against `data`.
void check_seed(const Workload& w, const Target& target, const std::string& tile, const CheckedInputs& data) {
  const Config config = seed_of(w, target, tile);
  const Instance instance = instantiate(winograd(), w, target, config);
  const ir::Program program = lower(instance.schedule, instance.definition.args, target, "conv2d");
  testing_matmul::expect_computed(w, config.str(), data, [&](std::span<const ir::Memory> memory) {
    ir::interpret(program, memory, {}, {.seed = 1});
  });
}

const std::vector<std::string>& targets() {
  static const std::vector<std::string> list{"cpu,isa=avx512,threads=2,llvm_cpu=skylake-avx512",
                                             "cpu,isa=avx2,threads=2,llvm_cpu=haswell", "cpu,isa=avx512,threads=1"};
  return list;
}

class WinogradLowered : public ::testing::TestWithParam<std::string> {};

TEST_P(WinogradLowered, SeedsAndSamplesComputeTheReference) {
  const Workload w = parse_workload(GetParam());
  std::mt19937_64 random(std::hash<std::string>()(GetParam()) + static_cast<std::uint64_t>(testing::soak()));
  std::size_t turn = random();
  for (const std::string& text : targets()) {
    const Target target = Target::parse(text);
    ASSERT_EQ(winograd().why_not(w, target), "");
    const std::vector<Config> seeds = winograd().seeds(w, target);
    testing_matmul::check_config(winograd(), w, target, seeds[++turn % seeds.size()]);
    const ConfigSpace space = discover_space(winograd(), w, target);
    for (int sample = 0; sample < 2 * testing::soak(); ++sample) {
      const auto config = space.sample(random);
      ASSERT_TRUE(config);
      testing_matmul::check_config(winograd(), w, target, *config);
      if (HasFailure()) return;
    }
  }
}

// Odd sizes, paddings that differ, images smaller than a tile, channels and filters that leave vectors partial.
INSTANTIATE_TEST_SUITE_P(
    Workloads, WinogradLowered,
    ::testing::Values("conv2d n=1 c=16 h=8 w=8 k=16 r=3 s=3 pad=1 prepared=w",
                      "conv2d n=1 c=19 h=9 w=11 k=21 r=3 s=3 prepared=w",
                      "conv2d n=3 c=17 h=5 w=6 k=9 r=3 s=3 pad=1 epilogue=bias_relu",
                      "conv2d n=1 c=3 h=7 w=18 k=5 r=3 s=3 pad=2 pad_left=0 pad_bottom=1 pad_right=2 epilogue=bias",
                      "conv2d n=2 c=20 h=6 w=7 k=18 r=3 s=3 pad=1 layout=NHWC prepared=w",
                      "conv2d n=1 c=33 h=3 w=3 k=34 r=3 s=3 layout=NHWC epilogue=relu",
                      "conv2d n=1 c=1 h=1 w=1 k=1 r=3 s=3 pad=1",
                      "conv2d n=2 c=18 h=4 w=19 k=40 r=3 s=3 pad=0 pad_left=1 pad_bottom=2 prepared=w"),
    [](const auto& p) { return "number" + std::to_string(p.index); });

TEST(Winograd, IsExactOnWholeNumbers) {
  const Target target = Target::parse(targets().front());
  for (const char* text : {"conv2d n=1 c=512 h=5 w=4 k=3 r=3 s=3 pad=1", "conv2d n=1 c=64 h=9 w=8 k=5 r=3 s=3 pad=2"}) {
    const Workload w = parse_workload(text);
    HostTensors in = w.op->integer_inputs(w);
    Reference reference = w.op->reference(w, in);
    reference.bound[0].assign(reference.bound[0].size(), 0);
    for (const char* tile : {"2x2", "4x4"}) check_seed(w, target, tile, {in, reference});
  }
}

TEST(Winograd, StaysBelowTheAllowedErrorWithRoomToSpare) {
  const Workload w = parse_workload("conv2d n=1 c=24 h=8 w=8 k=16 r=3 s=3 pad=1");
  const HostTensors in = testing_matmul::inputs(w);
  for (const auto& [tile, share] : {std::pair("2x2", 0.15), std::pair("4x4", 0.8)}) {
    Reference reference = w.op->reference(w, in);
    for (double& bound : reference.bound[0]) bound *= share;
    check_seed(w, Target::parse(targets().front()), tile, {in, reference});
  }
}

TEST(Winograd, RefusesWhatItDoesNotServe) {
  const Target target = Target::parse(targets().front());
  const auto refusal = [&](const std::string& text) {
    return winograd().why_not(parse_workload("conv2d n=1 c=16 h=9 w=9 k=16 " + text), target);
  };
  EXPECT_EQ(refusal("r=3 s=3"), "");
  EXPECT_EQ(refusal("r=3 s=3 dtype=float64"), "it needs elements of float32");
  EXPECT_EQ(refusal("r=3 s=3 dtype=bfloat16"), "it needs elements of float32");
  EXPECT_EQ(refusal("r=3 s=1"), "it needs filters of 3 x 3");
  EXPECT_EQ(refusal("r=5 s=5"), "it needs filters of 3 x 3");
  EXPECT_EQ(refusal("r=3 s=3 stride=2"), "it needs a stride of 1");
  EXPECT_EQ(refusal("r=3 s=3 stride=1 stride_w=2"), "it needs a stride of 1");
  EXPECT_EQ(refusal("r=3 s=3 dilation=2"), "it needs a dilation of 1");
  EXPECT_EQ(refusal("r=3 s=3 groups=2"), "it needs filters that read all channels");
  EXPECT_EQ(refusal("r=3 s=3 pad_right=3"),
            "it needs a padding of at most 2, as results of zeros alone would not be exact");
  EXPECT_EQ(winograd().why_not(parse_workload("conv2d n=1 c=16 h=9 w=9 k=16 r=3 s=3"),
                               Target::parse("cpu,isa=x86-64,threads=1")),
            "it needs a CPU with fused multiply-adds");
}

TEST(Winograd, OffersLargeTilesFromSixteenChannelsOn) {
  const Target target = Target::parse(targets().front());
  const auto tiles = [&](const std::string& channels) {
    const Workload w = parse_workload("conv2d n=1 c=" + channels + " h=12 w=12 k=16 r=3 s=3");
    std::set<std::string> found;
    for (const Config& config : winograd().seeds(w, target)) found.insert(config.str().substr(0, 8));
    return found;
  };
  EXPECT_EQ(tiles("15"), std::set<std::string>{"tile=2x2"});
  EXPECT_EQ(tiles("16"), (std::set<std::string>{"tile=2x2", "tile=4x4"}));
}

}  // namespace
}  // namespace nestwright
