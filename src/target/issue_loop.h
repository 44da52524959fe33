// A loop that issues as many instructions a cycle as a core can: additions of vectors in registers and of integers. A
// hyper-thread of the same core that does anything at all takes its share of them, so that the loop takes up to twice
// as long, where a loop that only keeps the fma units busy (target/fma_loop.h) hardly does. Thread rule: any thread.
#pragma once

#include <cstdint>

namespace nestwright {

/// Runs `iterations` rounds of 26 instructions each, four to five cycles of a core of 2020 that is not shared.
void run_issue_loop(std::int64_t iterations);

}  // namespace nestwright
