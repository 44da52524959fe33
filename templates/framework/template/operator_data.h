// Calls the functions of an operator that give data: ranges, inputs and their reference. Operators may be those of a
// plugin or a program, so what is returned is held against the definition: numbers of inputs, ranges, tensors and
// elements. Each function throws UsageError, which names the operator, the function, and what is missing.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "templates/framework/template/limited_reference.h"

namespace nestwright {

/// Throws if the definition's number of inputs is negative or greater than that of its tensors. Parsed workloads have
/// passed this check; the other functions require it.
void check_definition(const Workload& workload, const Definition& definition);

/// Returns the operands that are the same in every call: those that the workload says are prepared or, if it names
/// none, those that the operator could prepare, which are the weights of a layer. Indices of the definition's tensors.
std::vector<std::size_t> constant_operands(const Workload& workload);

/// The ranges of the inputs' data, one for each input; absent: as Operator::ranges says.
std::vector<std::optional<DataRange>> input_ranges(const Workload& workload, const Definition& definition);

/// The reference for these inputs. Requires constant shapes, as the functions below do.
Reference reference_data(const Workload& workload, const Definition& definition, const HostTensors& inputs,
                         const ReferenceLimit& limit = {});

/// The operator's inputs of integers; no tensors if it has none.
HostTensors integer_input_data(const Workload& workload, const Definition& definition);

/// The operator's inputs of large and small magnitudes with their reference; no tensors if it has none.
CheckedInputs wide_input_data(const Workload& workload, const Definition& definition, const CheckedInputs& uniform,
                              const ReferenceLimit& limit = {});

}  // namespace nestwright
