#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/config_space.h"
#include "nestwright/error.h"
#include "spaces.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using testing_spaces::packing;

std::string refusal(const std::string& text) {
  return message<UsageError>([&] { packing().resolve(Config::parse(text)); });
}

TEST(Resolve, PutsValuesInAndKnobsInOrder) {
  const Config config = packing().resolve(Config::parse("unroll=2 panel=6 columns=3 pack=yes rows=2"));
  EXPECT_EQ(config.str(), "pack=yes rows=2 columns=3 unroll=2 panel=6");
  EXPECT_EQ(config.find("pack")->value, KnobValue{1});
  EXPECT_TRUE(packing().is_valid(config));
}

TEST(Resolve, ANumberIsTheNameOfAnOptionWhereOptionsAreNumbers) {
  std::vector<Branch> branches;
  for (const auto& [index, parts] : {std::pair(0, "1"), std::pair(1, "4"), std::pair(2, "16")}) {
    branches.push_back({{testing_spaces::option("y.parts", index, parts)}, {}});
  }
  const ConfigSpace space(branches);
  for (const char* parts : {"1", "4", "16"}) {
    const Config config = space.resolve(Config::parse(std::string("y.parts=") + parts));
    EXPECT_EQ(config.find("y.parts")->label, parts);
    EXPECT_EQ(space.resolve(Config::parse(config.str())), config);
  }
  EXPECT_THROW(space.resolve(Config::parse("y.parts=2")), UsageError) << "the position of 16";
}

TEST(Resolve, SaysWhatIsWrongAndWhatIsLegal) {
  EXPECT_EQ(refusal("rows=2 columns=3 unroll=1"), "the configuration lacks the knob 'pack'; give it one of no, yes");
  EXPECT_EQ(refusal("pack=yess rows=2 columns=3 unroll=1"),
            "pack=yess is not a candidate of the knob 'pack'; did you mean yes; its candidates are no, yes");
  EXPECT_EQ(refusal("pack=no rows=15 columns=3 unroll=1"),
            "rows=15 is not a candidate of the knob 'rows'; its candidates are 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, "
            "13, 14");
  EXPECT_EQ(refusal("pack=no rows=1 column=3 unroll=1"),
            "there is no knob 'column' under these choices; did you mean 'columns'; the knobs are pack, rows, columns, "
            "unroll");
  EXPECT_EQ(refusal("pack=no rows=1 columns=3 unroll=1 panel=2"),
            "there is no knob 'panel' under these choices; the knobs are pack, rows, columns, unroll");
  EXPECT_EQ(refusal("pack=no rows=1 columns=3"), "the configuration lacks the knob 'unroll'; give it one of 1, 2, 4");
}

TEST(WhyInvalid, NamesTheConstraintAndItsValues) {
  const ConfigSpace space = packing();
  EXPECT_EQ(space.why_invalid(Config::parse("pack=no rows=14 columns=2 unroll=1")), "");
  EXPECT_EQ(space.why_invalid(Config::parse("pack=no rows=14 columns=3 unroll=1")),
            "rows=14 columns=3: the register tile is larger than the register file");
  EXPECT_THAT(space.why_invalid(Config::parse("pack=maybe")), ::testing::HasSubstr("no, yes"));
  EXPECT_FALSE(space.is_valid(Config::parse("pack=no rows=14")));
  EXPECT_FALSE(space.is_valid(Config::parse("pack=no rows=1 columns=3 unroll=1 more=2")));
}

}  // namespace
}  // namespace nestwright
