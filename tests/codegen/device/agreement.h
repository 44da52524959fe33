// Runs programs on an OpenCL device and holds the results against the interpreter's.
#pragma once

#include <vector>

#include "ir/core/program.h"
#include "runtime/array.h"

namespace nestwright::testing {

/// How results are compared: bit by bit, all NaN being one, or up to the accuracy that OpenCL states for its library.
enum class Compare { kBits, kNearly };

/// Small whole numbers, so that sums are exact.
void fill_with_digits(Array& array, unsigned shift);
/// As fill() of element_data.h.
void fill_with_interesting(Array& array, unsigned shift);

/// Expands and compiles the program, which is in loop form, for OpenCL and runs it three times: by the interpreter, the
/// vector form by the interpreter, and on the device. Inputs are filled by `fill_one`, each with another number.
void expect_agreement(const ir::Program& program, const std::vector<std::int64_t>& symbols = {},
                      Compare compare = Compare::kBits,
                      void (*fill_one)(Array& array, unsigned shift) = fill_with_interesting);

}  // namespace nestwright::testing
