// Prints a schedule as C++ that makes it again: the tensors, then the primitives of the trace, as a user writes them.
//
//   const Tensor A = placeholder({64, 32}, kFloat32, "A");
//   const IterVar k = reduce_axis(32, "k");
//   const Tensor C = compute({64}, [&](Expr i) { return sum(A(i, k), k); }, "C");
//   const std::vector<Tensor> args = {A, C};
//
//   Schedule s = create_schedule(C);
//   const IterVar C_i = s[C].axis(0);
//   const auto [C_i_outer, C_i_inner] = s[C].split(C_i, factor(16));
//   s[C].parallel(C_i_outer);
//
// In a function, after `using namespace nestwright;`, the text defines `args` and `s`, and lower(s, args, target, name)
// gives the loops of the schedule that was printed.
// Thread rule: a pure function.
#pragma once

#include <string>
#include <vector>

#include "nestwright/schedule.h"

namespace nestwright {

/// The statements. `args` are the tensors of the signature, in order. Throws UsageError for a symbolic extent, and for
/// a user-defined intrinsic, which has no text.
std::string cpp_text(const Schedule& schedule, const std::vector<Tensor>& args);

}  // namespace nestwright
