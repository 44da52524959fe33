// Targets of devices on the command line: which device they mean, what is refused, and a run on OpenCL from tuning to
// the question for the best.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class DeviceTest : public testing::Test {
 protected:
  Ran run(const std::string& text) {
    CommandOptions options;
    options.folder = folder_.path();
    options.environment = environment;
    return run_nestwright(words(text), options);
  }

  std::vector<std::string> environment;
  const TemporaryFolder folder_;
};

/// With one GPU of sm_90, whose kernels compute nothing.
class FakeCudaTest : public DeviceTest {
 protected:
  FakeCudaTest() { environment = {"NESTWRIGHT_CUDA_DRIVER=" FAKE_CUDA}; }
};

TEST_F(DeviceTest, TunesOnOpenClAndFindsTheBestAgain) {
  const Ran tuned = run("tune matmul m=16 n=16 k=8 --target opencl --trials 3 --json");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const json told = json::parse(tuned.out);
  EXPECT_EQ(told["template"], "matmul.gpu");
  EXPECT_THAT(told["target"].get<std::string>(), StartsWith("opencl,multiprocessors="));
  EXPECT_EQ(told["verified"], true);
  EXPECT_EQ(told["trials"], 3);
  EXPECT_FALSE(told.contains("peak_gflops")) << "which is not known of a device";

  const Ran asked = run("query matmul m=16 n=16 k=8 --target opencl --exact --json");
  ASSERT_EQ(asked.code, 0) << asked.err;
  EXPECT_EQ(json::parse(asked.out)["config"], told["config"]);
  EXPECT_THAT(run("query matmul m=16 n=16 k=8 --exact").code, Not(0)) << "the CPU has none";
}

TEST_F(DeviceTest, NoThreadsAreGivenToADevice) {
  expect_refusal(run("tune matmul m=16 n=16 k=8 --target opencl --threads 2"), 2,
                 {"--threads is for CPUs, and opencl is none: leave it out"});
}

TEST_F(DeviceTest, AMissingDriverIsSaidBeforeAnythingIsMade) {
  environment = {"NESTWRIGHT_CUDA_DRIVER=/no/such/driver.so"};
  expect_refusal(run("tune matmul m=16 n=16 k=8 --target cuda"), 2,
                 {"this machine cannot run code for cuda,arch=sm_80", "/no/such/driver.so"});
  EXPECT_FALSE(std::filesystem::exists(folder_.file("nestwright.db")));
}

TEST_F(FakeCudaTest, CudaAloneIsThisMachinesDevice) {
  const Ran lowered = run("space matmul m=64 n=64 k=64 --target cuda");
  ASSERT_EQ(lowered.code, 0) << lowered.err;
  EXPECT_THAT(lowered.out, HasSubstr("cuda,arch=sm_90"));
}

TEST_F(FakeCudaTest, CodeForAnotherGenerationIsRefused) {
  expect_refusal(run("tune matmul m=16 n=16 k=8 --target cuda,arch=sm_80"), 2,
                 {"Fake 7 of this machine is sm_90 and cannot run code for sm_80: tune with --target cuda"});
}

}  // namespace
}  // namespace nestwright
