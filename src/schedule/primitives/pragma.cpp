// pragma: a wish for how a loop is lowered, of a small set.
//
//   auto_unroll, steps:  the loop and those inside it are unrolled, inner ones first, as long as no more than `steps`
//                        statements come of one loop (TVM's auto_unroll_max_step). Loops of symbolic extent and those
//                        that are parallel, vectorized or bound stay.
//
//   for i in 0..4:                          for i in 0..4:
//     for j in 0..8:             ->           unrolled j in 0..8:                     (auto_unroll at i, 16 steps)
//       B[i, j] = A[i, j]                       B[i, j] = A[i, j]
//
// Preconditions:
//  1. The loop is a leaf of the stage.
//  2. The name is one of those above, and not given to this loop already.
//  3. The value is one that the name takes: steps from 1 to 20000.
#include <fmt/format.h>

#include "schedule/primitives/primitive.h"

namespace nestwright {

const char* pragma_name(PragmaKind kind) {
  switch (kind) {
    case PragmaKind::kAutoUnroll:
      break;
  }
  return "auto_unroll";
}

Stage& Stage::pragma(const IterVar& loop, std::string_view name, std::int64_t value) {
  constexpr std::int64_t kMostSteps = 20000;
  const Primitive primitive(*state_, "pragma", origin_);
  primitive.position(loop);
  if (name != pragma_name(PragmaKind::kAutoUnroll)) {
    primitive.refuse(loop, fmt::format("'{}' is no pragma: known are auto_unroll", name));
  }
  if (value < 1 || value > kMostSteps) {
    primitive.refuse(loop, fmt::format("auto_unroll takes 1 to {} steps, not {}", kMostSteps, value));
  }
  for (const PragmaNote& note : primitive.stage().pragmas) {
    if (note.loop == loop) primitive.refuse(loop, fmt::format("it has {} {} already", name, note.value));
  }
  primitive.stage().pragmas.push_back({loop, PragmaKind::kAutoUnroll, value});
  primitive.record({primitive.label(loop), std::string(name), std::to_string(value)});
  return *this;
}

}  // namespace nestwright
