// Two types of one name in a program are undefined behaviour, which no compiler reports without optimising across
// files.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <sstream>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Places = std::map<std::string, std::vector<std::string>>;  ///< by a type's name with namespaces, "FILE:LINE"

/// Adds the types with external linkage: those of named namespaces, not nested in types or functions. The text must be
/// formatted by .clang-format.
void add_types(const SourceFile& file, Places& places) {
  static const std::regex kOpens(R"(^(?:inline )?namespace(?: ([\w:]+))? \{$)");
  static const std::regex kDefines(
      R"(^(?:struct|class|union|enum|enum class)(?: alignas\([^)]*\))? (\w+)(?: final)?(?: :.*| \{.*|$))");
  std::vector<std::string> namespaces;
  int number = 0;
  std::istringstream lines(file.text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line[0] == ' ') continue;
    if (std::regex_match(line, match, kOpens)) {
      namespaces.push_back(match[1]);
    } else if (line.starts_with("}  // namespace") && !namespaces.empty()) {
      namespaces.pop_back();
    } else if (!namespaces.empty() && std::regex_match(line, match, kDefines)) {
      if (std::find(namespaces.begin(), namespaces.end(), "") != namespaces.end()) continue;  // an unnamed one
      places[fmt::format("{}::{}", fmt::join(namespaces, "::"), match[1].str())].push_back(
          fmt::format("{}:{}", file.path, number));
    }
  }
}

/// Returns one sentence for each type that is defined more than once.
std::vector<std::string> duplicate_types(const std::vector<SourceFile>& files) {
  Places places;
  for (const SourceFile& file : files) add_types(file, places);
  std::vector<std::string> found;
  for (const auto& [name, where] : places) {
    if (where.size() > 1) found.push_back(fmt::format("{} is defined in {}", name, fmt::join(where, " ")));
  }
  return found;
}

TEST(Types, AreReadWithTheirNamespaces) {
  Places places;
  add_types(read_source("x",
                        "namespace a::b {\nstruct X {\n  struct Inner {};\n};\nclass Y final : public X {};\n"
                        "enum class Z : int { kOne };\nunion U {\n};\nclass Long\n    : public X {};\n}  // namespace "
                        "a::b\nnamespace a {\nclass X;\nstruct Y::Inner {\n};\nstruct Map<int> {\n};\n"
                        "namespace {\nstruct Own {};\n}  // namespace\nstruct T {};\n}  // namespace a\n"
                        "struct Outside {};\n"),
            places);
  EXPECT_THAT(places, ElementsAre(testing::Key("a::T"), testing::Key("a::b::Long"), testing::Key("a::b::U"),
                                  testing::Key("a::b::X"), testing::Key("a::b::Y"), testing::Key("a::b::Z")));
}

TEST(Types, TwoOfOneNameAreFound) {
  const auto source = [&](const std::string& path, const std::string& type) {
    return read_source(path, "namespace n {\n" + type + "}  // namespace n\n");
  };
  EXPECT_THAT(duplicate_types({source("src/a.h", "struct X {};\n"), source("src/b.cpp", "struct X {};\n"),
                               source("tests/c.h", "namespace {\nstruct X {};\n}  // namespace\nstruct Y {};\n")}),
              ElementsAre("n::X is defined in src/a.h:2 src/b.cpp:2"));
}

TEST(Types, OfTheTreeHaveUniqueNames) {
  const std::vector<SourceFile> files = whole_tree();
  ASSERT_GE(files.size(), 900u);
  EXPECT_THAT(duplicate_types(files), IsEmpty());
}

}  // namespace
}  // namespace nestwright::house
