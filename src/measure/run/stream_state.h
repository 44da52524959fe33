// Puts the data of a call into the state that they have between the layers of a network: inputs that the threads of the
// kernel have just written, and constants that are in no cache.
// Thread rule: one thread at a time; it uses the threads of the pool.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nestwright/kernel_abi.h"

namespace nestwright {

class StreamState {
 public:
  /// `written` must be writable; their contents do not change.
  StreamState(std::vector<std::span<std::byte>> written, std::vector<std::span<const std::byte>> evicted)
      : written_(std::move(written)), evicted_(std::move(evicted)) {}

  /// Each thread writes its contiguous share of the inputs, and evicts its share of the constants.
  void establish(const nestwright_parallel& loops) const;

 private:
  std::vector<std::span<std::byte>> written_;
  std::vector<std::span<const std::byte>> evicted_;
};

}  // namespace nestwright
