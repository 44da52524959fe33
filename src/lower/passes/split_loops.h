// Loop form: a serial or unrolled loop over the main bodies and the tail of a partitioned split becomes two loops, so
// that nothing is tested inside.
//
//   for i in 0..n:                  for i in 0..c:
//     if i < c: main         ->       main
//     else: tail                    for i in c..n:
//                                     tail
//
// Thread rule: a pure function.
#pragma once

#include "ir/stmt.h"

namespace nestwright {

ir::Stmt split_loops(const ir::Stmt& s);

}  // namespace nestwright
