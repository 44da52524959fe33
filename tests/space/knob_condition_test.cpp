#include "nestwright/config_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "spaces.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using testing_spaces::packing;

std::string refusal(const std::string& text, const ConfigSpace& space = packing()) {
  return message<UsageError>([&] {
    std::vector<const Branch*> branches;
    for (const Branch& branch : space.branches()) branches.push_back(&branch);
    KnobCondition::parse(text).check(branches);
  });
}

/// Three branches: `order` has two parts, two parts and three parts, `unroll` has options, options and numbers, and
/// `rows` is in the last one only.
ConfigSpace mixed_forms() {
  const Knob pair{"order", KnobKind::kReorder, {{0, 1}, {1, 0}}, {}};
  const Knob triple{"order", KnobKind::kReorder, {{0, 1, 2}, {2, 1, 0}}, {}};
  const Knob options{"unroll", KnobKind::kAnnotate, {{0}, {1}}, {"no", "yes"}};
  const Knob more_options{"unroll", KnobKind::kAnnotate, {{0}, {1}}, {"no", "all"}};
  const Knob counts{"unroll", KnobKind::kKnob, {{1}, {2}, {4}}, {}};
  return ConfigSpace({{{pair, options}, {}},
                      {{pair, more_options}, {}},
                      {{triple, counts, testing_spaces::numbers("rows", 1, 4)}, {}}});
}

/// The numbers of the branches of mixed_forms() in which the condition has a meaning.
std::vector<int> fitting(const std::string& text) {
  const ConfigSpace space = mixed_forms();
  std::vector<int> found;
  for (int b = 0; b < 3; ++b) {
    if (KnobCondition::parse(text).over(space.branches()[static_cast<std::size_t>(b)])) found.push_back(b);
  }
  return found;
}

/// Whether the condition holds for this many rows and columns of an unpacked product, unrolled twice.
bool holds(const std::string& text, std::int64_t rows, std::int64_t columns) {
  Branch branch = packing().branches().front();
  const Constraint constraint = KnobCondition::parse(text).over(branch).value();
  std::vector<KnobValue> values;
  for (const std::string& knob : constraint.knobs) {
    values.push_back(knob == "rows" ? KnobValue{rows} : knob == "columns" ? KnobValue{columns} : KnobValue{0});
  }
  return constraint.holds(values);
}

TEST(KnobCondition, ComparesSumsAndProducts) {
  EXPECT_TRUE(holds("rows * columns <= 12", 4, 3));
  EXPECT_FALSE(holds("rows * columns <= 12", 4, 4));
  EXPECT_TRUE(holds("rows + 2 * columns == 10", 4, 3));
  EXPECT_TRUE(holds("rows - (columns - 1) > 1", 4, 3));
  EXPECT_FALSE(holds("rows - columns - 1 > 1", 4, 3));
  EXPECT_TRUE(holds("-rows < -3", 4, 3));
  EXPECT_TRUE(holds("rows[0] != columns", 4, 3));
}

TEST(KnobCondition, DividesAndTakesRemainders) {
  EXPECT_TRUE(holds("rows % 4 == 0 and columns % 4 == 3", 8, 7));
  EXPECT_FALSE(holds("rows % 4 == 0", 7, 3));
  EXPECT_TRUE(holds("rows / 2 * 2 == 6 and rows - 8 / columns == 5", 7, 3));
  EXPECT_TRUE(holds("2 * rows % 3 == 2 and rows % columns / 2 == 0", 4, 3)) << "from the left";
  EXPECT_TRUE(holds("(3 - rows) / 2 == -2 and (3 - rows) % 2 == 1", 6, 1)) << "towards minus infinity";
  for (const char* comparison : {"==", "!=", "<", "<=", ">", ">="}) {
    for (const char* op : {"/", "%"}) {
      EXPECT_FALSE(holds("rows " + std::string(op) + " (columns - 3) " + comparison + " 1", 4, 3)) << "divided by 0";
    }
  }
  EXPECT_EQ(refusal("rows % 0 == 1"), "condition 'rows % 0 == 1', character 8: the divisor is 0");
}

TEST(KnobCondition, AndBindsMoreTightlyThanOr) {
  EXPECT_TRUE(holds("rows == 4 or rows == 5 and columns == 9", 4, 3));
  EXPECT_FALSE(holds("(rows == 4 or rows == 5) and columns == 9", 4, 3));
}

TEST(KnobCondition, ComparesOptionsByName) {
  EXPECT_TRUE(holds("pack == no", 1, 1));
  EXPECT_FALSE(holds("yes == pack", 1, 1));
  EXPECT_TRUE(holds("pack != yes and rows >= 1", 1, 1));
}

TEST(KnobCondition, KnobsOfStagesHaveADotAndOptionsMayBeginWithADigit) {
  const Branch branch{
      {testing_spaces::numbers("C.rows", 1, 4), {"tile", KnobKind::kAnnotate, {{0}, {1}}, {"2x2", "4x4"}}}, {}};
  const Constraint constraint = KnobCondition::parse("C.rows[0] * 2 <= 4 and tile == 4x4").over(branch).value();
  const auto holds_for = [&](std::int64_t rows, std::int64_t tile) {
    std::vector<KnobValue> values;
    for (const std::string& knob : constraint.knobs) values.push_back({knob == "tile" ? tile : rows});
    return constraint.holds(values);
  };
  EXPECT_TRUE(holds_for(2, 1));
  EXPECT_FALSE(holds_for(3, 1));
  EXPECT_FALSE(holds_for(2, 0));
}

