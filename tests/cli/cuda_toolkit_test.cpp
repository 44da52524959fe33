// Tunes with the versions of NVRTC that users have: one that caches kernels, one too old for the option that disables
// this, one newer than the driver, one found only by CUDA_PATH. NVRTC and the driver are fakes: no kernel computes
// anything.
#include <gmock/gmock.h>

#include <filesystem>

#include "nestwright/database.h"
#include "tests/cli/command_test.h"

namespace nestwright {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr int kNvrtcRegisters = 40, kDriverRegisters = 48;  // per thread, as the fakes report them

class CudaToolkitTest : public CommandTest {
 protected:
  CudaToolkitTest() { environment_ = {"NESTWRIGHT_CUDA_DRIVER=" FAKE_CUDA, "NESTWRIGHT_NVRTC=" FAKE_NVRTC}; }

  /// Returns the resources of the trials of a short run. All results are wrong, since the kernels compute nothing.
  std::vector<KernelResources> resources_of_trials() {
    const CommandOutput ran = run("tune matmul m=64 n=64 k=64 --target cuda --trials 2 --db trials.db");
    EXPECT_EQ(ran.code, 4) << ran.err;
    std::vector<KernelResources> all;
    for (const TrialRecord& trial : TuningLog::open(folder_.file("trials.db"), OpenMode::kRead).trials({})) {
      EXPECT_EQ(trial.measurement.outcome, Outcome::kWrongResult) << trial.measurement.message;
      for (const KernelResources& kernel : trial.measurement.resources) all.push_back(kernel);
    }
    EXPECT_GE(all.size(), 2u);
    return all;
  }
};

TEST_F(CudaToolkitTest, ResourcesComeFromTheCompilerLog) {
  for (const KernelResources& kernel : resources_of_trials()) EXPECT_EQ(kernel.registers, kNvrtcRegisters);
}

TEST_F(CudaToolkitTest, TheKernelCacheIsDisabled) {
  environment_.emplace_back("FAKE_NVRTC=silent");
  for (const KernelResources& kernel : resources_of_trials()) EXPECT_EQ(kernel.registers, kNvrtcRegisters);
}

TEST_F(CudaToolkitTest, AnUnknownOptionIsLeftOut) {
  environment_.emplace_back("FAKE_NVRTC=old");
  for (const KernelResources& kernel : resources_of_trials()) EXPECT_EQ(kernel.registers, kNvrtcRegisters);
}

TEST_F(CudaToolkitTest, ResourcesComeFromTheDriverIfTheLogIsEmpty) {
  environment_.emplace_back("FAKE_NVRTC=mute");
  for (const KernelResources& kernel : resources_of_trials()) {
    EXPECT_EQ(kernel.registers, kDriverRegisters);
    EXPECT_EQ(kernel.stack_bytes, 16);
    EXPECT_GT(kernel.threads, 0);
    EXPECT_GT(kernel.occupancy, 0);
  }
}

TEST_F(CudaToolkitTest, LowerPrintsTheResourcesOfATemplate) {
  const std::string lower =
      "lower matmul m=512 n=512 k=512 dtype=float16 --target cuda,arch=sm_80 --template matmul.mma --resources";
  const CommandOutput lowered = run(lower);
  EXPECT_EQ(lowered.code, 0) << lowered.err;
  EXPECT_THAT(lowered.err, HasSubstr("template  matmul.mma"));
  EXPECT_THAT(lowered.out, AllOf(HasSubstr("registers"), HasSubstr("blocks"), ContainsRegex("matmul[^\n]* 40 ")));
  environment_.emplace_back("FAKE_NVRTC=mute");
  expect_failure(run(lower), 3, {"does not report the resources of the kernels", "NESTWRIGHT_NVRTC"});
}

TEST_F(CudaToolkitTest, ALargeAddressSpaceReservationSucceeds) {
  environment_.emplace_back("FAKE_NVRTC=large");
  EXPECT_FALSE(resources_of_trials().empty());
}

TEST_F(CudaToolkitTest, AVersionNewerThanTheDriverIsRefused) {
  environment_.emplace_back("FAKE_NVRTC_VERSION=1401");
  expect_refusal(
      run("tune matmul m=64 n=64 k=64 --target cuda"), 2,
      {"NVRTC 14.1 makes code that this machine's driver, of CUDA 13.0, does not load: install NVRTC 13, and name "
       "its libnvrtc.so by NESTWRIGHT_NVRTC where it is not found, or update the driver"});
  EXPECT_FALSE(std::filesystem::exists(folder_.file("nestwright.db")));
}

TEST_F(CudaToolkitTest, AVersionThatTheDriverSupportsIsFoundByCudaPath) {
  const std::string folder = folder_.file("toolkit/lib64");
  std::filesystem::create_directories(folder);
  std::filesystem::create_symlink(FAKE_NVRTC, folder + "/libnvrtc.so.12");
  environment_ = {"NESTWRIGHT_CUDA_DRIVER=" FAKE_CUDA, "FAKE_CUDA_VERSION=12040",
                  "CUDA_PATH=" + folder_.file("toolkit")};
  for (const KernelResources& kernel : resources_of_trials()) EXPECT_GT(kernel.registers, 0);
}

}  // namespace
}  // namespace nestwright
