// Makes the inputs of a task's kernels and the results that they must have.
// Thread rule: pure functions.
#pragma once

#include "measure/runner.h"
#include "templates/framework/template.h"

namespace nestwright {

/// Inputs drawn uniformly from the operator's ranges, by default [-1, 1], and rounded to the operator's types, the same
/// in every run of a workload, with the expected values and error bounds of the operator's reference. Throws
/// UsageError, which names the operator, if what its functions return is incomplete
/// (templates/framework/operator_data.h), or if the reference is not a number anywhere.
CheckData make_check_data(const Workload& workload);

/// How long the references of a task may take, on all cores, for each of its sets of inputs. It decides whether all
/// elements of a result have expected values.
struct ReferenceBudget {
  double seconds = 1;
};

/// The same, with additional inputs: whole numbers where the operator is exact on these, and large and small magnitudes
/// where its types have them. Operators with large checks (LargeChecks in templates/framework/template.h) get LargeData
/// if their reference would take longer than the budget, or their tensors more than 2^22 elements.
CheckData make_strict_check_data(const Workload& workload, const ReferenceBudget& budget = {});

}  // namespace nestwright
