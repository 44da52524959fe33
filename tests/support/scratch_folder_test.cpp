#include "support/os/scratch_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "nestwright/error.h"

namespace nestwright {
namespace {

TEST(ScratchFolder, GoesWithItsOwnerAndWhatIsInIt) {
  std::string path;
  {
    ScratchFolder first("nestwright-test");
    path = first.path();
    EXPECT_NE(path.find("nestwright-test-"), std::string::npos);
    EXPECT_NE(ScratchFolder("nestwright-test").path(), path);
    std::filesystem::create_directory(path + "/inner");
    std::ofstream(path + "/inner/file") << "text";
    const ScratchFolder second = std::move(first);
    EXPECT_EQ(second.path(), path);
    EXPECT_TRUE(std::filesystem::exists(path + "/inner/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ScratchFolder, SaysWhereThereIsNoRoom) { EXPECT_THROW(ScratchFolder("no/such/folder/nestwright-test"), Error); }

}  // namespace
}  // namespace nestwright
