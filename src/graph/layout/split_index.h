// Divides an index of channels by the size of a block: which block, and which lane of it.
//
//   c, an axis of 64, in blocks of 16      c_block                 c_lane
//   32*g + c + 16                          c_block + 2*g + 1       c_lane
//   5                                      0                       5
//
// Thread rule: a pure function.
#pragma once

#include <optional>
#include <string>

#include "text/syntax/program.h"

namespace nestwright {

/// The names of the axes that an axis is divided into.
std::string block_axis(const std::string& axis);
std::string lane_axis(const std::string& axis);

/// index = size of a block * block + lane.
struct SplitIndex {
  text::Term block, lane;
  std::optional<std::string> axis;  ///< that is divided; nullopt: the lane is a number
};

/// nullopt unless the index is linear, at most one axis decides the lane, its extent is a multiple of the block, and
/// the rest is a multiple of the block, too.
std::optional<SplitIndex> split_index(const text::Term& index, const text::Stage& stage, int block);

}  // namespace nestwright
