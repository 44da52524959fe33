// inline_cheap: a stage that is read about once a point, or costs next to nothing, is computed where it is read.
//
//   for i: T[i] = A[i] + 1.0
//   for i: C[i] = T[i]*2.0         ->      for i: C[i] = (A[i] + 1.0)*2.0
//
// Not inlined are reductions, copies that make elements adjacent which a reduction reads repeatedly, padding that a
// reduction reads (a branch in its innermost loop), stages that a reduction reads repeatedly, and expensive ones, such
// as exp, that are read more often than they have points. For an expensive stage with several readers, inlining is a
// choice. A large stage that several reads would repeat is stored, too: in a chain of stages that read their producers
// twice, as B[i] = A[i]*A[i] + 0.5, the bodies double with each stage.
#include <algorithm>

#include "expression/body_size.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "schedule/state/state.h"
#include "templates/sketch/rewrites/strided_reads.h"
#include "templates/sketch/rules.h"

namespace nestwright {
namespace {

constexpr int kCheap = 2;                    ///< operations that cost less than a load and a store
constexpr int kMaxPointsRead = 2;            ///< for each point of a cheap stage: points that read it
constexpr std::int64_t kMaxRepeated = 1000;  ///< operations that inlining a stage may add to the program

double iterations_of(const StageAnalysis& stage) {
  return static_cast<double>(stage.points()) * static_cast<double>(stage.reduced_points());
}

/// Tells whether the stage makes elements adjacent that are a few apart, so that its readers have contiguous vectors.
bool reads_with_stride(const StageAnalysis& stage) {
  const int axis = stage.last_axis();
  return axis >= 0 && std::ranges::any_of(stage.accesses, [&](const OperandAccess& access) {
           const std::int64_t stride = access.strides[static_cast<std::size_t>(axis)].value_or(0);
           return stride >= 2 && stride <= kMaxStride;
         });
}

bool is_cheap(const StageAnalysis& stage, const StageAnalysis& reader) {
  if (stage.has_branch && reader.is_reduction) return false;
  if (is_read_once(stage, reader)) return true;
  if (reader.is_reduction && reader.has_reuse()) {
    return stage.operations == 0 && !stage.has_branch && !reads_with_stride(stage);
  }
  return (stage.operations <= kCheap && stage.expensive == 0 &&
          kMaxPointsRead * static_cast<double>(stage.points()) >= iterations_of(reader));
}

/// The number of loads of the tensor in the bodies of a stage, each as often as it is used.
std::int64_t loads_of(const ComputeOp& op, const Tensor& tensor) {
  std::int64_t loads = 0;
  for (const Expr& value : op.values()) {
    ir::for_each_expr(value, [&](const Expr& e) {
      const auto* const load = e.as<ir::Load>();
      loads += load != nullptr && load->buffer == tensor.buffer() ? 1 : 0;
    });
  }
  return loads;
}

/// Whether the copies of the stage's body, one for each load, would have more than kMaxRepeated operations in all,
/// without the first of them.
bool is_repeated_too_often(const Schedule& schedule, const Tensor& tensor) {
  const ScheduleState& state = schedule.state();
  std::int64_t loads = 0;
  for (const StageState& stage : state.stages) {
    if (stage.attach.kind != AttachKind::kInline) loads += loads_of(*stage.op.compute(), tensor);
  }
  const int producer = state.producer(tensor.buffer()).stage;
  const ComputeOp& op = *state.stages[static_cast<std::size_t>(producer)].op.compute();
  return (loads - 1) * body_operations(op.bodies) > kMaxRepeated;
}

bool may_inline(const Sketch& sketch, int number, InlineCriterion is_worth_it) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_output || stage.is_reduction || stage.is_scan_part || stage.results > 1 || stage.readers.empty()) {
    return false;
  }
  return std::all_of(stage.readers.begin(), stage.readers.end(), [&](int number_of_reader) {
    const StageAnalysis& reader = sketch.of(number_of_reader);
    return !reader.is_scan_part && is_worth_it(stage, reader);
  });
}

/// The first stage to inline, or -1. `kept`: stages that stay stored, by choice or because inlining failed.
int next_to_inline(Sketch& sketch, InlineCriterion is_worth_it, std::vector<std::string>& kept) {
  for (int i = 0; i < static_cast<int>(sketch.stages.size()); ++i) {
    const StageAnalysis& stage = sketch.of(i);
    if (!may_inline(sketch, i, is_worth_it) || std::count(kept.begin(), kept.end(), stage.name) > 0) continue;
    if (stage.expensive == 0 || stage.readers.size() == 1) return i;
    if (sketch.choose(stage.name + ".values", {"stored", "again"}) == "again") return i;
    kept.push_back(stage.name);
  }
  return -1;
}

}  // namespace

void inline_cheap(Sketch& sketch) { inline_stages(sketch, is_cheap); }

bool is_read_once(const StageAnalysis& stage, const StageAnalysis& reader) {
  return static_cast<double>(reader.reads_of(stage.tensor)) * iterations_of(reader) <=
         static_cast<double>(stage.points());
}

bool inline_unless_too_large(Sketch& sketch, const Tensor& tensor) {
  if (is_repeated_too_often(sketch.schedule, tensor)) return false;
  try {
    sketch.schedule[tensor].compute_inline();
  } catch (const ScheduleError&) {
    return false;
  }
  return true;
}

void inline_stages(Sketch& sketch, InlineCriterion is_worth_it) {
  std::vector<std::string> kept;
  for (int stage = next_to_inline(sketch, is_worth_it, kept); stage >= 0;
       stage = next_to_inline(sketch, is_worth_it, kept)) {
    const Tensor tensor = sketch.of(stage).tensor;
    if (inline_unless_too_large(sketch, tensor)) {
      sketch.analyse();
    } else {
      kept.push_back(sketch.of(stage).name);
    }
  }
}

}  // namespace nestwright
