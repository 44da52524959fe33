// Indices of channels as numbers of blocks and lanes.
#include "graph/layout/split_index.h"

#include <gtest/gtest.h>

#include "text/syntax/canonical.h"

namespace nestwright {
namespace {

/// "block | lane" of the index of X in a statement over g, 3, and c, 32; "none".
std::string split(const std::string& index, int block = 16) {
  const text::Program program = text::analyse(text::parse_source("Y[g,c]=X[" + index + "]?0;X:float32[4096] g=3 c=32"));
  const text::Stage& stage = program.stages[0];
  const std::optional<SplitIndex> parts =
      split_index(std::get<text::Access>(stage.body.value).indices[0], stage, block);
  return parts ? text::to_string(parts->block) + " | " + text::to_string(parts->lane) : "none";
}

TEST(SplitIndex, AnAxisAndMultiplesOfTheBlock) {
  EXPECT_EQ(split("c"), "c_block | c_lane");
  EXPECT_EQ(split("c+16"), "c_block+1 | c_lane");
  EXPECT_EQ(split("c-32"), "c_block-2 | c_lane");
  EXPECT_EQ(split("32*g+c"), "c_block+2*g | c_lane");
  EXPECT_EQ(split("c-16*g+48"), "c_block-g+3 | c_lane");
}

TEST(SplitIndex, ANumberIsInOneLane) {
  EXPECT_EQ(split("37"), "2 | 5");
  EXPECT_EQ(split("16*g+5"), "g | 5");
  EXPECT_EQ(split("16*g-1"), "g-1 | 15");
}

TEST(SplitIndex, OtherIndicesAreNotSplit) {
  EXPECT_EQ(split("c+1"), "none");
  EXPECT_EQ(split("2*c"), "none");
  EXPECT_EQ(split("c+g"), "none");
  EXPECT_EQ(split("g"), "none");  // three are no whole blocks
  EXPECT_EQ(split("c%16"), "none");
  EXPECT_EQ(split("c", 64), "none");
}

}  // namespace
}  // namespace nestwright
