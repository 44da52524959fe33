// The data of a task whose tensors are too large to be held in double, and whose results to be computed twice: its
// inputs are made in chunks, and of its output there are expected values of some elements and of sums over lines.
// Thread rule: values; the functions may be called by several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "nestwright/element_lines.h"

namespace nestwright {

/// The inputs of a checking call: integers, numbers in [-1, 1], or numbers of large and small magnitudes.
enum class InputSet : std::uint8_t { kIntegers, kUniform, kWide };
inline constexpr std::size_t kInputSets = 3;
inline constexpr std::size_t index_of(InputSet set) { return static_cast<std::size_t>(set); }

/// Vectors of weights: an error that the sums of one do not show is shown by the other.
inline constexpr std::size_t kWeightVectors = 2;

/// What is expected of an output for one set of inputs.
struct SampledReference {
  std::vector<double> expected, bound;  ///< for each sampled element
  /// For each vector of weights, and for each line, the sum of the line's elements, each times its weight, and its
  /// largest absolute error, infinite where there is none. No vectors: there are no sums for this set.
  std::vector<std::vector<double>> sums, bounds;
  std::vector<std::vector<double>> weights;  ///< as many vectors, each as long as a line
};

struct LargeData {
  std::vector<std::int64_t> places;  ///< of the sampled elements in the output's memory, ascending
  /// The lines of the output, which have all of its elements; between them, nothing may be written. Absent: there are
  /// sampled elements only.
  std::optional<ir::ElementLines> lines;
  double modulus = 0;  ///< what sums are compared modulo; 0: as they are
  bool has_integers = false, has_wide = false;
  /// Makes the elements of an input from `begin`, the start of a chunk (support/base/chunks.h), on, one for each of
  /// `values`.
  std::function<void(InputSet set, std::size_t input, std::size_t begin, std::span<double> values)> read_input;
  /// Computes what is expected for a set, from its inputs, which lie in memory in their types.
  std::function<SampledReference(InputSet set, std::span<const void* const> inputs)> reference;
};

}  // namespace nestwright
