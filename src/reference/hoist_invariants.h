// Moves integers out of the loops whose variables they do not depend on.
//
// With an integer r that is defined outside:
//
//   for y in 0..56:                                          for y in 0..56:
//     for x in 0..56:                                          let invariant0 = y + r - 1
//       sum[0] += D[y, x]*(X[y + r - 1, x]        ->           let invariant1 = y + r >= 1
//                          if y + r >= 1 && x >= 1)            for x in 0..56:
//                                                                sum[0] += D[y, x]*(X[invariant0, x]
//                                                                                   if invariant1 && x >= 1)
//
// The interpreter evaluates an expression each time that it comes to it. Thread rule: pure function.
#pragma once

#include "nestwright/program.h"

namespace nestwright {

/// Binds integers and conditions by lets at the head of the body of the innermost loop or let whose variable they
/// depend on, if a loop inside of it uses them. What reads data stays where it is, and what divides by a variable,
/// which may be 0 where the value is not used.
ir::Program hoist_invariants(ir::Program program);

}  // namespace nestwright
