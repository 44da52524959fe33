// Decides whether the default of a CPU template should be parallel: for a small kernel, starting a parallel loop costs
// more time than it saves.
// Thread rule: a pure function.
#pragma once

#include "nestwright/template.h"

namespace nestwright {

/// Whether the CPU `target` has several threads and the definition keeps one of them busy for 10 us or more, estimated
/// from its flops and bytes at the highest rates of such machines. Below that, a loop on two threads gains little where
/// both cores are free, and loses a multiple where the second one is busy or asleep.
bool is_worth_parallel_loop(const Definition& definition, const Target& target);

}  // namespace nestwright
