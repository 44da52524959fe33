#include "lower/nest/signature.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

void collect_symbols(const ir::Expr& e, std::vector<ir::Var>& symbols) {
  ir::for_each_expr(e, [&](const ir::Expr& part) {
    const auto* ref = part.as<ir::VarRef>();
    if (ref == nullptr || std::find(symbols.begin(), symbols.end(), ref->var) != symbols.end()) return;
    symbols.push_back(ref->var);
  });
}

/// Collects the symbols of an operation, such as the extent of a reduction or a scalar in a body.
void collect_symbols(const Operation& op, std::vector<ir::Var>& symbols) {
  const ComputeOp* compute = op.compute();
  if (compute == nullptr) return;
  std::vector<ir::Var> found;
  for (const std::vector<IterVar>* axes : {&compute->axes, &compute->reduce_axes}) {
    for (const IterVar& axis : *axes) {
      collect_symbols(axis.min(), found);
      collect_symbols(axis.extent(), found);
    }
  }
  for (const ir::Expr& body : compute->bodies) collect_symbols(body, found);
  const auto is_axis = [&](const ir::Var& var) {
    const auto same = [&](const IterVar& axis) { return axis.var() == var; };
    return std::any_of(compute->axes.begin(), compute->axes.end(), same) ||
           std::any_of(compute->reduce_axes.begin(), compute->reduce_axes.end(), same);
  };
  for (const ir::Var& var : found) {
    if (!is_axis(var) && std::find(symbols.begin(), symbols.end(), var) == symbols.end()) symbols.push_back(var);
  }
}

constexpr int kNonTemporalAlignment = 64;  // bytes: of a cache line, and of the longest vector

/// The buffer of an argument, in the caller's memory. One with non-temporal stores is aligned to a cache line.
Buffer parameter_buffer(const Arg& arg, bool is_output, bool is_non_temporal, std::string_view name) {
  const Buffer& declared = arg.tensor.buffer();
  if (arg.strides.empty() && !is_non_temporal) return declared;
  if (!is_output) {
    throw LowerError(
        fmt::format("{}: input {} cannot be strided here: give its strides to placeholder", name, arg.tensor.name()));
  }
  const int alignment = is_non_temporal ? std::max(declared->alignment, kNonTemporalAlignment) : declared->alignment;
  const std::vector<ir::Expr>& strides = arg.strides.empty() ? declared->strides : arg.strides;
  return {declared->name, declared->element, declared->shape, declared->scope, strides, alignment};
}

}  // namespace

Signature make_signature(const ScheduleState& state, const Args& args, std::string_view name) {
  Signature result;
  for (const StageState& stage : state.stages) {
    result.outputs.emplace_back(stage.is_output ? stage.origin.op()->results.size() : 0);
  }
  std::vector<Tensor> missing = state.inputs;
  missing.insert(missing.end(), state.outputs.begin(), state.outputs.end());
  for (const Arg& argument : args) {
    const Tensor& arg = argument.tensor;
    if (!arg.defined()) throw LowerError(fmt::format("{}: an argument is undefined", name));
    if (std::count_if(args.begin(), args.end(), [&](const Arg& other) { return other.tensor == arg; }) > 1) {
      throw LowerError(fmt::format("{}: tensor {} is handed over twice", name, arg.name()));
    }
    if (std::count(state.states.begin(), state.states.end(), arg) > 0) {
      throw LowerError(fmt::format("{}: {} is the state of a scan, which has its memory: leave it out of the arguments",
                                   name, arg.name()));
    }
    const bool is_output = std::count(state.outputs.begin(), state.outputs.end(), arg) > 0;
    if (!is_output && !arg.op().is_placeholder()) {
      throw LowerError(fmt::format(
          "{}: {} is neither an input nor an output of the schedule: leave it out of the arguments", name, arg.name()));
    }
    std::erase_if(missing, [&](const Tensor& other) { return other == arg; });
    const bool is_non_temporal = std::any_of(state.stages.begin(), state.stages.end(), [&](const StageState& stage) {
      return stage.is_output && stage.non_temporal && stage.origin.op() == arg.op();
    });
    const Buffer buffer = parameter_buffer(argument, is_output, is_non_temporal, name);
    result.parameters.push_back(
        {buffer, is_output ? ir::Role::kOutput : ir::Role::kInput, -1, false, arg.op()->passed_shape});
    for (const ir::Expr& extent : buffer->shape) collect_symbols(extent, result.symbols);
    for (const ir::Expr& stride : buffer->strides) collect_symbols(stride, result.symbols);
    for (std::size_t s = 0; is_output && s < state.stages.size(); ++s) {
      if (state.stages[s].is_output && state.stages[s].origin.op() == arg.op())
        result.outputs[s][static_cast<std::size_t>(arg.result())] = buffer;
    }
  }
  if (!missing.empty()) {
    throw LowerError(
        fmt::format("{}: tensor {} of the schedule is no argument: hand it over", name, missing[0].name()));
  }
  for (const StageState& stage : state.stages) collect_symbols(stage.op, result.symbols);
  for (const ir::Var& symbol : result.symbols) {
    if (symbol.type() == ir::Type{kIndex}) continue;
    throw LowerError(
        fmt::format("{}: symbol {} is {}, but a call gives symbols of type {} only: hand other values over "
                    "as a tensor",
                    name, symbol.name(), symbol.type().str(), ir::Type{kIndex}.str()));
  }
  return result;
}

ir::Program make_program(const ScheduleState& state, const Signature& signature, std::string_view name) {
  ir::Program program;
  program.name = name;
  program.parameters = signature.parameters;
  program.symbols = signature.symbols;
  program.requirements = state.requirements;
  return program;
}

}  // namespace nestwright
