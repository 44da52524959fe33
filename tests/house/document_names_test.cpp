// Every file, command, option and variable that the documents name exists.
#include "tests/house/document_names.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string read(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> documents() {
  const std::filesystem::path root(NESTWRIGHT_SOURCE_DIR);
  std::vector<std::filesystem::path> paths{root / "README.md", root / "CONTRIBUTING.md", root / "SECURITY.md",
                                           root / "logs/FORMAT.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  }
  return paths;
}

/// Returns the text of the sources, scripts and CMake files in the folders.
std::string text_of(const std::vector<std::string>& folders) {
  std::string all;
  const std::filesystem::path root(NESTWRIGHT_SOURCE_DIR);
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string ending = entry.path().extension();
      if (entry.is_regular_file() && ending != ".md" && !entry.path().string().ends_with("document_names_test.cpp")) {
        all += read(entry.path());
      }
    }
  }
  return all;
}

/// Returns the text of all files that may define an option or a variable.
std::string sources() {
  std::string all = text_of({"src", "templates", "search", "cost_model", "logs", "bench", "examples", "cmake",
                             "tests/support", "tests/property"});
  const std::filesystem::path root(NESTWRIGHT_SOURCE_DIR);
  for (const char* file : {"CMakeLists.txt", "CMakePresets.json", "check", "quickstart"}) all += read(root / file);
  return all;
}

/// Whether the text has the word, not only longer ones that begin with it.
bool has_word(std::string_view text, const std::string& word) {
  constexpr const char* kOfAWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (end == text.size() || std::string_view(kOfAWord).find(text[end]) == std::string_view::npos) return true;
  }
  return false;
}

/// Returns the words that begin with NESTWRIGHT_ and are a whole string of C++.
std::set<std::string> variables_in(std::string_view source) {
  constexpr std::string_view kBegin = "\"NESTWRIGHT_";
  std::set<std::string> variables;
  for (std::size_t at = source.find(kBegin); at != source.npos; at = source.find(kBegin, at + 1)) {
    const std::size_t begin = at + 1, end = source.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", begin);
    if (end != source.npos && source[end] == '"') variables.emplace(source.substr(begin, end - begin));
  }
  return variables;
}

TEST(DocumentNames, AreFoundInText) {
  const DocumentNames names = names_in(
      "Run `nestwright tune` with `--db FILE` (NESTWRIGHT_DB); see `src/cli/commands/tune.cpp`, `ir/` and `a/<name>`, "
      "not-this nor `include/x.h`.\n```\nnestwright query matmul --json\n`b/c`\n```\n");
  EXPECT_THAT(names.paths, ElementsAre("ir/", "src/cli/commands/tune.cpp"));
  EXPECT_THAT(names.commands, ElementsAre("query", "tune"));
  EXPECT_THAT(names.options, ElementsAre("--db", "--json"));
  EXPECT_THAT(names.variables, ElementsAre("NESTWRIGHT_DB"));
  EXPECT_TRUE(has_path(NESTWRIGHT_SOURCE_DIR, "ir/core/expr"));
  EXPECT_FALSE(has_path(NESTWRIGHT_SOURCE_DIR, "ir/no_such_file"));
  EXPECT_TRUE(has_word("a --foo-bar, --foo", "--foo"));
  EXPECT_FALSE(has_word("a --foo-bar, --food", "--foo"));
}

TEST(DocumentNames, Exist) {
  const std::string all = sources();
  std::set<std::string> paths;
  for (const std::filesystem::path& document : documents()) {
    const DocumentNames names = names_in(read(document));
    paths.insert(names.paths.begin(), names.paths.end());
    for (const std::string& path : names.paths) {
      EXPECT_TRUE(has_path(NESTWRIGHT_SOURCE_DIR, path)) << document << " names " << path;
    }
    for (const std::string& command : names.commands) {
      EXPECT_TRUE(has_path(NESTWRIGHT_SOURCE_DIR, "cli/commands/" + command))
          << document << " names the command " << command;
    }
    for (const std::set<std::string>& words : {names.options, names.variables}) {
      for (const std::string& word : words) {
        EXPECT_TRUE(has_word(all, word)) << document << " names " << word;
      }
    }
  }
  EXPECT_GE(paths.size(), 60U) << "the search finds too few names";
}

TEST(DocumentNames, VariablesOfTheProductAreDescribed) {
  EXPECT_THAT(variables_in("getenv(\"NESTWRIGHT_A\"); \"name NESTWRIGHT_B\" NESTWRIGHT_C \"NESTWRIGHT_D is\""),
              ElementsAre("NESTWRIGHT_A"));
  std::set<std::string> described;
  for (const std::filesystem::path& document : documents()) described.merge(names_in(read(document)).variables);
  for (const std::string& variable :
       variables_in(text_of({"src", "templates", "search", "cost_model", "logs", "bench"}))) {
    EXPECT_TRUE(described.contains(variable)) << "no document says what " << variable << " is";
  }
}

}  // namespace
}  // namespace nestwright::house
