#include "nestwright/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "target/description/former_target.h"
#include "target/description/host.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFull = "cpu,isa=avx512,threads=2,l1d=32768,l2=1048576,l3=33554432,llvm_cpu=znver4";

std::string refusal(std::string_view text) {
  return message<UsageError>([&] { Target::parse(text); });
}

TEST(Target, EveryFieldIsRead) {
  const Target t = Target::parse(
      "cpu,threads=3,l3=1048576,isa=avx512,l2=524288,vector_bits=256,vector_registers=16,l1d=49152,llvm_cpu=znver4");
  EXPECT_EQ(t.isa, CpuIsa::kAvx512);
  EXPECT_EQ(t.threads, 3);
  EXPECT_EQ(t.vector_bits, 256);
  EXPECT_EQ(t.vector_registers, 16);
  EXPECT_EQ(t.l1d_bytes, 49152);
  EXPECT_EQ(t.l2_bytes, 524288);
  EXPECT_EQ(t.l3_bytes, 1048576);
  EXPECT_EQ(t.llvm_cpu, "znver4");
  EXPECT_EQ(t.lanes(kFloat32), 8);
  EXPECT_EQ(t.lanes(kFloat64), 4);
}

TEST(Target, TheIsaDecidesVectorsAndRegisters) {
  const Target sse = Target::parse("cpu,isa=x86-64"), avx2 = Target::parse("cpu,isa=avx2"),
               avx512 = Target::parse("cpu,isa=avx512");
  EXPECT_EQ(sse.lanes(kFloat32), 4);
  EXPECT_EQ(sse.vector_registers, 16);
  EXPECT_FALSE(sse.has_fma());
  EXPECT_EQ(avx2.lanes(kFloat32), 8);
  EXPECT_EQ(avx2.vector_registers, 16);
  EXPECT_TRUE(avx2.has_fma());
  EXPECT_FALSE(avx2.has_masks());
  EXPECT_EQ(avx512.lanes(kFloat32), 16);
  EXPECT_EQ(avx512.vector_registers, 32);
  EXPECT_TRUE(avx512.has_masks());
}

TEST(Target, AProcessorThatWasRenamedHasAFormerTarget) {
  const std::string text = "cpu,isa=avx512,threads=2,l1d=49152,l2=1048576,l3=33554432,llvm_cpu=";
  const std::optional<Target> former = former_target(Target::parse(text + "znver5"));
  ASSERT_TRUE(former);
  EXPECT_EQ(former->str(), text + "znver4");
  EXPECT_FALSE(former_target(Target::parse(text + "znver4")));
  EXPECT_FALSE(former_target(Target::parse("cuda,arch=sm_90")));
}

TEST(Target, PrintsCanonically) {
  EXPECT_EQ(Target::parse(kFull).str(), kFull);
  EXPECT_EQ(Target::parse("cpu,llvm_cpu=znver4,l3=33554432,l2=1048576,l1d=32768,threads=2,isa=avx512").str(), kFull);
  EXPECT_EQ(Target::parse("cpu,isa=avx512,vector_bits=256,threads=1,l1d=32768,l2=1048576,l3=0,llvm_cpu=generic").str(),
            "cpu,isa=avx512,threads=1,vector_bits=256,l1d=32768,l2=1048576,l3=0,llvm_cpu=generic");
}

TEST(Target, ParsingWhatWasPrintedGivesItBack) {
  for (const char* text : {"cpu", "host", "cpu,threads=7", "cpu,isa=x86-64", "cpu,isa=avx2,threads=2", "cpu,isa=avx512",
                           kFull, "cpu,isa=avx2,vector_bits=128,vector_registers=8,llvm_cpu=haswell"}) {
    const Target t = Target::parse(text);
    EXPECT_EQ(Target::parse(t.str()), t) << text;
    EXPECT_EQ(Target::parse(t.str()).str(), t.str()) << text;
  }
}

TEST(Target, AnyIsaIsATargetOnAnyMachine) {
  for (const char* isa : {"x86-64", "avx2", "avx512"}) {
    EXPECT_THAT(Target::parse(std::string("cpu,isa=") + isa).str(), HasSubstr(std::string("isa=") + isa));
  }
}

TEST(Target, AnIsaBelowTheHostsDoesNotKeepTheHostsName) {
  if (host_isa() == CpuIsa::kX86_64) GTEST_SKIP() << "nothing is below this host";
  EXPECT_EQ(Target::parse("cpu,isa=x86-64").llvm_cpu, "");
  EXPECT_EQ(Target::parse("cpu,isa=x86-64").l2_bytes, Target::host().l2_bytes) << "the caches are the host's";
}

TEST(Target, TheHostIsTheHost) {
  const Target host = Target::host();
  EXPECT_EQ(Target::parse("host"), host);
  Target one = host;
  one.threads = 1;
  EXPECT_EQ(Target::parse("cpu"), one);
  EXPECT_EQ(host.threads, host_threads());
}

TEST(Target, RefusesWithTheFieldAndWhatIsLegal) {
  EXPECT_EQ(refusal("cpu,isa=sve"), "target \"cpu,isa=sve\": isa \"sve\" is not known; use x86-64, avx2 or avx512");
  EXPECT_EQ(refusal("tpu"),
            "target \"tpu\": device \"tpu\" is not known; begin with cpu, cuda or opencl, or write host");
  EXPECT_EQ(refusal("cpu,cores=2"),
            "target \"cpu,cores=2\": field \"cores\" is not known; known fields: isa, threads, vector_bits, "
            "vector_registers, l1d, l2, l3, llvm_cpu, features");
  EXPECT_EQ(refusal("cpu,threads=0"), "target \"cpu,threads=0\": threads is \"0\"; use an integer from 1 to 4096");
  EXPECT_THAT(refusal("cpu,threads=two"), HasSubstr("threads is \"two\""));
  EXPECT_THAT(refusal("cpu,threads=99999999999999999999"), HasSubstr("use an integer"));
  EXPECT_THAT(refusal("cpu,threads=1,threads=2"), HasSubstr("field threads is given twice"));
  EXPECT_THAT(refusal("cpu,isa=avx2,"), HasSubstr("it ends with a comma; add a field, or drop it"));
  EXPECT_THAT(refusal("cpu,"), HasSubstr("it ends with a comma"));
  EXPECT_THAT(refusal("cpu,threads"), HasSubstr("\"threads\" is not of the form field=value"));
  EXPECT_THAT(refusal("cpu,isa=avx2,vector_bits=512"), HasSubstr("vector_bits=512 is more than avx2 has"));
  EXPECT_THAT(refusal("cpu,vector_bits=100"), HasSubstr("use 128, 256 or 512"));
  EXPECT_THAT(refusal("cpu,llvm_cpu=;rm"), HasSubstr("use a name that LLVM knows"));
  EXPECT_THAT(refusal(""), HasSubstr("device \"\" is not known"));
}

}  // namespace
}  // namespace nestwright
