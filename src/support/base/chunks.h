// Splits work on the elements of large arrays into chunks, which several threads process.
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

/// The elements of a chunk. The calling thread alone processes an array that is no larger.
inline constexpr std::size_t kChunkElements = std::size_t{1} << 20;

/// Calls `f(begin, end)` once for each chunk of [0, n), in no particular order; the last chunk may be smaller. Returns
/// when all calls have ended.
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
