// Visitors of nodes name the kinds that they treat alike (ir/one_of.h): one that takes whatever is left would let a
// kind that is new pass in silence.
#include <gmock/gmock.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Lines with a parameter of any type that has no name, and so takes a node without a look at it.
std::vector<int> wildcards(const std::string& text) {
  static const std::regex wildcard(R"(\((const )?auto&&?\))");
  std::vector<int> found;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (std::regex_search(line.substr(0, line.find("//")), wildcard)) found.push_back(number);
  }
  return found;
}

TEST(Visitors, AWildcardIsFound) {
  EXPECT_THAT(wildcards("overloaded{[](const Store&) {},\n  [](const auto&) {}}\nHalves split(auto&&);\n"),
              ElementsAre(2, 3));
  EXPECT_THAT(
      wildcards("[](const OneOf<Store, Barrier> auto&) {}\n[&](const auto& n) { print(n); }\n// (const auto&)\n"),
      IsEmpty());
}

TEST(Visitors, NameWhatTheyTreatAlike) {
  for (const SourceFile& file :
       read_tree(NESTWRIGHT_SOURCE_DIR, {"src", "templates", "search", "cost_model", "logs"})) {
    std::ifstream in(std::string(NESTWRIGHT_SOURCE_DIR) + "/" + file.path);
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_THAT(wildcards(text.str()), IsEmpty()) << file.path << " has a visitor that takes whatever is left: name it";
  }
}

}  // namespace
}  // namespace nestwright::house
