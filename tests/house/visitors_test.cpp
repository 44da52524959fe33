// Visitors name the node kinds that they treat alike (ir/core/one_of.h), and a switch over one of our enumerations
// names every enumerator: a wildcard or a default would silently accept a new kind.
#include <gmock/gmock.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns the lines with an unnamed parameter of deduced type, which accepts any node and ignores it.
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

/// Returns the lines with a `default:` in a switch over one of our enumerations, whose enumerators are named kName.
std::vector<int> defaults(const std::string& text) {
  static const std::regex switch_line(R"(^( *)switch \()"), label(R"(^ *case ([A-Za-z_]+::)*k[A-Z]\w*:)"),
      default_label(R"(^( *)default:)");
  struct Switch {
    std::size_t indentation;
    bool is_ours = false;
    int default_line = 0;  // not reported yet; 0: none
  };
  std::vector<Switch> open;
  std::vector<int> found;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    const std::size_t indentation = line.find_first_not_of(' ');
    while (!open.empty() && indentation != std::string::npos && indentation <= open.back().indentation) open.pop_back();
    if (std::regex_search(line, match, switch_line)) open.push_back({indentation});
    if (open.empty()) continue;
    if (std::regex_search(line, label)) open.back().is_ours = true;
    if (std::regex_search(line, default_label)) open.back().default_line = number;
    if (open.back().is_ours && open.back().default_line > 0)
      found.push_back(std::exchange(open.back().default_line, 0));
  }
  return found;
}

std::string text_of(const SourceFile& file) {
  std::ifstream in(std::string(NESTWRIGHT_SOURCE_DIR) + "/" + file.path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
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
    EXPECT_THAT(wildcards(text_of(file)), IsEmpty())
        << file.path << " has a visitor with a wildcard: name the node kinds";
  }
}

TEST(Switches, ADefaultIsFound) {
  EXPECT_THAT(defaults("switch (op) {\n  case BinaryOp::kAdd:\n    return 1;\n  default:\n    return 0;\n}\n"),
              ElementsAre(4));
  EXPECT_THAT(defaults("  switch (op) {\n    case kAdd: {\n    }\n    default:\n      break;\n  }\n"), ElementsAre(4));
  EXPECT_THAT(defaults("switch (op) {\n  default:\n    break;\n  case kAdd:\n    break;\n}\n"), ElementsAre(2));
  EXPECT_THAT(defaults("switch (bits) {\n  case 8:\n    return 1;\n  default:\n    return 0;\n}\n"), IsEmpty());
  EXPECT_THAT(defaults("switch (op) {\n  case kAdd:\n    switch (bits) {\n      case 8:\n        break;\n"
                       "      default:\n        break;\n    }\n}\n"),
              IsEmpty());
}

TEST(Switches, NameEveryEnumerator) {
  for (const SourceFile& file :
       read_tree(NESTWRIGHT_SOURCE_DIR, {"src", "templates", "search", "cost_model", "logs", "bench"})) {
    EXPECT_THAT(defaults(text_of(file)), IsEmpty())
        << file.path << " has a default over an enumeration: name all enumerators";
  }
}

}  // namespace
}  // namespace nestwright::house
