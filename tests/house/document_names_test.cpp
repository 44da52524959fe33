// Every file, command, option and variable that the documents name exists.
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct DocumentNames {
  /// In backquotes, with a slash; relative to the root of the tree or to src/, with or without the extension.
  std::set<std::string> paths;
  std::set<std::string> commands;   ///< "tune" for `nestwright tune`
  std::set<std::string> options;    ///< "--db"
  std::set<std::string> variables;  ///< "NESTWRIGHT_DB"
};

/// Returns the first group of each match.
std::set<std::string> first_groups(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::set<std::string> result;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
    result.insert(match->str(1));
  }
  return result;
}

std::string without_blocks(const std::string& text) {
  std::istringstream lines(text);
  std::string prose;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) inside = !inside;
    if (!inside) prose += line + "\n";
  }
  return prose;
}

/// Extracts the names from a document in Markdown. Code blocks are searched for commands, options and variables only.
/// Paths with placeholders (<name>, *), absolute paths and those of an installed tree (include/) are ignored.
DocumentNames names_in(const std::string& text) {
  DocumentNames names;
  names.paths =
      first_groups(without_blocks(text), "`(?!include/|NESTWRIGHT_)([A-Za-z_.][A-Za-z0-9_.-]*/[A-Za-z0-9_./-]*)`");
  names.commands = first_groups(text, "[`/\n]nestwright ([a-z]+)[ `]");
  names.options = first_groups(text, "(?:^|[^A-Za-z0-9_-])(--[a-z][a-z0-9-]*)");
  names.variables = first_groups(text, "\\b(NESTWRIGHT_[A-Z0-9_]*[A-Z0-9])");
  return names;
}

/// Whether the tree contains the file or folder.
bool has_path(const std::string& path) {
  for (const char* folder : {"/", "/src/", "/include/"}) {
    for (const char* ending : {"", ".h", ".cpp"}) {
      if (std::filesystem::exists(NESTWRIGHT_SOURCE_DIR + (folder + path) + ending)) return true;
    }
  }
  return false;
}

std::vector<std::string> documents() {
  std::vector<std::string> paths{"README.md", "CONTRIBUTING.md", "SECURITY.md", "logs/FORMAT.md"};
  const std::filesystem::path root(NESTWRIGHT_SOURCE_DIR);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") paths.push_back(std::filesystem::relative(entry.path(), root));
  }
  return paths;
}

/// Returns the text of the sources, scripts and CMake files in the folders.
std::string text_of_folders(const std::vector<std::string>& folders) {
  std::string all;
  const std::filesystem::path root(NESTWRIGHT_SOURCE_DIR);
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || entry.path().extension() == ".md") continue;
      all += text_of(std::filesystem::relative(entry.path(), root));
    }
  }
  return all;
}

/// Returns the text of all files that may define an option or a variable.
std::string definitions() {
  std::string all = text_of_folders({"include", "src", "templates", "search", "cost_model", "logs", "bench", "examples",
                                     "python", "cmake", "tests/support", "tests/property"});
  for (const char* file : {"CMakeLists.txt", "CMakePresets.json", "check", "quickstart"}) all += text_of(file);
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
std::set<std::string> variables_in(const std::string& source) {
  return first_groups(source, "\"(NESTWRIGHT_[A-Z_]*)\"");
}

TEST(DocumentNames, AreFoundInText) {
  const DocumentNames names = names_in(
      "Run `nestwright tune` with `--db FILE` (NESTWRIGHT_DB); see `src/cli/commands/tune.cpp`, `ir/` and `a/<name>`, "
      "not-this nor `include/x.h`.\n```\nnestwright query matmul --json\n`b/c`\n```\n");
  EXPECT_THAT(names.paths, ElementsAre("ir/", "src/cli/commands/tune.cpp"));
  EXPECT_THAT(names.commands, ElementsAre("query", "tune"));
  EXPECT_THAT(names.options, ElementsAre("--db", "--json"));
  EXPECT_THAT(names.variables, ElementsAre("NESTWRIGHT_DB"));
  EXPECT_TRUE(has_path("ir/core/expr"));
  EXPECT_FALSE(has_path("ir/no_such_file"));
  EXPECT_TRUE(has_word("a --foo-bar, --foo", "--foo"));
  EXPECT_FALSE(has_word("a --foo-bar, --food", "--foo"));
}

TEST(DocumentNames, Exist) {
  const std::string all = definitions();
  std::set<std::string> paths;
  for (const std::string& document : documents()) {
    const DocumentNames names = names_in(text_of(document));
    paths.insert(names.paths.begin(), names.paths.end());
    for (const std::string& path : names.paths) {
      EXPECT_TRUE(has_path(path)) << document << " names " << path;
    }
    for (const std::string& command : names.commands) {
      EXPECT_TRUE(has_path("cli/commands/" + command)) << document << " names the command " << command;
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
  for (const std::string& document : documents()) described.merge(names_in(text_of(document)).variables);
  for (const std::string& variable :
       variables_in(text_of_folders({"include", "src", "templates", "search", "cost_model", "logs", "bench"}))) {
    EXPECT_TRUE(described.contains(variable)) << "no document says what " << variable << " is";
  }
}

}  // namespace
}  // namespace nestwright::house
