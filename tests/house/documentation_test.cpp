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
}

}  // namespace
}  // namespace nestwright::house
