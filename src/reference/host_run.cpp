#include "reference/host_run.h"

#include "measure/check/elements.h"
#include "nestwright/build.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "nestwright/tensor.h"
#include "reference/hoist_indices.h"
#include "reference/hoist_invariants.h"
#include "reference/plain_schedule.h"
#include "support/base/chunks.h"

namespace nestwright {

std::vector<double> doubles_of(const Array& array) {
  std::vector<double> values(static_cast<std::size_t>(array.elements()));
  for_chunks(values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      values[e] = element_at(array.type(), array.data(), static_cast<std::int64_t>(e));
    }
  });
  return values;
}

std::vector<Array> run_on_arrays(const std::vector<Tensor>& inputs, const std::vector<const Array*>& values,
                                 const std::vector<Tensor>& outputs, RunBy by) {
  check(inputs.size() == values.size(), "each input has its values");
  std::vector<Tensor> args = inputs;
  args.insert(args.end(), outputs.begin(), outputs.end());
  std::vector<Array> results;
  for (const Tensor& output : outputs) {
    results.push_back(Array::empty(output.dtype(), ir::constants_of(passed_shape(output))));
  }
  Target target = Target::host();
  const bool is_plain = by == RunBy::kAllCores;
  if (!is_plain) target.threads = 1;
  const Schedule schedule = is_plain ? plain_schedule(outputs) : create_schedule(outputs);
  const ir::Program program = lower(schedule, args, target, "reference");
  if (by != RunBy::kInterpreter) {
    std::vector<ArrayRef> references;
    for (const Array* value : values) references.emplace_back(*value);
    for (Array& result : results) references.emplace_back(result);
    build(program, target).call(references);
  } else {
    std::vector<ir::Memory> memory;
    for (const Array* value : values) {
      // The program does not write its inputs.
      memory.emplace_back(static_cast<std::byte*>(const_cast<void*>(value->data())), value->size_bytes());
    }
    for (Array& result : results) memory.emplace_back(static_cast<std::byte*>(result.data()), result.size_bytes());
    ir::interpret(hoist_invariants(hoist_indices(program)), memory);
  }
  return results;
}

std::vector<std::vector<double>> run_unscheduled(const std::vector<Tensor>& inputs,
                                                 const std::vector<const std::vector<double>*>& values,
                                                 const std::vector<Tensor>& outputs, RunBy by) {
  std::vector<Array> arrays;
  std::vector<const Array*> pointers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    arrays.push_back(Array::empty(inputs[i].dtype(), ir::constants_of(passed_shape(inputs[i]))));
    check(values[i]->size() == static_cast<std::size_t>(arrays[i].elements()), "an input has all of its elements");
    encode_elements(inputs[i].dtype(), *values[i], arrays[i].data());
  }
  for (const Array& array : arrays) pointers.push_back(&array);
  std::vector<std::vector<double>> results;
  for (const Array& result : run_on_arrays(inputs, pointers, outputs, by)) results.push_back(doubles_of(result));
  return results;
}

}  // namespace nestwright
