// CPU targets on the command line: how they are resolved, and which ones this machine or its compiler does not support.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "target/description/host.h"
#include "target/description/machine.h"
#include "target/measured/peak.h"
#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class TargetTest : public ::testing::Test {
 protected:
  CommandOutput run(const std::string& text) { return run_nestwright(words(text), {.folder = folder_.path()}); }
  bool has_database() const { return std::filesystem::exists(folder_.file("nestwright.db")); }

  const TemporaryFolder folder_;
};

TEST_F(TargetTest, CpuIsTheCpuOfThisMachine) {
  const json report = json::parse(run("space matmul m=32 n=32 k=32 --target cpu --json").out);
  EXPECT_EQ(report["target"], Target::host().str());
}

// More threads than cores do not raise the peak.
TEST_F(TargetTest, MoreThreadsThanCoresDoNotRaiseThePeak) {
  const std::string threads = std::to_string(16 * host_threads());
  const CommandOutput tuned = run("tune matmul m=32 n=32 k=32 --target cpu,threads=" + threads + " --trials 1 --json");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const double peak = json::parse(tuned.out)["peak_gflops"];
  EXPECT_GT(peak, 0);
  EXPECT_LT(peak, 3 * host_threads() * measure_fma_peak(1));
}

TEST_F(TargetTest, AProcessorUnknownToLlvmIsRefused) {
  const std::string asked = " matmul m=32 n=32 k=32 --target cpu,isa=x86-64,llvm_cpu=foo";
  for (const std::string command : {"tune", "export --out there"}) {
    expect_refusal(run(command + asked), 2,
                   {"LLVM ", "knows no processor 'foo': give llvm_cpu another name, as znver4, or generic"});
  }
  expect_failure(run("lower --asm" + asked), 2, {"knows no processor 'foo'"});
  EXPECT_FALSE(has_database());
}

TEST_F(TargetTest, MissingFeaturesAreRefused) {
  const Machine machine = Machine::host();
  if (machine.isa < CpuIsa::kAvx512) GTEST_SKIP() << "the instruction set is refused before the features";
  if (machine.has("amx_int8")) GTEST_SKIP() << "this machine has all of them";
  expect_refusal(run("tune matmul m=32 n=32 k=32 --target cpu,isa=avx512,features=amx_int8"), 2,
                 {"this machine has no amx_int8, which cpu,isa=avx512", "on another machine"});
  EXPECT_FALSE(has_database());
}

TEST_F(TargetTest, AMissingInstructionSetIsRefused) {
  if (Machine::host().isa >= CpuIsa::kAvx512) GTEST_SKIP() << "this machine has all of them";
  expect_refusal(run("tune matmul m=32 n=32 k=32 --target cpu,isa=avx512"), 2, {"this machine cannot run avx512 code"});
  EXPECT_FALSE(has_database());
}

TEST_F(TargetTest, ARefusedRunCreatesNoDatabase) {
  expect_refusal(run("tune matmul m=32 n=32 k=32 --template softmax.gpu"), 2, {"softmax.gpu"});
  EXPECT_FALSE(has_database());
}

TEST_F(TargetTest, WithoutADatabaseTheDefaultIsExportedAndLowered) {
  const CommandOutput exported = run("export matmul m=32 n=32 k=32 --threads 1 --out there --name mm --json");
  ASSERT_EQ(exported.code, 0) << exported.err;
  EXPECT_EQ(json::parse(exported.out)["match"], "default");
  EXPECT_EQ(json::parse(exported.out)["checked"]["ran"], true);
  EXPECT_THAT(exported.err, HasSubstr("was not tuned, the default configuration was exported"));
  EXPECT_EQ(run("lower matmul m=32 n=32 k=32").code, 0);
  EXPECT_FALSE(has_database());
  expect_refusal(run("export matmul m=32 n=32 k=32 --out there --db named.db"), 5, {"named.db", "does not exist"});
}

TEST_F(TargetTest, ExportsAreRunUnlessUnchecked) {
  EXPECT_THAT(run("export matmul m=8 n=8 k=8 --threads 1 --out there").out, HasSubstr("\nrun here: right"));
  EXPECT_THAT(run("export matmul m=8 n=8 k=8 --threads 1 --out there --unchecked").out,
              HasSubstr("\nnot run: --unchecked\n"));
  if (Machine::host().isa >= CpuIsa::kAvx512) return;
  EXPECT_THAT(run("export matmul m=8 n=8 k=8 --target cpu,isa=avx512,threads=1 --out there").out,
              HasSubstr("\nnot run: this machine cannot run avx512 code"));
}

TEST_F(TargetTest, TwoExportsShareAFolder) {
  ASSERT_EQ(run("export matmul m=8 n=8 k=8 --threads 1 --out both --name one").code, 0);
  ASSERT_EQ(run("export matmul m=9 n=9 k=9 --threads 1 --out both --name two").code, 0);
  for (const char* name : {"one", "two"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_.file(std::string("both/") + name + "_manifest.json"))) << name;
  }
}

}  // namespace
}  // namespace nestwright
