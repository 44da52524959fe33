// The check of #include lines, on made-up input.
#include "tests/house/floors.h"

#include <gmock/gmock.h>

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kDocument = R"doc(
Some text.
```
not <- this
```
Floors (`a <- b`: b may include a):

```
base <- tree, data
tree <- build <- emit          data <- build     (never the reverse)
emit, data <- top
```
)doc";

TEST(Floors, ArrowsCompose) {
  const Floors floors = parse_floors(kDocument);
  EXPECT_THAT(floors.at("base"), IsEmpty());
  EXPECT_THAT(floors.at("tree"), ElementsAre("base"));
  EXPECT_THAT(floors.at("build"), ElementsAre("base", "data", "tree"));
  EXPECT_THAT(floors.at("emit"), ElementsAre("base", "build", "data", "tree"));
  EXPECT_THAT(floors.at("top"), ElementsAre("base", "build", "data", "emit", "tree"));
  EXPECT_FALSE(floors.contains("not"));
}

TEST(Floors, TablesThatMeanNothingAreRefused) {
  EXPECT_THROW(parse_floors("no table here"), std::runtime_error);
  EXPECT_THROW(parse_floors("Floors:\n```\na <- b <- c\nc <- a\n```\n"), std::runtime_error);
}

TEST(Floors, PlantedViolationsAreFound) {
  const Floors floors = parse_floors(kDocument);
  const auto check = [&](const std::string& path, const std::string& text) {
    return floor_violations(floors, {read_source(path, text)});
  };
  EXPECT_THAT(check("src/build/a.cpp",
                    "#include \"build/a.h\"\n#include \"tree/t.h\"\n#include \"base/b.h\"\n#include <map>\n"),
              IsEmpty());
  EXPECT_THAT(check("src/tree/a.h", "#pragma once\n#include \"build/a.h\"\n"),
              ElementsAre("src/tree/a.h:2 includes \"build/a.h\", but build is not below tree"));
  EXPECT_THAT(check("src/tree/sub/a.h", "  #  include \"data/a.h\"  // siblings\n"),
              ElementsAre(HasSubstr("data is not below tree")));
  EXPECT_THAT(check("top/a.cpp", "#include \"a.h\"\n"),
              ElementsAre(HasSubstr("does not begin with a folder of the house")));
  EXPECT_THAT(check("top/a.cpp", "#include \"../src/tree/t.h\"\n"),
              ElementsAre(HasSubstr("does not begin with a folder")));
  EXPECT_THAT(check("attic/a.cpp", ""), ElementsAre(HasSubstr("which the floors do not know")));
  EXPECT_THAT(check("src/all.h", "#include \"top/t.h\"\n"), IsEmpty())
      << "the umbrella header is outside of all folders";
}

TEST(Floors, RoomsOfAFolderHaveFloorsToo) {
  const Floors floors = parse_floors("Floors\n```\nbase <- tree <- top\ntree/core <- tree/proofs <- tree/rules\n```\n");
  const auto check = [&](const std::string& path, const std::string& included) {
    return floor_violations(floors, {read_source(path, "#include \"" + included + "\"\n")});
  };
  EXPECT_THAT(check("src/tree/rules/a.cpp", "tree/core/c.h"), IsEmpty());
  EXPECT_THAT(check("src/tree/core/a.cpp", "base/b.h"), IsEmpty());
  EXPECT_THAT(check("top/a.cpp", "tree/rules/r.h"), IsEmpty());
  EXPECT_THAT(check("src/tree/core/a.cpp", "tree/proofs/p.h"),
              ElementsAre(HasSubstr("tree/proofs is not below tree/core")));
  EXPECT_THAT(check("src/tree/core/a.cpp", "top/t.h"), ElementsAre(HasSubstr("top is not below tree")));
  EXPECT_THAT(check("src/tree/attic/a.cpp", "base/b.h"), ElementsAre(HasSubstr("is in no room of tree")));
}