TEST(KnobCondition, ABranchWithoutTheKnobHasNoConstraint) {
  const ConfigSpace space = packing();
  const KnobCondition condition = KnobCondition::parse("panel >= 4");
  EXPECT_FALSE(condition.over(space.branches()[0]).has_value());
  EXPECT_EQ(condition.over(space.branches()[1])->reason, "the condition 'panel >= 4' does not hold");
}

TEST(KnobCondition, ABranchInWhichItHasNoMeaningIsLeftOut) {
  using ::testing::ElementsAre;
  for (const char* text : {"order[2] == 2", "unroll <= 4", "unroll + rows == 5", "unroll != 1"}) {
    EXPECT_EQ(refusal(text, mixed_forms()), "accepted") << text;
    EXPECT_THAT(fitting(text), ElementsAre(2)) << text;
  }
  for (const char* text : {"unroll == yes", "all != unroll"}) {
    EXPECT_EQ(refusal(text, mixed_forms()), "accepted") << text;
    EXPECT_THAT(fitting(text), ElementsAre(0, 1)) << text;
  }
  EXPECT_EQ(refusal("order[1] == 1", mixed_forms()), "accepted");
  EXPECT_THAT(fitting("order[1] == 1"), ElementsAre(0, 1, 2));
  EXPECT_THAT(fitting("order == 1"), ElementsAre()) << "a knob of several parts is no number";
}

TEST(KnobCondition, WhatNoBranchHasIsRefusedWithWhatTheyHave) {
  const ConfigSpace space = mixed_forms();
  EXPECT_EQ(refusal("order[3] == 2", space),
            "condition 'order[3] == 2', character 1: the knob 'order' has 2 or 3 parts, numbered from 0");
  EXPECT_EQ(refusal("order == 2", space),
            "condition 'order == 2', character 1: the knob 'order' has 2 or 3 parts: write order[0] to order[2]");
  EXPECT_EQ(refusal("unroll == maybe", space),
            "condition 'unroll == maybe', character 11: 'maybe' is no option of the knob 'unroll'; its options are no, "
            "yes, all, and in other branches it is a number");
  EXPECT_EQ(refusal("unroll[1] == 2", space),
            "condition 'unroll[1] == 2', character 1: the knob 'unroll' has 1 part, number 0");
  const ConfigSpace options_alone({space.branches()[0], space.branches()[1]});
  EXPECT_EQ(refusal("unroll <= 4", options_alone),
            "condition 'unroll <= 4', character 1: the knob 'unroll' has options, not numbers: compare it by == or != "
            "with one of no, yes, all");
}

TEST(KnobCondition, ErrorsPointAtTheCharacter) {
  EXPECT_EQ(refusal("rows <="), "condition 'rows <=', character 8 (its end): expected a number, a knob or '('");
  EXPECT_EQ(refusal(""), "condition '', character 1 (its end): expected a number, a knob or '('");
  EXPECT_EQ(refusal("rows = 4"), "condition 'rows = 4', character 6: equality is written ==");
  EXPECT_EQ(refusal("rows <= 4 columns"),
            "condition 'rows <= 4 columns', character 11: expected an operator, 'and', 'or' or the end");
  EXPECT_EQ(refusal("rows * 4"), "condition 'rows * 4', character 6: expected a comparison, such as tile <= 64");
  EXPECT_EQ(refusal("(rows <= 4"), "condition '(rows <= 4', character 11 (its end): expected ')'");
  EXPECT_EQ(refusal("rows[x] <= 4"),
            "condition 'rows[x] <= 4', character 6: expected the number of a part, as in tile[1]");
  EXPECT_EQ(
      refusal("(rows < 4) + 1 > 2"),
      "condition '(rows < 4) + 1 > 2', character 7: a comparison is no number: join comparisons by 'and' or 'or'");
  EXPECT_EQ(refusal("rows < 99999999999999999999"),
            "condition 'rows < 99999999999999999999', character 8: the number is too large");
  EXPECT_EQ(refusal("1 < 2"), "condition '1 < 2', character 1: it names no knob");
  EXPECT_THAT(refusal(std::string(100'000, '(')), ::testing::HasSubstr("it is nested too deeply"));
  std::string sum = "rows";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  EXPECT_THAT(refusal(sum + " > 0"), ::testing::HasSubstr("it has too many operators"));
}

TEST(KnobCondition, NamesTheKnobsAndOptionsThatThereAre) {
  EXPECT_EQ(refusal("row <= 4"),
            "condition 'row <= 4', character 1: there is no knob 'row'; did you mean 'rows'; the knobs are pack, rows, "
            "columns, unroll, panel");
  EXPECT_EQ(refusal("pack == maybe"),
            "condition 'pack == maybe', character 9: 'maybe' is no option of the knob 'pack'; its options are no, yes");
  EXPECT_EQ(refusal("pack <= 1"),
            "condition 'pack <= 1', character 1: the knob 'pack' has options, not numbers: compare it by == or != with "
            "one of no, yes");
  EXPECT_EQ(refusal("rows[1] <= 4"), "condition 'rows[1] <= 4', character 1: the knob 'rows' has 1 part, number 0");
}

}  // namespace
}  // namespace nestwright
