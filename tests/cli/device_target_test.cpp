// Device targets on the command line: which device they select, which ones are refused, and a run on OpenCL from tuning
// to the query for the best.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "nestwright/database.h"
#include "nestwright/target.h"
#include "tests/cli/command_test.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class DeviceTargetTest : public CommandTest {};

/// A fake machine with one sm_90 GPU, whose kernels compute nothing.
class FakeCudaTest : public DeviceTargetTest {
 protected:
  FakeCudaTest() { environment_ = {"NESTWRIGHT_CUDA_DRIVER=" FAKE_CUDA}; }
};

TEST_F(DeviceTargetTest, TunesOnOpenClAndFindsTheBestAgain) {
  const CommandOutput tuned =
      run("tune matmul m=16 n=16 k=8 --target opencl --template matmul.gpu --trials 3 --seconds 6 --json");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const json report = json::parse(tuned.out);
  EXPECT_EQ(report["template"], "matmul.gpu");
  EXPECT_THAT(report["target"].get<std::string>(), StartsWith("opencl,multiprocessors="));
  EXPECT_EQ(report["verified"], true);
  EXPECT_EQ(report["trials"], 3);
  EXPECT_FALSE(report.contains("peak_gflops")) << "the peak of a device is unknown";

  const CommandOutput asked = run("query matmul m=16 n=16 k=8 --target opencl --exact --json");
  ASSERT_EQ(asked.code, 0) << asked.err;
  EXPECT_EQ(json::parse(asked.out)["config"], report["config"]);
  EXPECT_THAT(run("query matmul m=16 n=16 k=8 --exact").code, Not(0)) << "the CPU has none";
}

TEST_F(DeviceTargetTest, ExportsTheBestForADevice) {
  ASSERT_EQ(run("tune matmul m=16 n=16 k=8 --target opencl --trials 2 --finalists 0").code, 0);
  const CommandOutput exported =
      run("export matmul m=16 n=16 k=8 --target opencl --out kernel --name mm --exact --json");
  ASSERT_EQ(exported.code, 0) << exported.err;
  const json report = json::parse(exported.out);
  EXPECT_EQ(report["match"], "exact");
  EXPECT_EQ(report["files"],
            json({"mm.h", "mm.c", "mm_kernel.cl", "mm_selftest.c", "mm_manifest.json", "mmConfig.cmake"}));
  std::ifstream in(folder_.file("kernel/mm_manifest.json"));
  const json manifest = json::parse(in);
  EXPECT_EQ(manifest["target"], report["target"]);
  EXPECT_EQ(manifest["verified"], true);
  EXPECT_EQ(manifest["trials"], 2);
  EXPECT_GT(manifest["time_ns"]["median"], 0);
  EXPECT_THAT(manifest["machine"].get<std::string>(), HasSubstr("; ")) << "and the device with its driver";

  EXPECT_EQ(run("export matmul m=8 n=8 k=8 --target opencl --out other --exact").code, 3);
  const CommandOutput untuned = run("export matmul m=8 n=8 k=8 --target opencl --out other --unchecked");
  EXPECT_EQ(untuned.code, 0);
  EXPECT_THAT(untuned.err, HasSubstr("matmul m=8 n=8 k=8 was not tuned, the "));
  environment_ = {"NESTWRIGHT_NVRTC=/no/such.so"};
  expect_refusal(run("export matmul m=8 n=8 k=8 --target cuda,arch=sm_90 --out third"), 2,
                 {"NVRTC cannot be loaded from /no/such.so, which NESTWRIGHT_NVRTC names: correct it, or unset it"});
  EXPECT_FALSE(std::filesystem::exists(folder_.file("third")));
}

#ifdef FAKE_OPENCL
// Imitates a GPU that a kernel has broken: every process that launches a kernel loses the device.
TEST_F(DeviceTargetTest, APermanentlyLostDeviceCostsEachCandidateOneTrial) {
  environment_ = {"NESTWRIGHT_OPENCL=" FAKE_OPENCL, "FAKE_OPENCL=lost"};
  const CommandOutput ran = run("tune matmul m=16 n=16 k=8 --target opencl --trials 3 --json");
  EXPECT_EQ(ran.code, 4) << ran.err;
  EXPECT_THAT(ran.err,
              HasSubstr("OpenCL cannot carry out what was launched (CL_OUT_OF_RESOURCES); the device is lost to "
                        "this process"));
  const std::vector<TrialRecord> trials = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kRead).trials({});
  EXPECT_EQ(trials.size(), 3u);
  for (const TrialRecord& trial : trials) {
    EXPECT_EQ(trial.measurement.outcome, Outcome::kLaunchError);
    EXPECT_THAT(trial.measurement.message, HasSubstr("the device is lost to this process"));
  }
}

// NVIDIA's OpenCL returns the size of the first-level caches when asked for the second level.
TEST_F(DeviceTargetTest, TheL2CacheOfAnNvidiaGpuFollowsFromItsGeneration) {
  environment_ = {"NESTWRIGHT_OPENCL=" FAKE_OPENCL, "FAKE_OPENCL=nvidia"};
  const CommandOutput asked = run("space matmul m=64 n=64 k=64 --target opencl");
  ASSERT_EQ(asked.code, 0) << asked.err;
  EXPECT_THAT(asked.out, HasSubstr(",l2=" + std::to_string(Target::parse("cuda,arch=sm_90").l2_bytes)));
}
#endif

TEST_F(DeviceTargetTest, ThreadsAreRefusedForDevices) {
  expect_refusal(run("tune matmul m=16 n=16 k=8 --target opencl --threads 2"), 2,
                 {"--threads is for CPUs, and opencl is none: leave it out"});
}

TEST_F(DeviceTargetTest, AMissingDriverIsReportedBeforeAnyFileIsCreated) {
  environment_ = {"NESTWRIGHT_CUDA_DRIVER=/no/such/driver.so"};
  expect_refusal(run("tune matmul m=16 n=16 k=8 --target cuda"), 2,
                 {"this machine cannot run code for cuda,arch=sm_80", "/no/such/driver.so"});
  EXPECT_FALSE(std::filesystem::exists(folder_.file("nestwright.db")));
}

TEST_F(FakeCudaTest, CudaIsTheFirstDeviceOfThisMachine) {
  const CommandOutput lowered = run("space matmul m=64 n=64 k=64 --target cuda");
  ASSERT_EQ(lowered.code, 0) << lowered.err;
  EXPECT_THAT(lowered.out, HasSubstr("cuda,arch=sm_90"));
}

TEST_F(FakeCudaTest, CodeForAnotherGenerationIsRefused) {
  expect_refusal(run("tune matmul m=16 n=16 k=8 --target cuda,arch=sm_80"), 2,
                 {"Fake 7 of this machine is sm_90 and cannot run code for sm_80: tune with --target cuda"});
}

}  // namespace
}  // namespace nestwright
