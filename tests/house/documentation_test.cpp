// The loops in docs/ are what the examples print, and the code is what they run.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace nestwright::house {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  Lines lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Returns the blocks of the document that are fenced as `language`.
std::vector<Lines> blocks_of(const Lines& document, const std::string& language) {
  std::vector<Lines> blocks;
  bool inside = false;
  for (const std::string& line : document) {
    if (line == "```" + language) {
      blocks.emplace_back();
      inside = true;
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      blocks.back().push_back(line);
    }
  }
  return blocks;
}

/// Returns true if `text` contains the lines in sequence, all indented further by the same amount.
bool occurs(const Lines& block, const Lines& text) {
  for (std::size_t at = 0; at + block.size() <= text.size(); ++at) {
    if (text[at].size() < block[0].size()) continue;
    const std::string indent(text[at].size() - block[0].size(), ' ');
    const auto same = [&](const std::string& shown, const std::string& printed) {
      return printed == (shown.empty() ? "" : indent + shown);
    };
    if (std::equal(block.begin(), block.end(), text.begin() + static_cast<std::ptrdiff_t>(at), same)) return true;
  }
  return false;
}

std::filesystem::path root() { return NESTWRIGHT_SOURCE_DIR; }

/// Returns the lines of each file below `folder` that has this extension.
std::vector<Lines> files_of(const std::filesystem::path& folder, const std::string& extension) {
  std::vector<Lines> files;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() == extension) files.push_back(lines_of(file.path()));
  }
  return files;
}

/// Expects that each block of the document that is fenced as `language` occurs in one of the files.
void expect_all_occur(const std::string& document, const std::string& language, const std::vector<Lines>& files) {
  const std::vector<Lines> blocks = blocks_of(lines_of(root() / document), language);
  EXPECT_FALSE(blocks.empty()) << document;
  for (const Lines& block : blocks) {
    ASSERT_FALSE(block.empty()) << document;
    const bool found = std::any_of(files.begin(), files.end(), [&](const Lines& file) { return occurs(block, file); });
    EXPECT_TRUE(found) << document << " shows what no example has:\n" << fmt::format("{}", fmt::join(block, "\n"));
  }
}

TEST(Documentation, ShowsLoopsAsTheExamplesPrintThem) {
  const std::vector<Lines> printed = files_of(root() / "examples/golden", ".txt");
  expect_all_occur("docs/language.md", "loops", printed);
  expect_all_occur("docs/tutorial.md", "loops", printed);
}

TEST(Documentation, MismatchedBlocksAreFound) {
  EXPECT_TRUE(occurs({"for i:", "  a"}, {"x", "  for i:", "    a"}));
  EXPECT_FALSE(occurs({"for i:", "  a"}, {"x", "  for i:", "   a"}));
  EXPECT_FALSE(occurs({"for i:", "  a"}, {"for i:", "  b"}));
}

TEST(Documentation, ShowsCodeThatTheExamplesRun) {
  const std::vector<Lines> sources = files_of(root() / "examples", ".cpp");
  expect_all_occur("docs/language.md", "cpp", sources);
  expect_all_occur("docs/tutorial.md", "cpp", sources);
  expect_all_occur("docs/design/expressions.md", "cpp", sources);
  expect_all_occur("docs/design/schedules.md", "cpp", sources);
}

TEST(Documentation, DesignPagesAreShortAndWrapped) {
  constexpr std::size_t kMaxLines = 150, kMaxColumns = 120;
  int pages = 0;
  for (const auto& page : std::filesystem::directory_iterator(root() / "docs/design")) {
    const Lines lines = lines_of(page.path());
    EXPECT_LE(lines.size(), kMaxLines) << page.path();
    for (const std::string& line : lines) EXPECT_LE(line.size(), kMaxColumns) << page.path() << ": " << line;
    ++pages;
  }
  EXPECT_GE(pages, 10);
}

