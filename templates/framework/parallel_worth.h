// Whether a CPU template's default may be parallel: starting a loop takes longer than small work does.
// Thread rule: a pure function.
#pragma once

#include "templates/framework/template.h"

namespace nestwright {

/// Whether what is defined keeps one thread of the CPU `target` busy for 10 us or more, by its flops and bytes at the
/// highest rates of such machines; and there is another thread. Below, a loop on two threads gains little where both
/// cores are free, and loses a multiple where the second one is busy or asleep.
bool is_worth_parallel_loop(const Definition& definition, const Target& target);

}  // namespace nestwright
