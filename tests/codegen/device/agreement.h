// Runs programs on an OpenCL device and compares the results with the interpreter's. Thread rule: one thread each.
#pragma once

#include <vector>

#include "nestwright/array.h"
#include "nestwright/program.h"

namespace nestwright::testing {

/// The comparison of results: by bits, with all NaNs equal, or within the accuracy that OpenCL states for its library.
enum class Compare { kBits, kNearly };

/// Fills with small integers, so that sums are exact.
void fill_with_digits(Array& array, unsigned shift);
/// Fills as fill() of element_data.h does.
void fill_with_interesting(Array& array, unsigned shift);

/// Expands and compiles the program, which is in loop form, for OpenCL and compares three runs: both forms in the
/// interpreter, and the object on the device. Inputs are filled by `fill_one`, each with another `shift`.
void expect_agreement(const ir::Program& program, const std::vector<std::int64_t>& symbols = {},
                      Compare compare = Compare::kBits,
                      void (*fill_one)(Array& array, unsigned shift) = fill_with_interesting);

}  // namespace nestwright::testing