TEST(Documentation, TheVersionIsThatOfTheProject) {
  std::string version;
  for (const std::string& line : lines_of(root() / "CMakeLists.txt")) {
    constexpr std::string_view kProject = "project(nestwright VERSION ";
    if (line.starts_with(kProject))
      version = line.substr(kProject.size(), line.find(' ', kProject.size()) - kProject.size());
  }
  ASSERT_FALSE(version.empty());
  const auto has_line = [&](const char* file, const std::string& begin) {
    const Lines lines = lines_of(root() / file);
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(begin); });
  };
  EXPECT_TRUE(has_line("CITATION.cff", "version: " + version)) << version;
  EXPECT_TRUE(has_line("CHANGELOG.md", "## " + version)) << version;
}

TEST(Documentation, ShowsTheProjectThatTheInstalledPackageBuilds) {
  const std::string shown = "first_program", built = "own_operator";
  Lines project = lines_of(root() / "examples" / built / "CMakeLists.txt");
  for (std::string& line : project) {
    for (std::size_t at = 0; (at = line.find(built, at)) != line.npos;) line.replace(at, built.size(), shown);
  }
  expect_all_occur("docs/tutorial.md", "cmake", {project});
}

/// Returns the last cell of each row of the table whose header begins as given.
Lines last_cells(const Lines& document, const std::string& header) {
  Lines cells;
  const auto found =
      std::find_if(document.begin(), document.end(), [&](const std::string& line) { return line.starts_with(header); });
  for (auto line = found; line != document.end() && line->starts_with("|"); ++line) {
    const std::size_t end = line->rfind(" |"), begin = line->rfind(" | ", end - 1);
    if (line != found && !line->starts_with("|-")) cells.push_back(line->substr(begin + 3, end - begin - 3));
  }
  return cells;
}

/// Returns what stands between backquotes.
Lines code_in(const std::string& text) {
  Lines spans;
  for (std::size_t open = text.find('`'); open != text.npos;) {
    const std::size_t close = text.find('`', open + 1);
    spans.push_back(text.substr(open + 1, close - open - 1));
    open = close == text.npos ? close : text.find('`', close + 1);
  }
  return spans;
}

/// Returns whether the line has the code, in which "..." stands for anything.
bool has_code(const std::string& line, const std::string& code) {
  std::size_t at = 0;
  for (std::size_t begin = 0; begin <= code.size();) {
    const std::size_t end = std::min(code.find("...", begin), code.size());
    const std::string part = code.substr(begin, end - begin);
    const std::size_t found = line.find(part, at);
    if (found == line.npos) return false;
    at = found + part.size();
    begin = end + 3;
  }
  return true;
}

TEST(Documentation, CodeInLinesIsFound) {
  EXPECT_EQ(last_cells({"x", "| A | B |", "|---|---|", "| `a` | b, `c` |", "", "| d | e |"}, "| A "),
            (Lines{"b, `c`"}));
  EXPECT_EQ(code_in("`a`, then `b | c`"), (Lines{"a", "b | c"}));
  EXPECT_TRUE(has_code("x = f(i, [&] { return g(i); }, 1);", "f(i, [&] { return ...; }, 1)"));
  EXPECT_FALSE(has_code("x = f(i, [&] { return g(i); }, 2);", "f(i, [&] { return ...; }, 1)"));
}

TEST(Documentation, TheCallsBesideThoseOfTvmAreThoseOfExamples) {
  const std::vector<Lines> sources = files_of(root() / "examples", ".cpp");
  std::size_t calls = 0;
  for (const std::string& cell : last_cells(lines_of(root() / "docs/tutorial.md"), "| TVM |")) {
    for (const std::string& code : code_in(cell)) {
      if (code.starts_with("nestwright ") || code == "export") continue;  // commands, which another test checks
      ++calls;
      const bool is_found = std::any_of(sources.begin(), sources.end(), [&](const Lines& source) {
        return std::any_of(source.begin(), source.end(), [&](const std::string& line) { return has_code(line, code); });
      });
      EXPECT_TRUE(is_found) << "no example has " << code;
    }
  }
  EXPECT_GE(calls, 40U);
}

}  // namespace
}  // namespace nestwright::house
