// Judges a tensor expression that has no reference of its own: the expression is rebuilt in double precision with the
// bounds of its errors (double_program.h), compiled without a schedule, and run. Before its results are used, each of
// its tensors is compared with the interpreter of the IR on 1,024 elements (all where it has fewer), on inputs of wide
// magnitudes, for which the same program is compiled, on 64.
// Thread rule: pure functions; one call uses one core.
#pragma once

#include <vector>

#include "reference/judged_expr.h"
#include "templates/framework/template.h"

namespace nestwright {

/// The results for `inputs`, which have been rounded to the types of the definition. Throws UsageError where an output
/// is not a number, where it is larger than its type, where most bounds are infinite, and where the expression has no
/// bounds (double_program.h); InternalError where the compiled program and the interpreter disagree. Requires compact
/// tensors of constant shapes.
Reference judge_definition(const Definition& definition, const HostTensors& inputs,
                           Rounding rounding = Rounding::kWritten);

/// A tensor of a definition and its values in double.
struct JudgedValues {
  Tensor tensor;
  std::vector<double> values;
};

/// Compares `samples_of_each` elements of each computed tensor of `tensors`, given those that it reads, with the
/// interpreter. All tensors that the
/// computed ones read are among them. Throws InternalError, which names the tensor and the element, where one differs
/// by more than double precision explains.
void check_with_interpreter(const std::vector<JudgedValues>& tensors, std::int64_t samples_of_each);

}  // namespace nestwright
