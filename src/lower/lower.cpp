#include "lower/lower.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "ir/fragments.h"
#include "ir/in_place.h"
#include "ir/simplify.h"
#include "ir/symbol_ranges.h"
#include "ir/verify.h"
#include "lower/expand_passes.h"
#include "lower/nest.h"
#include "lower/passes/barriers.h"
#include "lower/passes/double_buffer.h"
#include "lower/passes/launches.h"
#include "lower/passes/split_loops.h"
#include "support/error.h"
#include "target/gpu.h"

namespace nestwright {
namespace {

using ir::Stmt;

/// The first pass makes the loop nest of the schedule; those after it rewrite it.
constexpr const char* kNestPass = "nest";
struct Pass {
  const char* name;
  Stmt (*run)(const Stmt&, const ir::Ranges& symbols);
};
constexpr std::array kPasses = {
    Pass{"partition", [](const Stmt& s, const ir::Ranges&) { return split_loops(s); }},
    Pass{"simplify", [](const Stmt& s, const ir::Ranges& symbols) { return ir::simplify(s, symbols); }},
};
/// Only where something is double-buffered.
constexpr const char* kDoubleBufferPass = "double_buffer";
/// Where the schedule asks for it.
/// The last ones, on devices.
constexpr const char* kLaunchesPass = "launches";
constexpr const char* kBarriersPass = "barriers";

#ifdef NDEBUG
constexpr bool kAlwaysVerify = false;
#else
constexpr bool kAlwaysVerify = true;
#endif

/// The signature: buffers of the tensors, and which stage writes which of them.
struct Signature {
  std::vector<ir::Parameter> parameters;
  std::vector<ir::Var> symbols;
  std::vector<std::vector<ir::Buffer>> outputs;  ///< by stage and result; what NestBuilder::build takes
};

void collect_symbols(const ir::Expr& e, std::vector<ir::Var>& symbols) {
  ir::for_each_expr(e, [&](const ir::Expr& part) {
    const auto* ref = part.as<ir::VarRef>();
    if (ref == nullptr || std::find(symbols.begin(), symbols.end(), ref->var) != symbols.end()) return;
    symbols.push_back(ref->var);
  });
}

/// Symbols that only the operations themselves have: the length of a reduction, a scalar of a body.
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

constexpr int kStreamAlignment = 64;  // bytes: of a cache line, and of the longest vector

/// The buffer of an argument, in the caller's memory. What streams has to begin at a line of the cache.
Buffer parameter_buffer(const Arg& arg, bool is_output, bool streams, std::string_view name) {
  const Buffer& declared = arg.tensor.buffer();
  if (arg.strides.empty() && !streams) return declared;
  if (!is_output) {
    throw LowerError(
        fmt::format("{}: input {} cannot be strided here: give its strides to placeholder", name, arg.tensor.name()));
  }
  const int alignment = streams ? std::max(declared->alignment, kStreamAlignment) : declared->alignment;
  const std::vector<ir::Expr>& strides = arg.strides.empty() ? declared->strides : arg.strides;
  return {declared->name, declared->element, declared->shape, declared->scope, strides, alignment};
}

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
    const bool streams = std::any_of(state.stages.begin(), state.stages.end(), [&](const StageState& stage) {
      return stage.is_output && stage.streams && stage.origin.op() == arg.op();
    });
    const Buffer buffer = parameter_buffer(argument, is_output, streams, name);
    result.parameters.push_back({buffer, is_output ? ir::Role::kOutput : ir::Role::kInput});
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

void check_loops(const ScheduleState& state, const Target& target) {
  for (const StageState& stage : state.stages) {
    if (target.device != DeviceKind::kCpu && stage.attach.kind == AttachKind::kPrepared) {
      throw LowerError(fmt::format("{} is prepared, which is done for CPUs only, not for {}: compute it at root",
                                   stage.name, target.str()));
    }
    for (const auto& [loop, kind] : stage.kinds) {
      if (target.device == DeviceKind::kCpu && ir::is_bound(kind)) {
        throw LowerError(fmt::format("loop {} of {} is bound to {}, which {} does not have", loop.name(), stage.name,
                                     ir::loop_kind_name(kind), target.str()));
      }
      if (target.device != DeviceKind::kCpu && kind == ir::LoopKind::kParallel) {
        throw LowerError(
            fmt::format("loop {} of {} is parallel, which {} does not have: bind it to blockIdx or "
                        "threadIdx instead",
                        loop.name(), stage.name, target.str()));
      }
    }
    if (stage.scope == ir::Scope::kFragment && !has_matrix_products(target)) {
      throw LowerError(fmt::format("{} is kept in fragment scope, which {} does not have: use local scope", stage.name,
                                   target.str()));
    }
    if (target.device == DeviceKind::kCpu && stage.scope == ir::Scope::kShared) {
      throw LowerError(fmt::format("{} is kept in shared scope, which {} does not have: use local or global scope",
                                   stage.name, target.str()));
    }
  }
}

/// A program whose kernels are still to be filled.
ir::Program make_program(const ScheduleState& state, const Signature& signature, std::string_view name) {
  ir::Program program;
  program.name = name;
  program.parameters = signature.parameters;
  program.symbols = signature.symbols;
  program.requirements = state.requirements;
  return program;
}

/// What is double-buffered, by kernel.
using InTurns = std::vector<std::vector<std::vector<DoubleBuffered>>>;

/// A kernel for a call, and one for the preparation where there is one.
InTurns fill(ir::Program& program, const ScheduleState& state, const Signature& signature) {
  std::vector<StageGraph> graphs;
  graphs.reserve(state.stages.size());
  for (std::size_t s = 0; s < state.stages.size(); ++s) graphs.emplace_back(state, static_cast<int>(s));
  const Regions regions(state, graphs);
  Nests nests = NestBuilder(state, graphs, regions).build(signature.outputs, signature.symbols);
  program.host = ir::make_launch(0);
  program.kernels.push_back({program.name, std::move(nests.call.body)});
  InTurns in_turns{std::move(nests.call.double_buffered)};
  if (!nests.preparation.body.defined()) return in_turns;
  program.preparation = ir::make_launch(1);
  program.kernels.push_back({program.name + "_prepare", std::move(nests.preparation.body)});
  in_turns.push_back(std::move(nests.preparation.double_buffered));
  for (const ir::Buffer& buffer : nests.prepared) program.parameters.push_back({buffer, ir::Role::kPrepared});
  return in_turns;
}

bool accesses(const Stmt& body, const ir::Buffer& buffer) {
  bool found = false;
  ir::for_each_expr(body, [&](const ir::Expr& e) {
    const auto* load = e.as<ir::Load>();
    found = found || (load != nullptr && load->buffer == buffer);
  });
  ir::for_each_stmt(body, [&](const Stmt& s) {
    const auto* prefetch = s.as<ir::Prefetch>();
    found = found || (prefetch != nullptr && prefetch->buffer == buffer);
  });
  return found;
}

/// Inputs that only the preparation reads.
void find_constants(ir::Program& program) {
  for (ir::Parameter& parameter : program.parameters) {
    parameter.is_constant = parameter.role == ir::Role::kInput && program.preparation.defined() &&
                            accesses(program.kernels[1].body, parameter.buffer) &&
                            !accesses(program.kernels[0].body, parameter.buffer);
  }
}

/// Throws UnprovedError where what is computed is not shown to be sound however it is scheduled.
void verify_unscheduled(const ScheduleState& scheduled, const Args& args, std::string_view name) {
  const Schedule plain(scheduled.outputs);
  const Signature signature = make_signature(plain.state(), args, name);
  ir::Program program = make_program(plain.state(), signature, name);
  fill(program, plain.state(), signature);
  const std::vector<std::string> violations = ir::verify(program, ir::Form::kLoop);
  if (violations.empty()) return;
  throw UnprovedError(
      fmt::format("{}: {}: clamp the index, or select what lies inside", name, fmt::join(violations, "; ")));
}

void verify_after(const ir::Program& program, std::string_view pass, const ScheduleState& state, const Args& args) {
  const std::vector<std::string> violations = ir::verify(program, ir::Form::kLoop);
  if (violations.empty()) return;
  verify_unscheduled(state, args, program.name);
  throw InternalError(
      fmt::format("internal error: pass {} left {} unsound: {}", pass, program.name, fmt::join(violations, "; ")));
}

}  // namespace

ir::Program lower(const Schedule& schedule, const Args& args, const Target& target, std::string_view name,
                  const LowerOptions& options) {
  const ScheduleState& state = schedule.state();
  const Signature signature = make_signature(state, args, name);
  check_loops(state, target);

  ir::Program program = make_program(state, signature, name);
  using Clock = std::chrono::steady_clock;
  const auto run = [&](const char* pass, const auto& make) {
    const auto start = Clock::now();
    make();
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    if (options.after_pass) options.after_pass(pass, program, ns);
    // Before its barriers stand, what the threads of a block share looks like a race.
    const bool is_whole = target.device == DeviceKind::kCpu || pass == kBarriersPass;
    if (is_whole && (kAlwaysVerify || options.verify)) verify_after(program, pass, state, args);
  };
  InTurns in_turns;
  run(kNestPass, [&] { in_turns = fill(program, state, signature); });
  const ir::Ranges symbols = ir::ranges_of_symbols(program);
  for (const Pass& pass : kPasses) {
    run(pass.name, [&] {
      for (ir::Kernel& kernel : program.kernels) kernel.body = pass.run(kernel.body, symbols);
    });
  }
  if (std::any_of(in_turns.begin(), in_turns.end(), [](const auto& of_kernel) { return !of_kernel.empty(); })) {
    run(kDoubleBufferPass, [&] {
      for (std::size_t k = 0; k < in_turns.size(); ++k) {
        if (!in_turns[k].empty())
          program.kernels[k].body =
              double_buffer(program.kernels[k].body, in_turns[k], symbols, has_asynchronous_copies(target));
      }
    });
  }
  find_constants(program);
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    if (program.parameters[p].role == ir::Role::kOutput) {
      program.parameters[p].in_place_of = ir::find_in_place_input(program, static_cast<int>(p));
    }
  }
  if (target.device == DeviceKind::kCpu) return program;
  run(kLaunchesPass, [&] { program = split_launches(program, target); });
  if (const std::vector<std::string> problems = ir::check_fragments(program); !problems.empty()) {
    throw LowerError(fmt::format("{}: {}", name, problems.front()));
  }
  run(kBarriersPass, [&] {
    for (ir::Kernel& kernel : program.kernels) kernel.body = place_barriers(kernel.body);
  });
  return program;
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names = {kNestPass};
  for (const Pass& pass : kPasses) names.emplace_back(pass.name);
  names.emplace_back(kDoubleBufferPass);
  names.emplace_back(kLaunchesPass);
  names.emplace_back(kBarriersPass);
  for (const DeviceKind device : {DeviceKind::kCpu, DeviceKind::kCuda}) {
    for (std::string& name : expand_pass_names(device)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace nestwright
