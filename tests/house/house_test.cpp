// Checks this tree against the rules of docs/design/layers.md on #include lines, and the sizes of files and folders.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/house/floors.h"

namespace nestwright::house {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Returns the folders that the sources of each folder include.
Graph includes_of_folders(const std::vector<SourceFile>& files) {
  const auto folder_of = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  Graph graph;
  for (const SourceFile& file : files) {
    const std::string from = folder_of(file.spelled());
    for (const Include& include : file.includes) {
      const std::string to = folder_of(include.path);
      if (include.quoted && to != from) graph[from].insert(to);
    }
  }
  return graph;
}

TEST(House, IncludesKeepToTheFloors) {
  const std::string document = text_of("docs/design/layers.md");
  const Floors floors = parse_floors(document);
  const PublicHeaders headers = parse_public_headers(document);
  ASSERT_GE(floors.size(), 16u);
  ASSERT_GE(headers.size(), 25u);
  ASSERT_GE(product().size(), 100u);
  EXPECT_THAT(floor_violations(floors, product(), headers), IsEmpty());
}

TEST(House, TheTableHasTheIntendedLayers) {
  const Floors floors = parse_floors(text_of("docs/design/layers.md"));
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

TEST(House, FoldersOfTheBenchmarksIncludeEachOtherInNoCycle) {
  std::vector<SourceFile> planted = {
      read_source("bench/a/x.cpp", "#include \"bench/a/x.h\"\n#include \"bench/b/y.h\"\n#include <map>\n"),
      read_source("bench/b/y.h", "#include \"bench/c/z.h\"\n"),
      read_source("bench/main.cpp", "#include \"bench/a/x.h\"\n"),
  };
  EXPECT_THAT(names_in_cycles(includes_of_folders(planted)), IsEmpty());
  planted.push_back(read_source("bench/c/z.cpp", "#include \"bench/a/x.h\"\n"));
  EXPECT_THAT(names_in_cycles(includes_of_folders(planted)), ElementsAre("bench/a", "bench/b", "bench/c"));
  const std::vector<SourceFile> files = read_tree({"bench"});
  ASSERT_GE(files.size(), 100u);
  EXPECT_THAT(names_in_cycles(includes_of_folders(files)), IsEmpty());
}

TEST(House, FilesAreSmall) {
  for (const SourceFile& file : whole_tree()) EXPECT_LE(file.lines, 500) << file.path;
}

TEST(House, FoldersHaveAtMostThirtyFiles) {
  namespace fs = std::filesystem;
  const fs::path root(NESTWRIGHT_SOURCE_DIR);
  std::map<std::string, int> files;  // directly in each folder
  for (const char* top : {"include", "src", "templates", "search", "cost_model", "logs", "bench"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      if (entry.is_regular_file()) ++files[fs::relative(entry.path().parent_path(), root)];
    }
  }
  EXPECT_THAT(files, Contains(Pair("src/ir/core", testing::Gt(5))));
  for (const auto& [folder, count] : files) EXPECT_LE(count, 30) << folder;
}

}  // namespace
}  // namespace nestwright::house
