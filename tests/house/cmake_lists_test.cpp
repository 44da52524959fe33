// CMake's lists of sources have one source per line, sorted, so that two changes that each add one do not conflict.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The names without extension of the sources in a folder.
using Stems = std::set<std::string>;

/// Splits the lines of a CMake file into words and recognises those that name sources: paths of sources and headers
/// (not patterns), and names in a list of foreach() or set() to which something else appends the extension.
class SourceReader {
 public:
  explicit SourceReader(const Stems& stems) : stems_(stems) {}

  struct Line {
    std::vector<std::string> sources;
    bool is_alone = true;  ///< whether nothing but sources is on the line
  };

  Line read(const std::string& text) {
    Line line;
    std::istringstream words(text.substr(0, text.find('#')));
    for (std::string word; words >> word;) {
      const bool begins_list = word.starts_with("foreach(") || word.starts_with("set(");
      const bool ends_list = word.ends_with(')');
      while (word.ends_with(')')) word.pop_back();
      word.erase(0, word.find('(') + 1);
      const bool is_source = !begins_list && (is_path(word) || (in_list_ && stems_.contains(word)));
      if (is_source) line.sources.push_back(word);
      line.is_alone = line.is_alone && is_source;
      in_list_ = (in_list_ || begins_list) && !ends_list;
    }
    return line;
  }

 private:
  static bool is_path(const std::string& word) {
    const std::string extension = std::filesystem::path(word).extension();
    return (extension == ".cpp" || extension == ".c" || extension == ".h") && word.find('*') == word.npos;
  }

  const Stems& stems_;
  bool in_list_ = false;  ///< of foreach() or set()
};

/// Returns "PATH:LINE: what is wrong" for each line of `text` that breaks the rule. `stems` are those of its folder.
std::vector<std::string> list_violations(const std::string& path, const std::string& text, const Stems& stems = {}) {
  std::vector<std::string> violations;
  std::istringstream lines(text);
  SourceReader reader(stems);
  std::string last;  // the source on the previous line, if it contains nothing else
  int number = 0;
  for (std::string text_of_line; std::getline(lines, text_of_line);) {
    ++number;
    const auto [sources, is_alone] = reader.read(text_of_line);
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

Stems stems_in(const std::filesystem::path& folder) {
  Stems stems;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string extension = entry.path().extension();
    if (extension == ".cpp" || extension == ".c") stems.insert(entry.path().stem());
  }
  return stems;
}

/// Returns CMakeLists.txt of the root, and CMake's files of all folders.
std::vector<std::filesystem::path> cmake_files(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> files{root / "CMakeLists.txt"};
  for (const char* folder :
       {"src", "templates", "search", "cost_model", "logs", "bench", "examples", "tests", "cmake", "python"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string name = entry.path().filename();
      if (name == "CMakeLists.txt" || name.ends_with(".cmake") || name.ends_with(".cmake.in")) {
        files.push_back(entry.path());
      }
    }
  }
  return files;
}

TEST(CMakeLists, ViolationsAreFound) {
  EXPECT_THAT(list_violations("good", "f(name\n  SOURCES\n    a.cpp\n    b/a.cpp\n    b/c.c)\ng(\n  a.cpp)  # b.cpp\n"),
              IsEmpty());
  EXPECT_THAT(
      list_violations("bad", "f(name SOURCES a.cpp b.cpp)\nf(\n  b.cpp\n  a.cpp)\nadd_library(x a.c b.c)\n"),
      ElementsAre("bad:1: a.cpp and b.cpp on one line", "bad:4: a.cpp behind b.cpp", "bad:5: a.c and b.c on one line"));
}

TEST(CMakeLists, HeadersAreSourcesAndPatternsAreNot) {
  EXPECT_THAT(list_violations("good", "file(GLOB all a/*.h b/*.cpp)\ninstall(FILES a.h)\nf(<map.h> <set.h>)\n"),
              IsEmpty());
  EXPECT_THAT(list_violations("bad", "install(FILES a.h b.h)\ninstall(FILES\n  b.h\n  a.cpp\n  DESTINATION x)\n"),
              ElementsAre("bad:1: a.h and b.h on one line", "bad:4: a.cpp behind b.h"));
}

TEST(CMakeLists, NamesOfSourcesInAListAreFound) {
  const Stems stems{"a", "b", "each"};
  EXPECT_THAT(
      list_violations("good", "foreach(each\n  a\n  b)\n  f(a b)\nendforeach()\nforeach(each A B)\nf(a b)\n", stems),
      IsEmpty());
  EXPECT_THAT(
      list_violations("bad", "foreach(each a b)\nforeach(each a\n  b other a)\nforeach(each\n  b\n  a)\nset(all a b)\n",
                      stems),
      ElementsAre("bad:1: a and b on one line", "bad:3: b and a on one line", "bad:6: a behind b",
                  "bad:7: a and b on one line"));
}

TEST(CMakeLists, NameOneSourceALineSorted) {
  const std::filesystem::path root(NESTWRIGHT_SOURCE_DIR);
  const std::vector<std::filesystem::path> files = cmake_files(root);
  for (const std::filesystem::path& file : files) {
    const std::string path = file.lexically_relative(root);
    EXPECT_THAT(list_violations(path, text_of(path), stems_in(file.parent_path())), IsEmpty());
  }
  EXPECT_GE(files.size(), 60U);
}

}  // namespace
}  // namespace nestwright::house
