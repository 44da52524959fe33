#include "nestwright/config_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "space/config_json.h"
#include "spaces.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using testing_spaces::packing;

Restriction restriction(const std::string& fixed, const std::vector<std::string>& only = {}) {
  Restriction made{Config::parse(fixed), {}};
  for (const std::string& condition : only) made.only.push_back(KnobCondition::parse(condition));
  return made;
}

std::string refusal(const std::string& fixed) {
  const ConfigSpace space = packing();
  const ConfigSpace* const spaces[] = {&space};
  return message<UsageError>([&] { check_restriction(restriction(fixed), spaces); });
}

TEST(Restriction, CountsAndSamplesStayWithin) {
  const Restriction within = restriction("rows=4 pack=yes", {"columns >= 2 and columns <= 3", "unroll == 1"});
  const ConfigSpace part = restrict_space(packing(), within);
  // columns=2 has the panels 2 to 8, columns=3 those from 3 on
  EXPECT_EQ(part.count_valid().points, 7 + 6);
  std::mt19937_64 random(1);
  for (int n = 0; n < 50; ++n) {
    const Config config = part.sample(random).value();
    EXPECT_TRUE(packing().is_valid(config)) << config.str();
    EXPECT_EQ(config.find("rows")->value, KnobValue{4});
    EXPECT_EQ(config.find("pack")->label, "yes");
    EXPECT_EQ(config.find("unroll")->value, KnobValue{1});
  }
}

TEST(Restriction, BranchesWithoutTheKnobAreLeftOut) {
  EXPECT_EQ(restrict_space(packing(), restriction("panel=8")).branches().size(), 1u);
  EXPECT_EQ(restrict_space(packing(), restriction("", {"panel >= 2"})).branches().size(), 1u);
  EXPECT_EQ(restrict_space(packing(), restriction("panel=8 pack=no")).branches().size(), 0u);
  EXPECT_EQ(restrict_space(packing(), restriction("panel=8 pack=no")).count_valid().points, 0);
}

TEST(Restriction, BranchesWhoseChoicesFulfilNoConditionAreLeftOut) {
  EXPECT_EQ(restrict_space(packing(), restriction("", {"pack == no"})).branches().size(), 1u);
  EXPECT_EQ(restrict_space(packing(), restriction("", {"pack == no or rows >= 1"})).branches().size(), 2u);
}

TEST(Restriction, OptionsAreFixedByTheirLabelsAlone) {
  // 1 is the index of yes in one template, and a number in the other one.
  const Knob numbers{"pack", KnobKind::kKnob, {{1}, {2}}, {}};
  const Knob powers{"pack", KnobKind::kAnnotate, {{0}, {1}}, {"1", "16"}};
  EXPECT_EQ(restrict_space(packing(), restriction("pack=1")).branches().size(), 0u);
  EXPECT_EQ(restrict_space(packing(), restriction("pack=[1]")).branches().size(), 0u);
  EXPECT_EQ(restrict_space(packing(), restriction("pack=yes")).branches().size(), 1u);
  EXPECT_EQ(restrict_space(ConfigSpace({{{numbers}, {}}}), restriction("pack=1")).branches().size(), 1u);
  EXPECT_EQ(restrict_space(ConfigSpace({{{powers}, {}}}), restriction("pack=16")).at(0).str(), "pack=16");
  EXPECT_EQ(refusal("pack=1"), "pack=1 is not a candidate of the knob 'pack'; its candidates are no, yes");
}

TEST(Restriction, NamesWhatThereIs) {
  EXPECT_EQ(refusal("rowz=4"),
            "there is no knob 'rowz'; did you mean 'rows'; the knobs are pack, rows, columns, unroll, panel");
  EXPECT_EQ(refusal("unroll=3"), "unroll=3 is not a candidate of the knob 'unroll'; its candidates are 1, 2, 4");
  EXPECT_EQ(refusal("pack=yess"),
            "pack=yess is not a candidate of the knob 'pack'; did you mean 'yes'; its candidates are no, yes");
}

TEST(Restriction, IsWrittenAsOnTheCommandLineAndAsJson) {
  const Restriction within = restriction("rows=4 pack=yes", {"columns >= 2"});
  EXPECT_EQ(within.str(), "--fix rows=4 --fix pack=yes --only \"columns >= 2\"");
  EXPECT_EQ(to_json(within), R"({"fix":{"rows":4,"pack":"yes"},"only":["columns >= 2"]})");
  EXPECT_EQ(to_json(Restriction()), "{}");
  EXPECT_EQ(to_json(Restriction(), "a.cpu"), R"({"template":"a.cpu"})");
}

}  // namespace
}  // namespace nestwright