TEST(Floors, RoomsHaveRoomsAndMayBeSingleFiles) {
  const Floors floors = parse_floors(
      "Floors\n```\ntree <- top\ntree/core <- tree/oak2 <- tree/oak2/bark, tree/oak2/leaf <- tree/list\n```\n");
  const auto check = [&](const std::string& path, const std::string& included) {
    return floor_violations(floors, {read_source(path, "#include \"" + included + "\"\n")});
  };
  EXPECT_THAT(check("src/tree/oak2/leaf/a.cpp", "tree/oak2/o.h"), IsEmpty());
  EXPECT_THAT(check("src/tree/list.cpp", "tree/oak2/bark/b.h"), IsEmpty());
  EXPECT_THAT(check("src/tree/list.cpp", "tree/list.h"), IsEmpty());
  EXPECT_THAT(check("top/a.cpp", "tree/list.h"), IsEmpty());
  EXPECT_THAT(check("src/tree/oak2/leaf/a.cpp", "tree/oak2/bark/b.h"),
              ElementsAre(HasSubstr("tree/oak2/bark is not below tree/oak2/leaf")));
  EXPECT_THAT(check("src/tree/core/a.cpp", "tree/list.h"), ElementsAre(HasSubstr("tree/list is not below tree/core")));
  EXPECT_THAT(check("src/tree/core/a.cpp", "tree/oak2/leaf/l.h"),
              ElementsAre(HasSubstr("tree/oak2 is not below tree/core")))
      << "to other rooms, a room with rooms is one floor";
}

TEST(Floors, PublicHeadersAreAPartOfAFolder) {
  const std::string document =
      "Floors\n```\nbase <- tree <- top\ntree/core <- tree/rules\n```\nPublic headers\n```\nleaf, oak  tree/core\n"
      "all        top\n```\n";
  const Floors floors = parse_floors(document);
  const PublicHeaders headers = parse_public_headers(document);
  const auto check = [&](const std::string& path, const std::string& included) {
    return floor_violations(floors, {read_source(path, "#include \"" + included + "\"\n")}, headers);
  };
  EXPECT_THAT(check("src/tree/rules/a.cpp", "nestwright/leaf.h"), IsEmpty());
  EXPECT_THAT(check("include/nestwright/all.h", "nestwright/oak.h"), IsEmpty());
  EXPECT_THAT(check("include/nestwright/nestwright.h", "nestwright/all.h"), IsEmpty());
  EXPECT_THAT(check("src/base/a.cpp", "nestwright/leaf.h"), ElementsAre(HasSubstr("tree is not below base")));
  EXPECT_THAT(check("include/nestwright/leaf.h", "nestwright/all.h"), ElementsAre(HasSubstr("top is not below tree")));
  EXPECT_THAT(check("include/nestwright/leaf.h", "base/b.h"), ElementsAre(HasSubstr("which is not public")));
  EXPECT_THAT(check("include/nestwright/elm.h", "nestwright/leaf.h"),
              ElementsAre(HasSubstr("in folder nestwright, which the floors do not know")));
  EXPECT_THROW(parse_public_headers("Floors\n```\na <- b\n```\n"), std::runtime_error);
}

TEST(Leaks, OnlyWhatOthersGetToSee) {
  const std::vector<SourceFile> tree = {
      read_source("logs/log.h", "#include \"logs/types.h\"\n"),
      read_source("logs/types.h", "#include <string>\n"),
      read_source("logs/database.h", "#include <sqlite3.h>\n"),
      read_source("logs/log.cpp", "#include \"logs/log.h\"\n#include \"logs/database.h\"\n"),
      read_source("search/search.cpp", "#include \"logs/log.h\"\n"),
  };
  EXPECT_THAT(leaked_headers(tree, {"sqlite3.h"}), IsEmpty());
  std::vector<SourceFile> leaking = tree;
  leaking[1] = read_source("logs/types.h", "#include \"logs/database.h\"\n");
  EXPECT_THAT(leaked_headers(leaking, {"sqlite3.h"}), ElementsAre("logs/log.h is public and includes sqlite3.h"));
  leaking = tree;
  leaking.push_back(read_source("src/nestwright.h", "#include \"logs/database.h\"\n"));
  EXPECT_EQ(leaked_headers(leaking, {"sqlite3.h"}).size(), 2u) << "the header itself, and the one that includes it";
}

}  // namespace
}  // namespace nestwright::house
