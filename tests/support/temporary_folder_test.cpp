#include "support/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/error.h"

namespace nestwright {
namespace {

TEST(TemporaryFolder, GoesWithItsOwnerAndWhatIsInIt) {
  std::string path;
  {
    TemporaryFolder first("nestwright-test");
    path = first.path();
    EXPECT_NE(path.find("nestwright-test-"), std::string::npos);
    EXPECT_NE(TemporaryFolder("nestwright-test").path(), path);
    std::filesystem::create_directory(path + "/inner");
    std::ofstream(path + "/inner/file") << "text";
    const TemporaryFolder second = std::move(first);
    EXPECT_EQ(second.path(), path);
    EXPECT_TRUE(std::filesystem::exists(path + "/inner/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryFolder, SaysWhereThereIsNoRoom) {
  EXPECT_THROW(TemporaryFolder("no/such/folder/nestwright-test"), Error);
}

}  // namespace
}  // namespace nestwright
