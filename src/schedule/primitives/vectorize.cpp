// vectorize: the iterations of a loop become the lanes of vectors.
//
//   for j in 0..n:            vectorized j in 0..n:
//     body(j)          ->       body(j)                  (in lockstep, statement by statement)
//
// Preconditions:
//  1. The loop is a spatial leaf of the stage, not annotated, and not the time of a scan. Its extent is constant. Of a
//     stage that is computed as a whole, its iterations (schedule/state/iteration_counts.h) are at most
//     kMaxVectorizedIterations; at a loop, a stage computes a part of its tensor, whose size the lowering knows and
//     limits alike.
//  2. No other loop of the stage is vectorised.
//  3. No stage is computed at the loop or inside it, where it would be computed once for each lane.
#include <fmt/format.h>

#include "schedule/primitives/primitive.h"
#include "schedule/state/iteration_counts.h"

namespace nestwright {

Stage& Stage::vectorize(const IterVar& loop) {
  const Primitive primitive(*state_, "vectorize", origin_);
  primitive.position(loop);
  primitive.require_serial(loop);
  primitive.require_independent(loop);
  const std::int64_t extent =
      primitive.require_constant(loop, "split it by a constant factor and vectorize the inner loop");
  const std::map<IterVar, Expr> counts = iteration_counts(primitive.stage());
  const std::int64_t* count = ir::as_const_int(counts.at(loop));
  const std::int64_t iterations = count != nullptr ? *count : extent;
  const bool is_whole = primitive.stage().attach.kind != AttachKind::kAt;
  if (is_whole && iterations > kMaxVectorizedIterations) {
    primitive.refuse(loop, fmt::format("it has {} iterations, more than the {} that can be vectorized: split it and "
                                       "vectorize the inner loop",
                                       iterations, kMaxVectorizedIterations));
  }
  for (const auto& [other, kind] : primitive.stage().marked_loops()) {
    if (kind == ir::LoopKind::kVectorized) {
      primitive.refuse(loop, fmt::format("{} is vectorized already: a stage has one vectorized loop", other.name()));
    }
  }
  const std::string label = primitive.label(loop);
  auto& kinds = primitive.stage().kinds;
  primitive.change_attachments([&] { kinds[loop] = ir::LoopKind::kVectorized; }, [&] { kinds.erase(loop); });
  primitive.record({label});
  return *this;
}

}  // namespace nestwright
