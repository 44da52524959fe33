// Memory for tensors, with the same layout in every process: one mapping, each tensor starting on a page of its own, on
// small or huge pages. For cold caches there are several copies of all tensors, through which calls rotate.
// Thread rule: a Buffers object has one owner. Unit: bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/comparison/results/conditions.h"

namespace nestwright::bench {

/// The number of copies of `bytes` of tensors that calls rotate through: 1 for warm caches; else at least two, together
/// at least twice as large as the last cache, as CUTLASS's guide recommends.
std::int64_t copies_for(Caches caches, std::int64_t bytes, std::int64_t last_cache_bytes);

class Buffers {
 public:
  /// Allocates `copies` times all of `sizes`, filled with zeros. Throws Error where there is no memory, or where the
  /// kernel gave other pages than requested, since the comparison would then not be what it says.
  Buffers(const std::vector<std::int64_t>& sizes, std::int64_t copies, Pages pages);
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers();

  std::int64_t copies() const { return copies_; }
  /// The tensor whose size was number `tensor` of `sizes`.
  void* at(std::int64_t copy, std::size_t tensor) const;

 private:
  std::vector<std::int64_t> offsets_;  ///< of the tensors in a copy
  std::int64_t copy_bytes_ = 0, copies_ = 0, mapped_bytes_ = 0;
  char* mapping_ = nullptr;
  char* first_ = nullptr;  ///< aligned to a huge page
};

}  // namespace nestwright::bench
