// Runs a program by the interpreter on small whole numbers, so that results are exact in every order of summation.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/core/program.h"
#include "lower/argument.h"

namespace nestwright::testing {

/// Element `index` of input number `input`.
inline float input_value(std::size_t input, std::size_t index) {
  return static_cast<float>((index * 7 + input * 3 + index / 5) % 11) - 5.0f;
}

/// The outputs, in order. Inputs are filled with input_value(). `symbols`: a value for each of the program's.
std::vector<std::vector<float>> run_program(const ir::Program& program, std::uint64_t seed = 1,
                                            const std::vector<std::int64_t>& symbols = {});

/// What the default schedule of `output` gives.
std::vector<std::vector<float>> run_unscheduled(const Tensor& output, const Args& args,
                                                const std::vector<std::int64_t>& symbols = {});

}  // namespace nestwright::testing
