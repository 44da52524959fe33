// Makes the data of a self-test: pseudo-random inputs, which its C code generates again, and the operator's reference
// values for some elements of each output.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/template.h"

namespace nestwright {

/// An element of an output, by its number in row-major order: its value, and the largest absolute error allowed.
struct ExpectedElement {
  std::int64_t element;
  double value, bound;
};

/// The expected values of one output.
struct SelfTestData {
  std::vector<ExpectedElement> expected;  ///< in order of their numbers
};

/// About the largest number of expected elements of an output (templates/checking/choose_elements.h); a smaller output
/// has all of its elements.
inline constexpr std::int64_t kExpectedElements = 4096;

/// Computes the data of each output by the operator's reference; of an operator with large checks only the elements
/// that are kept, from inputs that are made where they are read. Requires constant shapes. Throws UsageError, which
/// names the operator, if the reference or the ranges are incomplete.
std::vector<SelfTestData> make_self_test_data(const Workload& workload, const Definition& definition);

/// Returns a C expression that draws an element as self_test_inputs() does.
std::string c_draw(ir::Type type, const std::optional<DataRange>& range);
/// Returns a C expression for `element`, of the type, as a double.
std::string c_value(ir::Type type, const std::string& element);
/// Returns the definitions of the C functions that `text` calls, which contains results of c_draw() and c_value().
std::string c_functions_for(const std::string& text);

}  // namespace nestwright
