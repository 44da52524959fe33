#include "target/description/cpu_features.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"
#include "nestwright/target.h"
#include "target/description/host.h"
#include "target/measured/peak.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

constexpr const char* kCpu = "cpu,isa=avx512,threads=1,l1d=32768,l2=1048576,l3=33554432,llvm_cpu=";

TEST(CpuFeatures, FollowFromTheNameOfACpu) {
  EXPECT_EQ(features_of_cpu("znver4").str(), "avx512_vnni+avx512_bf16");
  EXPECT_EQ(features_of_cpu("cascadelake").str(), "avx512_vnni");
  EXPECT_EQ(features_of_cpu("sapphirerapids").str(), "avx512_vnni+avx512_bf16+avx512_fp16+amx_bf16+amx_int8");
  EXPECT_EQ(features_of_cpu("skylake-avx512").str(), "none");
}

TEST(CpuFeatures, OfATargetAreThoseOfItsCpuOrGiven) {
  EXPECT_TRUE(Target::parse(std::string(kCpu) + "graniterapids").has(CpuFeature::kAmxInt8));
  const Target less = Target::parse(std::string(kCpu) + "graniterapids,features=avx512_bf16+avx512_vnni");
  EXPECT_TRUE(less.has(CpuFeature::kAvx512Bf16));
  EXPECT_FALSE(less.has(CpuFeature::kAmxInt8));
  EXPECT_EQ(less.str(), std::string(kCpu) + "graniterapids,features=avx512_vnni+avx512_bf16");
  EXPECT_EQ(Target::parse(less.str()), less);
  EXPECT_EQ(Target::parse(std::string(kCpu) + "cooperlake,features=none").features, CpuFeatures());
  EXPECT_EQ(Target::parse("cpu,isa=avx2,llvm_cpu=haswell").features, CpuFeatures());
  // Also where it is the CPU of this machine, from which something may hide a feature.
  Target here = Target::host();
  if (here.isa == CpuIsa::kAvx512 && !here.llvm_cpu.empty()) {
    EXPECT_EQ(Target::parse(std::string(kCpu) + here.llvm_cpu).features, features_of_cpu(here.llvm_cpu));
    here.features = CpuFeatures();
    EXPECT_EQ(Target::parse(here.str()), here);
  }
}

TEST(CpuFeatures, UnknownOnesAreRefused) {
  const auto refusal = [](const std::string& text) -> std::string {
    return message<UsageError>([&] { Target::parse(text); });
  };
  EXPECT_EQ(refusal("cpu,isa=avx512,features=avx512_vnni+amx"),
            "target \"cpu,isa=avx512,features=avx512_vnni+amx\": features has \"amx\"; join some of avx512_vnni, "
            "avx512_bf16, avx512_fp16, amx_bf16, amx_int8 by +, or write none");
  EXPECT_EQ(refusal("cpu,isa=avx2,features=none"),
            "target \"cpu,isa=avx2,features=none\": features are given; only isa=avx512 has any");
}

TEST(CpuFeatures, OfTheHostAreSomeThatItLists) {
  const std::vector<std::string> listed = host_features();
  const CpuFeatures features = host_cpu_features();
  for (int i = 0; i < kCpuFeatures; ++i) {
    const auto feature = static_cast<CpuFeature>(i);
    if (!features.has(feature)) continue;
    EXPECT_THAT(listed, ::testing::Contains(name_of(feature)));
  }
  EXPECT_EQ(Target::host().features, features);
}

TEST(PeakScale, IsMeasuredForWhatHasInstructions) {
  EXPECT_EQ(measure_peak_scale(kFloat32), 1);
  EXPECT_EQ(measure_peak_scale(kFloat64), 0.5);
  EXPECT_GE(measure_peak_scale(kBFloat16), 1);
  if (host_cpu_features().has(CpuFeature::kAvx512Vnni)) {
    EXPECT_GT(measure_peak_scale(kInt8), 1.5);  // four, except for the noise of a busy machine
    EXPECT_LT(measure_peak_scale(kInt8), 100);
  }
}

}  // namespace
}  // namespace nestwright
