// cache_read: copies a tensor; the given readers read the copy instead.
//
//   for i, j: C[i, j] = f(B[j])        ->      for x:    B.cache[x] = B[x]
//                                              for i, j: C[i, j] = f(B.cache[j])
//
// The copy is a stage before the first reader. It covers the whole tensor until it is attached to a loop.
//
// Preconditions:
//  1. The tensor is a placeholder or a stage of this schedule that was not inlined.
//  2. There is at least one reader, none is given twice, and each reads the tensor directly and does not prefetch it.
#include <fmt/format.h>

#include <algorithm>

#include "nestwright/error.h"
#include "schedule/primitives/primitive.h"
#include "schedule/state/stage_operations.h"

namespace nestwright {
namespace {

/// C[i, j] = tensor[i, j]
ComputeOp make_copy(const ScheduleState& state, const Tensor& tensor) {
  const int stage = find_stage(state, tensor);
  ComputeOp copy;
  std::vector<Expr> indices;
  for (int d = 0; d < tensor.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    const bool has_axis = stage >= 0 && state.stages[static_cast<std::size_t>(stage)].op.scan() == nullptr;
    std::string name = !has_axis ? fmt::format("ax{}", d)
                                 : state.stages[static_cast<std::size_t>(stage)].op.compute()->axes[at].name();
    copy.axes.emplace_back(std::move(name), Expr(0), tensor.shape()[at], AxisKind::kSpatial);
    indices.emplace_back(copy.axes.back());
  }
  copy.bodies = {tensor.at(std::move(indices))};
  return copy;
}

/// Names the readers that the caller may have meant: "; it is read by C.tile".
std::string other_readers(const ScheduleState& state, const Buffer& buffer) {
  std::string names;
  for (const StageState& stage : state.stages) {
    if (reads(*stage.op.compute(), buffer)) names += (names.empty() ? "" : ", ") + stage.name;
  }
  return names.empty() ? "; nothing does" : "; it is read by " + names;
}

}  // namespace

Tensor Schedule::cache_read(const Tensor& tensor, ir::Scope scope, const std::vector<Tensor>& readers) {
  ScheduleState& state = own_state();
  const std::string name = tensor.defined() ? tensor_name(state, tensor) : "";
  if (name.empty()) {
    throw ScheduleError("cache_read", tensor.defined() ? tensor.name() : "a tensor", "it is no part of this schedule");
  }
  const auto refuse = [&](const std::string& reason) { throw ScheduleError("cache_read", name, reason); };
  if (readers.empty()) refuse("no reader is named");
  const int source = find_stage(state, tensor);
  if (source >= 0) Primitive(state, "cache_read", tensor);  // refuses an inlined stage
  int first = static_cast<int>(state.stages.size());
  std::vector<std::string> arguments = {name, ir::scope_name(scope)};
  for (const Tensor& reader : readers) {
    const Primitive target(state, "cache_read", reader);
    const auto is_same = [&](const Tensor& other) { return other.defined() && other.op() == reader.op(); };
    if (std::count_if(readers.begin(), readers.end(), is_same) > 1)
      refuse(fmt::format("reader {} is named twice", target.stage().name));
    if (!reads(*target.stage().op.compute(), tensor.buffer())) {
      refuse(fmt::format("{} does not read it{}", target.stage().name, other_readers(state, tensor.buffer())));
    }
    for (const PrefetchNote& note : target.stage().prefetches) {
      if (note.tensor == tensor)
        refuse(fmt::format("{} prefetches it: prefetch the copy afterwards", target.stage().name));
    }
    first = std::min(first, target.index());
    arguments.push_back(target.stage().name);
  }

  const std::string cache_name = unique_name(state, name + ".cache");
  const Buffer result(cache_name, tensor.dtype(), tensor.shape(), scope);
  StageState cache = make_stage(cache_name, make_operation(state, cache_name, make_copy(state, tensor), {result}));
  cache.copy_of = tensor;
  const Tensor handle = cache.origin;
  insert_stage(state, first, std::move(cache));
  const auto load_cache = [&](const std::vector<Expr>& indices) { return ir::make_load(result, indices); };
  for (const Tensor& reader : readers) {
    const int index = find_stage(state, reader);
    const ComputeOp& reading = *state.stages[static_cast<std::size_t>(index)].op.compute();
    replace_operation(state, index, replace_loads(reading, tensor.buffer(), load_cache));
  }
  state.trace.append({"cache_read", std::move(arguments)});
  return handle;
}

}  // namespace nestwright
