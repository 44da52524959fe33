// Makes the inputs of a task's kernels and the results that they must have.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "measure/run/runner.h"
#include "nestwright/template.h"

namespace nestwright {

/// How long references may take that can be limited (templates/framework/template/limited_reference.h).
struct CheckEffort {
  double seconds = 5;        ///< for those of all inputs together
  std::string kept_in = {};  ///< the directory where references are kept (references_folder()); empty: they are not
};

/// The directory of the references of a database's workloads, which is beside it.
inline std::string references_folder(const std::string& database) { return database + "-judged"; }

/// Inputs drawn uniformly from the operator's ranges, by default [-1, 1], and rounded to the operator's types, the same
/// in every run of a workload, with the expected values and error bounds of the operator's reference. Throws
/// UsageError, which names the operator, if what its functions return is incomplete
/// (templates/framework/template/operator_data.h), or if the reference is NaN anywhere.
CheckData make_check_data(const Workload& workload, const CheckEffort& effort = {});

/// The same, with additional inputs: integers where the operator is exact on these, and large and small magnitudes
/// where its types have them. Operators with large checks (LargeChecks in nestwright/template.h) get
/// LargeData if the reference of one of these sets would take longer than a fifth of the effort, a second at most, or
/// their tensors have more than 2^22 elements.
CheckData make_strict_check_data(const Workload& workload, const CheckEffort& effort = {});

/// The inputs of make_check_data() alone: the elements of each in the order of memory. Throws UsageError for a range
/// that has no number of the type.
HostTensors uniform_inputs(const Workload& workload);

/// RunnerOptions::timeout_s where the calls of one check are given up after `calls_s` of CPU time per thread, but not
/// below the default: with the time for filling and comparing the tensors.
double check_limit_s(const Definition& definition, double calls_s);
/// The same for a kernel that nothing is known about: its calls may be slow.
double check_limit_s(const Task& task);

}  // namespace nestwright
