#include "reference/host_run.h"

#include <algorithm>

#include "expression/passed_shape.h"
#include "ir/core/linear.h"
#include "ir/core/rewrite.h"
#include "ir/interpret/interpret.h"
#include "kernel/build.h"
#include "lower/lower.h"
#include "measure/elements.h"
#include "reference/double_program.h"
#include "reference/hoist_indices.h"
#include "runtime/array.h"
#include "schedule/schedule.h"
#include "support/error.h"

namespace nestwright {

namespace {

constexpr int kRows = 4, kColumns = 64;  ///< so that their partial sums stay in the L1 cache

/// The number of reads that move by a row or more from one point of the axis to the next.
int distant_reads(const ComputeOp& op, const IterVar& axis) {
  int count = 0;
  for (const Expr& value : op.values()) {
    ir::for_each_expr(value, [&](const Expr& e) {
      const auto* const load = e.as<ir::Load>();
      if (load == nullptr || load->indices.empty()) return;
      const auto moves = [&](const Expr& index) { return ir::to_linear(index).coefficient(axis.var()) != 0; };
      count += std::any_of(load->indices.begin(), load->indices.end() - 1, moves) ? 1 : 0;
    });
  }
  return count;
}

/// Whether an index is read from a tensor. The verifier cannot follow such an index through the masks of vectors.
bool gathers(const ComputeOp& op) {
  const std::vector<Expr>& values = op.values();
  return std::any_of(values.begin(), values.end(), [](const Expr& value) {
    return ir::any_expr(value, [](const Expr& e) {
      const auto* const load = e.as<ir::Load>();
      return load != nullptr && std::any_of(load->indices.begin(), load->indices.end(), ir::reads_data);
    });
  });
}

/// Computes as many columns of a reduction side by side as a vector has lanes; or, if reads of several columns are
/// closer to one another than those of several terms, a tile of kRows x kColumns. The terms of each element keep their
/// order.
void compute_in_tiles(Schedule& schedule, const Operation& op, int lanes) {
  const ComputeOp* const compute = op.compute();
  if (op.scan() != nullptr || compute->reduction() == nullptr || compute->axes.empty() || gathers(*compute)) return;
  const std::vector<IterVar>& axes = compute->axes;
  const bool are_closer = distant_reads(*compute, compute->reduce_axes.back()) > distant_reads(*compute, axes.back());
  const bool fill_vectors = *ir::as_const_int(axes.back().extent()) >= lanes;
  if (!are_closer && !fill_vectors) return;
  Stage stage = schedule[Tensor(op)];
  std::vector<IterVar> loops, in_tile;
  const auto tile = [&](const IterVar& axis, int extent) {
    const auto [outer, inner] = stage.split(axis, factor(extent), Tail::guard());
    loops.push_back(outer);
    in_tile.push_back(inner);
  };
  if (are_closer && axes.size() > 1) tile(axes[axes.size() - 2], kRows);
  tile(axes.back(), are_closer ? kColumns : lanes);
  loops.insert(loops.end(), compute->reduce_axes.begin(), compute->reduce_axes.end());
  loops.insert(loops.end(), in_tile.begin(), in_tile.end());
  stage.reorder(loops);
  if (!fill_vectors) return;
  const IterVar columns = in_tile.back();
  stage.vectorize(are_closer ? stage.split(columns, factor(lanes), Tail::guard()).second : columns);
}

}  // namespace

std::vector<std::vector<double>> run_unscheduled(const std::vector<Tensor>& inputs,
                                                 const std::vector<const std::vector<double>*>& values,
                                                 const std::vector<Tensor>& outputs, RunBy by) {
  std::vector<Tensor> args = inputs;
  args.insert(args.end(), outputs.begin(), outputs.end());
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < args.size(); ++i) {
    arrays.push_back(Array::empty(args[i].dtype(), ir::constants_of(passed_shape(args[i]))));
    if (i >= inputs.size()) continue;
    check(values[i]->size() == static_cast<std::size_t>(arrays[i].elements()), "an input has all of its elements");
    encode_elements(args[i].dtype(), *values[i], arrays[i].data());
  }
  Target target = Target::host();
  target.threads = 1;
  Schedule schedule = create_schedule(outputs);
  if (by == RunBy::kCompiler) {
    for (const Operation& op : computes_of(outputs)) compute_in_tiles(schedule, op, target.lanes(kFloat64));
  }
  const ir::Program program = lower(schedule, args, target, "reference");
  if (by == RunBy::kCompiler) {
    std::vector<ArrayRef> references;
    for (Array& array : arrays) references.emplace_back(array);
    build(program, target).call(references);
  } else {
    std::vector<ir::Memory> memory;
    for (Array& array : arrays) memory.emplace_back(static_cast<std::byte*>(array.data()), array.size_bytes());
    ir::interpret(hoist_indices(program), memory);
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
