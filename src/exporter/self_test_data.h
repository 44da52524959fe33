// Makes the data of a self-test: pseudo-random inputs, which its C code generates again, and the operator's reference
// values for some elements of each output.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "templates/framework/template.h"

namespace nestwright {

/// An element of an output, by its number in row-major order: its value, and the largest absolute error allowed.
struct ExpectedElement {
  std::int64_t element;
  double value, bound;
};

/// The expected values of one output.
struct SelfTestData {
  std::vector<ExpectedElement> expected;  ///< in order of their numbers
  /// The sum of all elements, each times (2 * its number + 1), modulo 2^64. Only of integers that are exact in double,
  /// without error bounds; absent for others.
  std::optional<std::uint64_t> sum;
};

/// The largest number of expected elements of an output; a smaller output has all of its elements.
inline constexpr std::int64_t kExpectedElements = 4096;

/// Computes the data of each output by the operator's reference. Requires constant shapes. Throws UsageError, which
/// names the operator, if the reference or the ranges are incomplete.
std::vector<SelfTestData> make_self_test_data(const Workload& workload, const Definition& definition);

/// Returns the numbers of the elements for which a self-test has values, ascending. For large tensors: the corners,
/// elements along all edges, and random ones, half of them near the end of some dimension, where tails are. Only random
/// ones if more than 11 dimensions have several elements, and half of the elements would not be enough for the corners.
std::vector<std::int64_t> choose_elements(const std::vector<std::int64_t>& shape);

/// The random generator of a self-test's inputs, which are drawn one after the other, each in the order of its elements
/// in memory.
class SelfTestRandom {
 public:
  double uniform();  ///< in [-1, 1); xorshift after Marsaglia (J. Stat. Softw. 8(14), 2003)
  /// Draws an element from the range if there is one, else from [-1, 1), or from all 8-bit values for integers.
  double draw(ir::Type type, const std::optional<DataRange>& range);

 private:
  std::uint64_t state_ = 88172645463325252u;
};

/// Returns a C expression that draws an element in the same way.
std::string c_draw(ir::Type type, const std::optional<DataRange>& range);
/// Returns a C expression for `element`, of the type, as a double.
std::string c_value(ir::Type type, const std::string& element);
/// Returns the definitions of the C functions that `text` calls, which contains results of c_draw() and c_value().
std::string c_functions_for(const std::string& text);

}  // namespace nestwright
