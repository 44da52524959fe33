#include "tests/house/types.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "support/os/scratch_folder.h"

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

auto named(const char* name) { return Field(&TypeDefinition::name, name); }

TEST(Types, AreReadWithTheirNamespaces) {
  EXPECT_THAT(
      read_types("namespace a::b {\nstruct X {\n  struct Inner {};\n};\nclass Y final : public X {};\n"
                 "enum class Z : int { kOne };\nunion U {\n};\nclass Long\n    : public X {};\n}  // namespace a::b\n"),
      ElementsAre(named("a::b::X"), named("a::b::Y"), named("a::b::Z"), named("a::b::U"), named("a::b::Long")));
  EXPECT_EQ(read_types("namespace a {\n\nstruct X {};\n}  // namespace a\n")[0].line, 3);
}

TEST(Types, OtherDefinitionsAreIgnored) {
  EXPECT_THAT(
      read_types("namespace a {\nclass X;\nstruct Y::Inner {\n};\nstruct Map<int> {\n};\nnamespace {\nstruct Own {};\n"
                 "}  // namespace\n}  // namespace a\nstruct Outside {};\n"),
      IsEmpty());
}

TEST(Types, AnUnnamedNamespaceEnds) {
  EXPECT_THAT(
      read_types("namespace a {\nnamespace {\nstruct Own {};\n}  // namespace\nstruct X {};\n}  // namespace a\n"),
      ElementsAre(named("a::X")));
}

TEST(Types, TwoOfOneNameAreFound) {
  const ScratchFolder folder("types-test");
  const auto write = [&](const std::string& path, const std::string& type) {
    std::filesystem::create_directories(std::filesystem::path(folder.path() + path).parent_path());
    std::ofstream(folder.path() + path) << "namespace n {\n" << type << "}  // namespace n\n";
  };
  write("/src/a.h", "struct X {};\n");
  write("/src/b.cpp", "struct X {};\n");
  write("/tests/one/c.h", "struct Y {};\n");
  write("/tests/two/c.h", "struct Y {};\n");
  write("/tests/two/d.h", "namespace {\nstruct X {};\nstruct Y {};\n}  // namespace\n");
  EXPECT_THAT(
      duplicate_types(folder.path(), read_tree(folder.path(), {"src", "tests"})),
      ElementsAre("n::X is defined in src/a.h:2 src/b.cpp:2", "n::Y is defined in tests/one/c.h:2 tests/two/c.h:2"));
}

TEST(Types, OfTheTreeHaveUniqueNames) {
  const std::string root = NESTWRIGHT_SOURCE_DIR;
  const std::vector<SourceFile> files =
      read_tree(root, {"src", "templates", "search", "cost_model", "logs", "bench", "examples", "tests"});
  ASSERT_GE(files.size(), 900u);
  EXPECT_THAT(duplicate_types(root, files), IsEmpty());
}

}  // namespace
}  // namespace nestwright::house
