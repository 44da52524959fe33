// Memory for tensors, laid out alike in every process: one mapping, each tensor on a page of its own, on small or huge
// pages. Where caches are to be cold there are several copies of all tensors, to go round over.
// Thread rule: a Buffers is memory with one owner. Units: bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/comparison/conditions.h"

namespace nestwright::bench {

/// How many copies of `bytes` of tensors calls go round over: 1 where caches are warm; else at least two, together at
/// least twice the last cache, as the guide of CUTLASS has it.
std::int64_t copies_for(Caches caches, std::int64_t bytes, std::int64_t last_cache_bytes);

class Buffers {
 public:
  /// `copies` times all of `sizes`, filled with zeros. Throws Error where there is no memory, and where the pages asked
  /// for are not those that came: then a comparison would not be what it says.
  Buffers(const std::vector<std::int64_t>& sizes, std::int64_t copies, Pages pages);
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers();

  std::int64_t copies() const { return copies_; }
  /// The tensor at the position that its size had.
  void* at(std::int64_t copy, std::size_t tensor) const;

 private:
  std::vector<std::int64_t> offsets_;  ///< of the tensors of one copy
  std::int64_t copy_bytes_ = 0, copies_ = 0, mapped_bytes_ = 0;
  char* mapping_ = nullptr;
  char* first_ = nullptr;  ///< on a huge page's boundary
};

}  // namespace nestwright::bench
