#include "cost_model/knob_columns.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nestwright {
namespace {

ConfigSpace two_branches() {
  Branch plain, packed;
  plain.knobs = {{"pack", KnobKind::kChoice, {{0}}, {"no"}}, {"tile", KnobKind::kSplit, {{1, 8}, {2, 4}}, {}}};
  packed.knobs = {{"pack", KnobKind::kChoice, {{1}}, {"yes"}},
                  {"tile", KnobKind::kSplit, {{1, 8}, {2, 4}}, {}},
                  {"panel", KnobKind::kKnob, {{64}, {128}}, {}}};
  return ConfigSpace({plain, packed});
}

TEST(KnobColumns, UnionOfBranchesWithAColumnPerComponent) {
  const std::vector<ConfigSpace> spaces{two_branches()};
  EXPECT_EQ(KnobColumns(spaces).size(), 4u);  // pack, tile 0, tile 1, panel
}

TEST(KnobColumns, SizesAreLogarithmicChoicesArePositionsAndMissingKnobsAreNotANumber) {
  const std::vector<ConfigSpace> spaces{two_branches()};
  const KnobColumns columns(spaces);
  Config config;
  config.set("pack", {0}, "no");
  config.set("tile", {2, 4});
  Features features;
  columns.append(config, features);
  ASSERT_EQ(features.size(), 4u);
  EXPECT_FLOAT_EQ(features[0], 0);
  EXPECT_FLOAT_EQ(features[1], std::log2(3.0f));
  EXPECT_FLOAT_EQ(features[2], std::log2(5.0f));
  EXPECT_TRUE(std::isnan(features[3]));
}

}  // namespace
}  // namespace nestwright
