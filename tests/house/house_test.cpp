// Checks this tree against the rules of docs/design/layers.md on #include lines and lengths of files.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/house/floors.h"

namespace nestwright::house {
namespace {

using ::testing::IsEmpty;

std::string layers() {
  std::ifstream file(NESTWRIGHT_SOURCE_DIR "/docs/design/layers.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::vector<SourceFile>& product() {
  static const std::vector<SourceFile> files =
      read_tree(NESTWRIGHT_SOURCE_DIR, {"src", "templates", "search", "cost_model", "logs"});
  return files;
}

TEST(House, IncludesKeepToTheFloors) {
  const Floors floors = parse_floors(layers());
  ASSERT_GE(floors.size(), 16u);
  ASSERT_GE(product().size(), 100u);
  EXPECT_THAT(floor_violations(floors, product()), IsEmpty());
}

TEST(House, TheTableHasTheIntendedLayers) {
  const Floors floors = parse_floors(layers());
  EXPECT_FALSE(floors.at("codegen").contains("schedule"));
  EXPECT_FALSE(floors.at("measure").contains("templates"));
  EXPECT_FALSE(floors.at("logs").contains("templates"));
  EXPECT_FALSE(floors.at("cost_model").contains("logs"));
  EXPECT_TRUE(floors.at("cli").contains("support"));
}

TEST(House, OnlyTheLlvmBackendIncludesLlvm) {
  for (const SourceFile& file : product()) {
    if (file.path.starts_with("src/codegen/llvm/")) continue;
    for (const Include& include : file.includes) {
      EXPECT_FALSE(include.path.starts_with("llvm/") || include.path.starts_with("llvm-c/"))
          << file.path << ":" << include.line << " includes " << include.path;
    }
  }
}

TEST(House, NoForeignTypeInAPublicHeader) {
  EXPECT_THAT(leaked_headers(product(), {"llvm/", "llvm-c/", "sqlite3.h", "xgboost/", "cuda", "nvrtc", "CL/"}),
              IsEmpty());
}

TEST(House, FilesAreSmall) {
  for (const SourceFile& file : read_tree(
           NESTWRIGHT_SOURCE_DIR, {"src", "templates", "search", "cost_model", "logs", "bench", "examples", "tests"})) {
    EXPECT_LE(file.lines, 500) << file.path;
  }
}

}  // namespace
}  // namespace nestwright::house
