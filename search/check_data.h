// Inputs for a task and what its results are held against.
#pragma once

#include "measure/runner.h"
#include "templates/framework/template.h"

namespace nestwright {

/// Inputs uniform in [-1, 1], rounded to the operator's types, the same for every run of a workload; expected values
/// and error bounds from the operator's reference.
CheckData make_check_data(const Workload& workload);
/// The same, with inputs of whole numbers where the operator is exact on such, and with inputs of large and small
/// magnitudes where its types have such.
CheckData make_strict_check_data(const Workload& workload);

}  // namespace nestwright
