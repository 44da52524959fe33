// Work on the elements of large arrays, several parts at a time.
//
//   for_chunks(values.size(), [&](std::size_t begin, std::size_t end) {
//     for (std::size_t i = begin; i < end; ++i) values[i] *= 2;
//   });
//
// Thread rule: any number of threads may call for_chunks, which calls the function from several threads at once.
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>

namespace nestwright {

/// Elements of a chunk; arrays of no more are worked on by the calling thread alone.
inline constexpr std::size_t kChunkElements = std::size_t{1} << 20;

/// Calls `f(begin, end)` for consecutive parts of [0, n), which have kChunkElements elements, the last one perhaps
/// fewer.
template <typename Function>
void for_chunks(std::size_t n, const Function& f) {
  if (n <= kChunkElements) {
    if (n > 0) f(std::size_t{0}, n);
    return;
  }
  tbb::parallel_for(std::size_t{0}, (n + kChunkElements - 1) / kChunkElements,
                    [&](std::size_t chunk) { f(chunk * kChunkElements, std::min((chunk + 1) * kChunkElements, n)); });
}

}  // namespace nestwright
