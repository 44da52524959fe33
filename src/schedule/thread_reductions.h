// Reductions by several threads of a block. The lowering replaces a loop of a reduction that is bound to threadIdx by
// rfactor: each thread computes a partial result in shared memory, and the first one combines them.
//
//   blockIdx.x i in 0..m:                         blockIdx.x i in 0..m:
//     B[i] = 0                                      shared B.rf[8]
//     threadIdx.x ki in 0..8:                       threadIdx.x ki in 0..8:
//       for ko: B[i] += A[i, ko*8 + ki]     ->        B.rf[ki] = 0
//                                                     for ko: B.rf[ki] += A[i, ko*8 + ki]
//                                                   B[i] = 0
//                                                   for ki.v in 0..8: B[i] += B.rf[ki.v]
//
// The lowering runs the last two lines in one thread (lower/passes/merge_threads.cpp). If rows are bound to another
// thread index, so are those of the partial results: their loops are fused as the stage's, and split by the number of
// threads.
// Thread rule: pure functions.
#pragma once

#include "schedule/state/state.h"

namespace nestwright {

/// Whether a loop of a reduction is bound.
bool has_thread_reductions(const ScheduleState& schedule);

/// `schedule` with each bound loop of a reduction replaced. Throws LowerError where no bound loop lies around the
/// threads, where a stage that the reduction reads is computed inside them, where the number of threads or the length
/// of fused rows is not constant, and where rfactor refuses the loop.
ScheduleState rfactor_thread_reductions(ScheduleState schedule);

}  // namespace nestwright
