#include "reference/host_run.h"

#include "expression/passed_shape.h"
#include "ir/interpret/interpret.h"
#include "kernel/build.h"
#include "lower/lower.h"
#include "measure/elements.h"
#include "runtime/array.h"
#include "schedule/schedule.h"
#include "support/error.h"

namespace nestwright {

std::vector<std::int64_t> constant_shape(const std::vector<Expr>& extents) {
  std::vector<std::int64_t> shape;
  for (const Expr& extent : extents) {
    const std::int64_t* const constant = ir::as_const_int(extent);
    check(constant != nullptr, "a tensor that is judged has a constant shape");
    shape.push_back(*constant);
  }
  return shape;
}

std::vector<std::vector<double>> run_unscheduled(const std::vector<Tensor>& inputs,
                                                 const std::vector<const std::vector<double>*>& values,
                                                 const std::vector<Tensor>& outputs, RunBy by) {
  std::vector<Tensor> args = inputs;
  args.insert(args.end(), outputs.begin(), outputs.end());
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < args.size(); ++i) {
    arrays.push_back(Array::empty(args[i].dtype(), constant_shape(passed_shape(args[i]))));
    if (i >= inputs.size()) continue;
    check(values[i]->size() == static_cast<std::size_t>(arrays[i].elements()), "an input has all of its elements");
    encode_elements(args[i].dtype(), *values[i], arrays[i].data());
  }
  Target target = Target::host();
  target.threads = 1;
  const ir::Program program = lower(create_schedule(outputs), args, target, "reference");
  if (by == RunBy::kCompiler) {
    std::vector<ArrayRef> references;
    for (Array& array : arrays) references.emplace_back(array);
    build(program, target).call(references);
  } else {
    std::vector<ir::Memory> memory;
    for (Array& array : arrays) memory.emplace_back(static_cast<std::byte*>(array.data()), array.size_bytes());
    ir::interpret(program, memory);
  }
  std::vector<std::vector<double>> results;
  for (std::size_t o = inputs.size(); o < args.size(); ++o) {
    std::vector<double>& result = results.emplace_back();
    for (std::int64_t e = 0; e < arrays[o].elements(); ++e) {
      result.push_back(element_at(args[o].dtype(), arrays[o].data(), e));
    }
  }
  return results;
}

}  // namespace nestwright
