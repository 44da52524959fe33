// A loop that issues as many instructions per cycle as a core can: additions of vectors in registers and of integers.
// Any activity of another hyper-thread of the core takes a share of the issue slots, so that the loop takes up to twice
// as long, whereas a loop that only keeps the FMA units busy (target/measured/fma_loop.h) hardly slows down.
// Thread rule: any thread.
#pragma once

#include <cstdint>

namespace nestwright {

/// Runs `iterations` rounds of 26 instructions each, four to five cycles on an unshared core of 2020.
void run_issue_loop(std::int64_t iterations);

}  // namespace nestwright
