#include "target/measured/issue_loop.h"

namespace nestwright {

// One vector addition and two integer additions, which are independent or extend one chain each.
#define NESTWRIGHT_INDEPENDENT(x) "addps %%xmm15, %%xmm" #x "\n lea 1(%%r8), %%r9\n lea 1(%%r10), %%r11\n"
#define NESTWRIGHT_CHAINED(x) "addps %%xmm15, %%xmm" #x "\n add $1, %%rax\n add $1, %%rcx\n"

void run_issue_loop(std::int64_t iterations) {
  if (iterations <= 0) return;
  // The vectors stay zero; the integers start with whatever the registers hold, and wrap around.
  __asm__ volatile(
      "xorps %%xmm15, %%xmm15\n xorps %%xmm0, %%xmm0\n xorps %%xmm1, %%xmm1\n xorps %%xmm2, %%xmm2\n"
      "xorps %%xmm3, %%xmm3\n xorps %%xmm4, %%xmm4\n xorps %%xmm5, %%xmm5\n xorps %%xmm6, %%xmm6\n"
      "xorps %%xmm7, %%xmm7\n"
      // clang-format off
      "1:\n"
      NESTWRIGHT_INDEPENDENT(0) NESTWRIGHT_CHAINED(1) NESTWRIGHT_INDEPENDENT(2) NESTWRIGHT_CHAINED(3)
      NESTWRIGHT_INDEPENDENT(4) NESTWRIGHT_CHAINED(5) NESTWRIGHT_INDEPENDENT(6) NESTWRIGHT_CHAINED(7)
      // clang-format on
      "dec %0\n jnz 1b\n"
      : "+r"(iterations)
      :
      : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm15", "rax", "rcx", "r8", "r9", "r10", "r11",
        "cc");
}

#undef NESTWRIGHT_CHAINED
#undef NESTWRIGHT_INDEPENDENT

}  // namespace nestwright
