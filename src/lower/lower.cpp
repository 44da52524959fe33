#include "nestwright/lower.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "ir/traversal/rewrite.h"
#include "lower/nest/signature.h"
#include "lower/passes.h"
#include "schedule/state/state.h"
#include "schedule/thread_reductions.h"
#include "target/description/gpu_target.h"

namespace nestwright {
namespace {

void check_loops(const ScheduleState& state, const Target& target) {
  for (const StageState& stage : state.stages) {
    if (target.device != DeviceKind::kCpu && stage.attach.kind == AttachKind::kPrepared) {
      throw LowerError(fmt::format("{} is prepared, which is done for CPUs only, not for {}: compute it at root",
                                   stage.name, target.str()));
    }
    for (const auto& [loop, kind] : stage.marked_loops()) {
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

/// Throws UnprovedError if the program cannot be proved sound even without a schedule.
void verify_unscheduled(const ScheduleState& scheduled, const Args& args, std::string_view name) {
  const Schedule plain(scheduled.outputs);
  const Signature signature = make_signature(plain.state(), args, name);
  const Target target;
  PassContext context{.target = target, .schedule = &plain.state(), .signature = &signature};
  const ir::Program program = passes::build_nest(make_program(plain.state(), signature, name), context);
  const std::vector<std::string> violations = ir::verify(program, ir::Form::kLoop);
  if (violations.empty()) return;
  throw UnprovedError(
      fmt::format("{}: {}: clamp the index, or select what lies inside", name, fmt::join(violations, "; ")));
}

/// Throws UnprovedError if proofs are all that fails, InternalError if the pass broke the program.
[[noreturn]] void refuse_unsound(const Pass& pass, const ir::Program& program, const ir::Violations& violations) {
  if (!violations.broken.empty()) {
    throw InternalError(fmt::format("internal error: pass {} left {} unsound: {}", pass.name, program.name,
                                    fmt::join(violations.broken, "; ")));
  }
  throw UnprovedError(
      fmt::format("{} is not proved to be sound under this schedule: {}: split and fuse the loop by other factors, or "
                  "leave it serial",
                  program.name, fmt::join(violations.unproved, "; ")));
}

/// Throws UsageError if the program has vectors or tensor instructions, which passes would take for loops and scalars.
void refuse_vector_form(const ir::Program& program) {
  const auto is_vector = [](const ir::Expr& e) { return e.lanes() > 1; };
  const auto is_instruction = [](const ir::Stmt& s) { return s.as<ir::TensorInstruction>() != nullptr; };
  for (const ir::Kernel& kernel : program.kernels) {
    if (!ir::any_expr(kernel.body, is_vector) && !ir::any_stmt(kernel.body, is_instruction)) continue;
    throw UsageError(fmt::format(
        "{} is in vector form already: expand and build take the loop form, which lower returns", program.name));
  }
}

}  // namespace

ir::Program lower(const Schedule& schedule, const Args& args, const Target& target, std::string_view name,
                  const LowerOptions& options) {
  check_loops(schedule.state(), target);
  std::optional<ScheduleState> replaced;
  if (has_thread_reductions(schedule.state())) replaced = rfactor_thread_reductions(schedule.state());
  const ScheduleState& state = replaced ? *replaced : schedule.state();
  const Signature signature = make_signature(state, args, name);
  PassContext context{.target = target, .schedule = &state, .signature = &signature};
  return run_passes(LoweringStage::kLoops, make_program(state, signature, name), context, options,
                    [&](const Pass& pass, const ir::Program& program, const ir::Violations& violations) {
                      verify_unscheduled(state, args, program.name);
                      refuse_unsound(pass, program, violations);
                    });
}

ir::Program expand(const ir::Program& program, const Target& target, const LowerOptions& options) {
  refuse_vector_form(program);
  PassContext context{.target = target};
  return run_passes(LoweringStage::kVectors, program, context, options, refuse_unsound);
}

}  // namespace nestwright
