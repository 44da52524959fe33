// The texts and the error messages that docs/expressions.md shows are those of the code.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "nestwright/lookup.h"
#include "nestwright/text_operator.h"
#include "text/expression.h"
#include "text/syntax/expression_error.h"

namespace nestwright {
namespace {

using Lines = std::vector<std::string>;

/// Returns the blocks of the document that are fenced as `language`, without the indentation of their fences.
std::vector<Lines> blocks_of(const std::string& language) {
  std::ifstream file(std::string(NESTWRIGHT_SOURCE_DIR) + "/docs/expressions.md");
  std::vector<Lines> blocks;
  bool is_inside = false;
  std::size_t indent = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    if (line.substr(first) == "```" + language) {
      blocks.emplace_back();
      is_inside = true;
      indent = first;
    } else if (line.substr(first).starts_with("```")) {
      is_inside = false;
    } else if (is_inside) {
      blocks.back().push_back(line.substr(std::min(indent, line.size())));
    }
  }
  return blocks;
}

TEST(ExpressionsDocument, TextsAreWorkloads) {
  const std::vector<Lines> blocks = blocks_of("expr");
  EXPECT_GE(blocks.size(), 4U);
  for (const Lines& texts : blocks) {
    for (const std::string& text : texts) {
      const Task task{workload_of(text), Target::parse("cpu,isa=avx2,threads=1")};
      EXPECT_NO_THROW(look_up(task, nullptr, "")) << text;
    }
  }
}

TEST(ExpressionsDocument, TheCanonicalTextIsThatOfTheFirstText) {
  const std::vector<Lines> canonical = blocks_of("canonical");
  ASSERT_EQ(canonical.size(), 1U);
  const std::string shown = canonical.front().front();
  EXPECT_EQ(text::Expression::parse(blocks_of("expr").front().front()).str(), shown);
  EXPECT_EQ(text::Expression::parse(shown).str(), shown);
}

TEST(ExpressionsDocument, ErrorsAreThoseOfTheCode) {
  const std::vector<Lines> blocks = blocks_of("error");
  EXPECT_FALSE(blocks.empty());
  for (const Lines& shown : blocks) {
    ASSERT_EQ(shown.size(), 3U) << "the message, the text and the mark below it";
    try {
      workload_of(shown[1].substr(2));
      ADD_FAILURE() << "not refused:" << shown[1];
    } catch (const text::ExpressionError& e) {
      EXPECT_EQ("nestwright: " + std::string(e.what()), shown[0]);
      EXPECT_EQ(e.excerpt(), shown[1] + "\n" + shown[2] + "\n");
    }
  }
}

}  // namespace
}  // namespace nestwright
