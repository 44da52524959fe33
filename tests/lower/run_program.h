// Runs programs in the interpreter on small integers, so that results are exact in every order of summation.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"

namespace nestwright::testing {

/// Element `index` of input number `input`.
inline float input_value(std::size_t input, std::size_t index) {
  return static_cast<float>((index * 7 + input * 3 + index / 5) % 11) - 5.0f;
}

/// The outputs, in order. Inputs are filled with input_value(); `symbols` has the value of each of the program's
/// symbols.
std::vector<std::vector<float>> run_program(const ir::Program& program, std::uint64_t seed = 1,
                                            const std::vector<std::int64_t>& symbols = {});

/// The results of the default schedule of `output`.
std::vector<std::vector<float>> run_unscheduled(const Tensor& output, const Args& args,
                                                const std::vector<std::int64_t>& symbols = {});

/// Expects the loop form and the vector form of `schedule` to give the results of the default schedule of `outputs`.
void expect_same_results(const Schedule& schedule, const std::vector<Tensor>& outputs, const Args& args);

}  // namespace nestwright::testing
