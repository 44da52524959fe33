// An export without enough disk space: exit code 2, one sentence that says so, and no partial library.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

class FullDiskExportTest : public ::testing::Test {
 protected:
  CommandOutput run(const std::string& out, const CommandOptions& options, const std::string& more = "--unchecked") {
    return run_nestwright(words("export matmul m=32 n=32 k=32 --threads 1 --out " + out + " " + more), options);
  }

  const TemporaryFolder folder_;
};

TEST_F(FullDiskExportTest, ADeviceThatIsAlwaysFull) {
  expect_refusal(run("/dev/full", {}), 2, {"cannot make directory '/dev/full'"});
  std::filesystem::create_directory(folder_.file("out"));
  std::filesystem::create_symlink("/dev/full", folder_.file("out/mm.h"));
  expect_refusal(run(folder_.file("out"), {}, "--unchecked --name mm"), 2,
                 {"cannot write '", "out/mm.h': no space left on its disk; free some and export again"});
}

// The export takes 84 KiB: the disk fills up while its sources, its archive or its shared library is written.
TEST_F(FullDiskExportTest, ADiskThatFillsUpDuringAnExport) {
  std::filesystem::create_directory(folder_.file("disk"));
  for (const int kib : {4, 16, 40, 60, 64, 68, 80}) {
    SCOPED_TRACE(kib);
    const CommandOutput ran =
        run(folder_.file("disk/out"), {.small_disk_at = folder_.file("disk"), .small_disk_kib = kib});
    if (ran.code == kCannotSetUp) GTEST_SKIP() << "needs permission to mount";
    expect_refusal(ran, 2,
                   {"cannot write '" + folder_.file("disk/out"), "no space left", "free some and export again"});
  }
  EXPECT_EQ(run(folder_.file("disk/out"), {.small_disk_at = folder_.file("disk"), .small_disk_kib = 512}).code, 0);
}

TEST_F(FullDiskExportTest, AFileThatGrowsTooLongLeavesNothing) {
  for (const std::int64_t bytes : {1000, 8 << 10}) {
    SCOPED_TRACE(bytes);
    expect_refusal(run(folder_.file("out"), {.max_file_bytes = bytes}), 2,
                   {"cannot write '", "no space left", "free some and export again"});
    EXPECT_FALSE(std::filesystem::exists(folder_.file("out"))) << "the export created the folder";
  }
  std::filesystem::create_directory(folder_.file("out"));
  {
    std::ofstream(folder_.file("out/mine")) << "text";
  }
  EXPECT_EQ(run(folder_.file("out"), {.max_file_bytes = 1000}).code, 2);
  int left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.file("out"))) {
    EXPECT_EQ(entry.path().filename(), "mine");
    ++left;
  }
  EXPECT_EQ(left, 1);
}

}  // namespace
}  // namespace nestwright
