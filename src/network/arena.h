// Places tensors that are needed at different times in one block of memory.
//
//   std::vector<ArenaTensor> tensors{{.bytes = 4096, .first = 0, .last = 1}, {.bytes = 4096, .first = 2, .last = 3}};
//   place_in_arena(tensors)      // 4096: both have the offset 0
//
// Thread rule: a pure function. Sizes and offsets are in bytes.
#pragma once

#include <cstddef>
#include <vector>

namespace nestwright {

/// A tensor that step `first` writes and step `last` is the last to read.
struct ArenaTensor {
  std::size_t bytes = 0;
  std::size_t first = 0, last = 0;
  std::size_t offset = 0;  ///< is set by place_in_arena(): a multiple of 64
};

/// Chooses the offsets, and returns the size of the block: larger tensors first, each in the smallest or the first gap
/// that holds it (Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020), in several
/// orders, of which the best one counts. The same in every run.
std::size_t place_in_arena(std::vector<ArenaTensor>& tensors);

/// The largest sum of the sizes, rounded up to multiples of 64, of tensors that are needed at one time.
std::size_t largest_live_bytes(const std::vector<ArenaTensor>& tensors);

}  // namespace nestwright
