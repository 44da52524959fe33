// CMake's lists of sources have one source per line, sorted, so that two changes that each add one do not conflict.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns "PATH:LINE: what is wrong" for each line of `text` that breaks the rule.
std::vector<std::string> list_violations(const std::string& path, const std::string& text) {
  std::vector<std::string> violations;
  std::istringstream lines(text);
  std::string last;  // the source on the previous line, if it contains nothing else
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> sources;
    bool is_alone = true;
    for (std::string word; words >> word;) {
      while (word.ends_with(')')) word.pop_back();
      word.erase(0, word.find('(') + 1);
      const bool is_source = word.ends_with(".cpp") || word.ends_with(".c");
      if (is_source) sources.push_back(word);
      is_alone = is_alone && is_source;
    }
    const auto violated = [&](const std::string& what) {
      violations.push_back(fmt::format("{}:{}: {}", path, number, what));
    };
    if (sources.size() > 1) violated(fmt::format("{} and {} on one line", sources[0], sources[1]));
    const bool is_entry = is_alone && sources.size() == 1 && sources[0].front() != '$';
    if (is_entry && sources[0] < last) violated(fmt::format("{} behind {}", sources[0], last));
    last = is_entry ? sources[0] : "";
  }
  return violations;
}

TEST(CMakeLists, ViolationsAreFound) {
  EXPECT_THAT(list_violations("good", "f(name\n  SOURCES\n    a.cpp\n    b/a.cpp\n    b/c.c)\ng(\n  a.cpp)  # b.cpp\n"),
              IsEmpty());
  EXPECT_THAT(
      list_violations("bad", "f(name SOURCES a.cpp b.cpp)\nf(\n  b.cpp\n  a.cpp)\nadd_library(x a.c b.c)\n"),
      ElementsAre("bad:1: a.cpp and b.cpp on one line", "bad:4: a.cpp behind b.cpp", "bad:5: a.c and b.c on one line"));
}

TEST(CMakeLists, NameOneSourceALineSorted) {
  int files = 0;
  for (const char* folder : {"src", "templates", "search", "cost_model", "logs", "bench", "examples", "tests"}) {
    const std::filesystem::path root(NESTWRIGHT_SOURCE_DIR);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.path().filename() != "CMakeLists.txt") continue;
      ++files;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      EXPECT_THAT(list_violations(entry.path().lexically_relative(root).string(), text.str()), IsEmpty());
    }
  }
  EXPECT_GE(files, 40);
}

}  // namespace
}  // namespace nestwright::house
