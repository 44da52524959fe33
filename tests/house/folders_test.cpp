// The checks of folders, on made-up input and on this tree.
#include "tests/house/folders.h"

#include <gmock/gmock.h>

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Folders, CyclesAreFound) {
  std::vector<SourceFile> files = {
      read_source("bench/a/x.cpp", "#include \"bench/a/x.h\"\n#include \"bench/b/y.h\"\n#include <map>\n"),
      read_source("bench/b/y.h", "#include \"bench/c/z.h\"\n"),
      read_source("bench/main.cpp", "#include \"bench/a/x.h\"\n"),
  };
  EXPECT_THAT(folder_cycles(files), IsEmpty());
  files.push_back(read_source("bench/c/z.cpp", "#include \"bench/a/x.h\"\n"));
  EXPECT_THAT(folder_cycles(files),
              ElementsAre("bench/a -> bench/b -> bench/c -> bench/a", "bench/b -> bench/c -> bench/a -> bench/b",
                          "bench/c -> bench/a -> bench/b -> bench/c"));
}

TEST(Folders, HaveAtMostThirtyFilesEach) {
  EXPECT_THAT(large_folders(NESTWRIGHT_SOURCE_DIR, "docs", 0), ::testing::Contains(::testing::StartsWith("docs: ")));
  for (const char* folder : {"src", "templates", "search", "cost_model", "logs", "bench"}) {
    EXPECT_THAT(large_folders(NESTWRIGHT_SOURCE_DIR, folder, 30), IsEmpty());
  }
}

TEST(Folders, OfTheBenchmarksIncludeEachOtherInNoCycle) {
  const std::vector<SourceFile> files = read_tree(NESTWRIGHT_SOURCE_DIR, {"bench"});
  ASSERT_GE(files.size(), 100u);
  EXPECT_THAT(folder_cycles(files), IsEmpty());
}

}  // namespace
}  // namespace nestwright::house
