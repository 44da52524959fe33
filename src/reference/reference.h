// Computes reference results of a tensor expression that has no reference of its own: the expression is rebuilt in
// double precision with bounds of its errors (double_program.h), compiled without a schedule but for vectors and tiles
// of reductions (host_run.h), and run. Before the results are used, each tensor is compared with the interpreter of the
// IR on 1,024 elements, or all if it has fewer; on 64 for inputs of wide magnitudes, for which the same program is
// compiled.
// Thread rule: pure functions; one call uses one core.
#pragma once

#include <vector>

#include "reference/judged_expr.h"
#include "templates/framework/template.h"

namespace nestwright {

/// Returns the results and bounds for `inputs`, which have been rounded to the types of the definition. Throws
/// UsageError if an element of an output is NaN or too large for its type, if one of another tensor is too large for
/// its type and outputs are wrong for that, if most elements or bounds are infinite, or if the expression has no bounds
/// (double_program.h); InternalError if the compiled program and the interpreter disagree. Requires compact tensors of
/// constant shapes.
Reference judge_definition(const Definition& definition, const HostTensors& inputs,
                           Rounding rounding = Rounding::kWritten);

/// A tensor of a definition and its values in double.
struct JudgedValues {
  Tensor tensor;
  std::vector<double> values;
};

/// Compares `samples_of_each` elements of each computed tensor of `tensors` with the interpreter, which computes them
/// from the values of the tensors that it reads. `tensors` must contain those, too. Throws InternalError, which names
/// the tensor and the element, if one differs by more than rounding in double precision explains.
void check_with_interpreter(const std::vector<JudgedValues>& tensors, std::int64_t samples_of_each);

}  // namespace nestwright
