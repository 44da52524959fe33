// Where temporary tensors lie in one block of memory: those that are never needed at the same time share bytes.
// Thread rule: a pure function. Units: bytes.
#pragma once

#include <cstddef>
#include <vector>

namespace mnist {

/// A tensor that step `first` writes and that step `last` is the last to read.
struct Lifetime {
  std::size_t bytes = 0, first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< of each tensor
  std::size_t bytes = 0;             ///< of the block
};

/// The sizes of tensors are rounded up to cache lines, so that each begins at one.
MemoryPlan plan_memory(std::vector<Lifetime> tensors);

}  // namespace mnist
