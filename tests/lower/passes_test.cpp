// The table of passes: its names are those of the files, and its entries are complete.
#include "lower/passes.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <set>

namespace nestwright::testing {
namespace {

std::set<std::string> names_of_table() {
  std::set<std::string> names;
  for (const Pass& pass : all_passes()) names.insert(pass.name);
  return names;
}

TEST(Passes, HaveAFileEach) {
  std::set<std::string> files;
  for (const char* folder : {"/src/lower/passes", "/src/lower/select"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(NESTWRIGHT_SOURCE_DIR) + folder)) {
      files.insert(entry.path().stem());
    }
  }
  EXPECT_EQ(files, names_of_table());
}

TEST(Passes, AreNamedOnceAndInOrder) {
  std::vector<std::string> names;
  for (const Pass& pass : all_passes()) names.emplace_back(pass.name);
  EXPECT_EQ(pass_names(), names);
  EXPECT_EQ(names_of_table().size(), names.size());
}

TEST(Passes, LoopsComeBeforeVectors) {
  const std::span<const Pass> passes = all_passes();
  EXPECT_TRUE(
      std::is_sorted(passes.begin(), passes.end(), [](const Pass& a, const Pass& b) { return a.stage < b.stage; }));
}

TEST(Passes, TheLastOneOfAStageIsVerified) {
  for (const DeviceKind device : {DeviceKind::kCpu, DeviceKind::kCuda, DeviceKind::kOpenCl}) {
    for (const LoweringStage stage : {LoweringStage::kLoops, LoweringStage::kVectors}) {
      const Pass* last = nullptr;
      for (const Pass& pass : all_passes()) {
        if (pass.stage == stage && includes(pass.devices, device)) last = &pass;
      }
      ASSERT_NE(last, nullptr);
      EXPECT_TRUE(includes(last->complete, device)) << last->name;
    }
  }
}

}  // namespace
}  // namespace nestwright::testing
