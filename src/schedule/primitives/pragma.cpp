// pragma: a hint to the lowering of a loop.
//
//   auto_unroll, steps:  unrolls the loop and the loops inside it, innermost first, as long as each one unrolls to no
//                        more than `steps` statements (TVM's auto_unroll_max_step). Loops of symbolic extent, and
//                        parallel, vectorized and bound loops, are not unrolled.
//
//   for i in 0..4:                          for i in 0..4:
//     for j in 0..8:             ->           unrolled j in 0..8:                     (auto_unroll at i, 16 steps)
//       B[i, j] = A[i, j]                       B[i, j] = A[i, j]
//
//   in_threads, 1:       runs the time loop of a scan inside the blocks and threads that its steps are bound to: one
//                        launch instead of one for each step. The lowering refuses it where a thread would read an
//                        element that another thread computes.
//
//   for t in 0..m:                          blockIdx.x b in 0..n:
//     blockIdx.x b in 0..n:                   threadIdx.x i in 0..32:
//       threadIdx.x i in 0..32:    ->           for t in 0..m:                        (in_threads at t)
//         Y[t, b*32 + i] = ...                    Y[t, b*32 + i] = ...
//
//   estrin, 1:           evaluates the polynomials of exp, log, log2, tanh, sigmoid and erf inside the loop in
//                        Estrin's form instead of Horner's, with shorter chains of dependent operations and more
//                        multiplications: faster where a loop has too few vectors to fill the time that each operation
//                        takes. The results may differ in the last bits. Has no effect on devices, which have functions
//                        of their own.
//
//   for i in 0..16:                         for i in 0..16:
//     Y[i] = exp(X[i])           ->           Y[i] = estrin(exp(X[i]))                (estrin at i)
//
// Preconditions:
//  1. The loop is a leaf of the stage; for in_threads, the time of a scan.
//  2. The name is one of the above, and this loop does not have a pragma already.
//  3. The value is in range: 1 to 20000 steps for auto_unroll, 1 for the others.
#include <fmt/format.h>

#include <optional>

#include "nestwright/error.h"
#include "schedule/primitives/primitive.h"

namespace nestwright {

const char* pragma_name(PragmaKind kind) {
  switch (kind) {
    case PragmaKind::kAutoUnroll:
      return "auto_unroll";
    case PragmaKind::kInThreads:
      return "in_threads";
    case PragmaKind::kEstrin:
      return "estrin";
  }
  throw InternalError("unknown pragma");
}

namespace {

std::optional<PragmaKind> kind_of(std::string_view name) {
  for (const PragmaKind kind : {PragmaKind::kAutoUnroll, PragmaKind::kInThreads, PragmaKind::kEstrin}) {
    if (name == pragma_name(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace

Stage& Stage::pragma(const IterVar& loop, std::string_view name, std::int64_t value) {
  constexpr std::int64_t kMaxSteps = 20000;
  const Primitive primitive(*state_, "pragma", origin_);
  primitive.position(loop);
  const std::optional<PragmaKind> kind = kind_of(name);
  if (!kind)
    primitive.refuse(loop, fmt::format("'{}' is no pragma: known are auto_unroll, in_threads and estrin", name));
  const std::int64_t most = *kind == PragmaKind::kAutoUnroll ? kMaxSteps : 1;
  if (*kind == PragmaKind::kInThreads && !loop.is_time()) {
    primitive.refuse(loop, "in_threads is for the time of a scan");
  }
  if (value < 1 || value > most) {
    primitive.refuse(loop, most == 1 ? fmt::format("{} takes 1, not {}", name, value)
                                     : fmt::format("{} takes 1 to {} steps, not {}", name, most, value));
  }
  for (const PragmaNote& note : primitive.stage().pragmas) {
    if (note.loop != loop) continue;
    primitive.refuse(loop, fmt::format("it has {} {} already", pragma_name(note.kind), note.value));
  }
  primitive.stage().pragmas.push_back({loop, *kind, value});
  primitive.record({primitive.label(loop), std::string(name), std::to_string(value)});
  return *this;
}

}  // namespace nestwright
