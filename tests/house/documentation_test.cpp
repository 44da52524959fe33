// The loops in docs/language.md are the output of the examples.
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

/// Returns the blocks of the document that are fenced as loops.
std::vector<Lines> loop_blocks(const Lines& document) {
  std::vector<Lines> blocks;
  bool inside = false;
  for (const std::string& line : document) {
    if (line == "```loops") {
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

TEST(Documentation, ShowsLoopsAsTheExamplesPrintThem) {
  const std::filesystem::path root(NESTWRIGHT_SOURCE_DIR);
  const std::vector<Lines> blocks = loop_blocks(lines_of(root / "docs/language.md"));
  ASSERT_GE(blocks.size(), 20U);
  std::vector<Lines> printed;
  for (const auto& file : std::filesystem::directory_iterator(root / "examples/golden")) {
    printed.push_back(lines_of(file.path()));
  }
  for (const Lines& block : blocks) {
    ASSERT_FALSE(block.empty());
    const bool found =
        std::any_of(printed.begin(), printed.end(), [&](const Lines& text) { return occurs(block, text); });
    EXPECT_TRUE(found) << "no example prints the block that begins with: " << block[0];
  }
}

TEST(Documentation, MismatchedLoopsAreFound) {
  EXPECT_TRUE(occurs({"for i:", "  a"}, {"x", "  for i:", "    a"}));
  EXPECT_FALSE(occurs({"for i:", "  a"}, {"x", "  for i:", "   a"}));
  EXPECT_FALSE(occurs({"for i:", "  a"}, {"for i:", "  b"}));
}

}  // namespace
}  // namespace nestwright::house
