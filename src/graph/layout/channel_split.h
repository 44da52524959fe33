// Decides which axes and dimensions of an expression are divided where the channels of its tensors are blocked.
//
//   T[o,y,x]=sum(c,r,s,X[c,y+r,x+s]*W[o,c,r,s])      o, c;  X [c_block,y,x,c_lane], T [o_block,y,x,o_lane],
//                                                           W [o_block,c_block,r,s,c_lane,o_lane]
//
// An axis is divided if it indexes the channels of a blocked tensor. Then all dimensions that it indexes alone are
// divided. Lanes are the last dimension of a blocked tensor and of a constant, which is packed in advance; in another
// tensor they stay beside their blocks, so that a view leads to it.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "text/syntax/program.h"

namespace nestwright {

/// A dimension of a divided tensor: a dimension of the tensor in the file, or the blocks or the lanes of one.
struct DividedDimension {
  enum class Part : std::uint8_t { kWhole, kBlocks, kLanes } part = Part::kWhole;
  std::size_t of = 0;
};
/// The dimensions of a divided tensor, in order.
using DividedTensor = std::vector<DividedDimension>;

struct ChannelSplit {
  int block = 0;
  std::vector<std::set<std::string>> axes;       ///< that are divided, for each statement
  std::map<std::string, DividedTensor> tensors;  ///< all of the program
  /// Whether a sum multiplies a variable tensor with a constant that depends on the channels.
  bool is_convolution = false;
};

/// How to block the channels of all parameters that have blocks (graph/layout/blocked_shape.h), except constants.
/// nullopt if there is no such parameter, or if a channel is indexed otherwise than split_index() requires. Requires
/// that axes have different names in all statements.
std::optional<ChannelSplit> split_channels(const text::Program& program, const std::set<std::string>& constants,
                                           int block);

/// The shape of a divided tensor.
std::vector<std::int64_t> divided_shape(const DividedTensor& tensor, const std::vector<std::int64_t>& shape, int block);
/// Whether the divided tensor is a view of the tensor in the file.
bool is_view_of_file(const DividedTensor& tensor);

}  // namespace nestwright
