// The knobs of conv2d.winograd, and its seeds. Internal to templates/conv2d.
// Thread rule: plain data and pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/template.h"
#include "templates/conv2d/winograd_form.h"

namespace nestwright {

struct WinogradKnobs {
  std::int64_t tile = 2;
  bool filters_outer = false;  ///< blocks of filters run outside those of rows
  enum class Parallel : std::uint8_t { kNone, kBlocks, kImages } parallel = Parallel::kNone;
  std::int64_t block_rows = 1;     ///< of tiles
  std::int64_t block_filters = 1;  ///< whole vectors
  std::int64_t lanes = 1;
  std::int64_t rows = 1, second_rows = 0, vectors = 1;  ///< of the register tile; 0: no second segment
  std::int64_t unroll = 1;                              ///< channels
  std::int64_t prefetch = 0;                            ///< weights, in unrolled steps ahead; 0: none
  bool tiles_outer = false;  ///< in a block, the loop over tiles runs outside that over panels of weights
};

WinogradKnobs define_winograd_knobs(Tuning& t, const Convolution& convolution, const Target& target);

/// Partial configurations, the best guess first.
std::vector<Config> winograd_guesses(const Convolution& convolution, const Target& target);

}  // namespace nestwright
