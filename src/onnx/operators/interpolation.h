// Where the elements of a resized dimension come from: places in the input, and their weights.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// One dimension that is resized, by the attributes of ONNX's Resize.
struct ResizedDimension {
  std::int64_t input = 1, result = 1;  ///< extents
  double scale = 1;                    ///< result / input, before the result is rounded to an integer
  double start = 0, end = 1;           ///< of the region of interest, in fractions of the input
  std::string mode;                    ///< "nearest", "linear" or "cubic"
  std::string nearest_mode;            ///< also "simple": that of opsets before 11
  std::string coordinates;             ///< coordinate_transformation_mode
  double cubic_coefficient = -0.75;
  bool excludes_outside = false;
  bool antialias = false;
};

/// Element y of the result is the sum of weights[y * taps + r] times element first[y] + r of the input, whose edges
/// continue outside of it.
struct Interpolation {
  std::int64_t taps = 1;
  std::vector<std::int64_t> first;
  std::vector<double> weights;  ///< empty: one tap whose weight is 1
  /// The elements of the result from the first to below the second are inside of the input; the others get the value of
  /// extrapolation.
  std::int64_t inside_begin = 0, inside_end = 0;
};

Interpolation interpolate(const ResizedDimension& dimension);

/// The index text that has these values for y = 0, 1, ...: "(3*y+1)/5"; nullopt if none of that form is found. The
/// slopes that are tried follow from the dimension.
std::optional<std::string> affine_index(const std::vector<std::int64_t>& values, const std::string& y,
                                        const ResizedDimension& dimension);

}  // namespace nestwright
