// What a self-test is made from: inputs that its C text makes again, and what the operator's reference says of some of
// the elements that are computed from them.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "templates/framework/template.h"

namespace nestwright {

/// An element of the output, by its number in row-major order: its value, and the largest absolute error that is right.
struct ExpectedElement {
  std::int64_t element;
  double value, bound;
};

struct SelfTestData {
  std::vector<ExpectedElement> expected;  ///< in order of their numbers
  /// The sum of all elements, each times twice its number plus 1, modulo 2^64; 0 unless the output is of integers,
  /// which are exact.
  std::uint64_t sum = 0;
};

/// All elements of outputs that have no more, and so many of larger ones.
inline constexpr std::int64_t kExpectedElements = 4096;

/// The data of an operator of constant shapes; runs its reference. Throws UsageError where it has several outputs.
SelfTestData make_self_test_data(const Workload& workload, const Definition& definition);

/// Numbers of the elements of a tensor of this shape that a self-test has values of, ascending. Of large tensors: the
/// corners, elements along all edges, and others at random, half of them near the end of some dimension, where tails
/// are.
std::vector<std::int64_t> choose_elements(const std::vector<std::int64_t>& shape);

/// The inputs of a self-test are drawn one after the other, element by element in memory, from this generator.
class SelfTestRandom {
 public:
  double uniform();            ///< in [-1, 1); xorshift after Marsaglia (J. Stat. Softw. 8(14), 2003)
  double draw(ir::Type type);  ///< an element; of bytes all are as likely

 private:
  std::uint64_t state_ = 88172645463325252u;
};

/// A C expression that draws an element in the same way.
std::string c_draw(ir::Type type);
/// A C expression: `element`, of the type, as a double.
std::string c_value(ir::Type type, const std::string& element);
/// The C functions that `text`, which c_draw() and c_value() are parts of, calls.
std::string c_functions_for(const std::string& text);

}  // namespace nestwright
