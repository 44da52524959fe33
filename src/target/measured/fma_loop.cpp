#include "target/measured/fma_loop.h"

#include <immintrin.h>

#include <algorithm>

#include "support/base/clock.h"
#include "target/description/host.h"

namespace nestwright {

namespace {

constexpr int kAccumulators = 10;

// x = x * x + c stays near 0.15: never denormal, never infinite. The empty asm hides the values from the compiler and
// keeps every accumulator in a register of its own. A macro, since a function that returns vectors needs their ABI
// everywhere.
// clang-format off
#define NESTWRIGHT_FMA_LOOP(Vector, set1, step)                                                                  \
  Vector x0 = set1(0.25f), x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0, x8 = x0, x9 = x0;      \
  const Vector c = set1(0.125f);                                                                                 \
  for (std::int64_t i = 0; i < iterations; ++i) {                                                                \
    x0 = step(x0); x1 = step(x1); x2 = step(x2); x3 = step(x3); x4 = step(x4);                                   \
    x5 = step(x5); x6 = step(x6); x7 = step(x7); x8 = step(x8); x9 = step(x9);                                   \
    __asm__ volatile("" : "+x"(x0), "+x"(x1), "+x"(x2), "+x"(x3), "+x"(x4),                                      \
                          "+x"(x5), "+x"(x6), "+x"(x7), "+x"(x8), "+x"(x9));                                     \
  }
// clang-format on

__attribute__((target("avx512f"))) void loop_avx512(std::int64_t iterations) {
#define NESTWRIGHT_STEP(x) _mm512_fmadd_ps(x, x, c)
  NESTWRIGHT_FMA_LOOP(__m512, _mm512_set1_ps, NESTWRIGHT_STEP)
#undef NESTWRIGHT_STEP
}

__attribute__((target("avx2,fma"))) void loop_avx2(std::int64_t iterations) {
#define NESTWRIGHT_STEP(x) _mm256_fmadd_ps(x, x, c)
  NESTWRIGHT_FMA_LOOP(__m256, _mm256_set1_ps, NESTWRIGHT_STEP)
#undef NESTWRIGHT_STEP
}

void loop_sse2(std::int64_t iterations){
#define NESTWRIGHT_STEP(x) _mm_add_ps(_mm_mul_ps(x, x), c)
    NESTWRIGHT_FMA_LOOP(__m128, _mm_set1_ps, NESTWRIGHT_STEP)
#undef NESTWRIGHT_STEP
}

#undef NESTWRIGHT_FMA_LOOP

CpuIsa isa() {
  static const CpuIsa found = host_isa();
  return found;
}

}  // namespace

void run_fma_loop(std::int64_t iterations) {
  switch (isa()) {
    case CpuIsa::kAvx512:
      return loop_avx512(iterations);
    case CpuIsa::kAvx2:
      return loop_avx2(iterations);
    case CpuIsa::kX86_64:
      return loop_sse2(iterations);
  }
}

std::int64_t fma_loop_flops() {
  const int lanes = isa() == CpuIsa::kAvx512 ? 16 : isa() == CpuIsa::kAvx2 ? 8 : 4;
  return std::int64_t{2} * kAccumulators * lanes;
}

std::int64_t calibrate_fma_loop(double ns) {
  // The best of several, since an interruption can only make one slower.
  constexpr std::int64_t kProbe = 20'000;
  double best = 1e18;
  for (int i = 0; i < 9; ++i) {
    const std::int64_t start = steady_clock().now_ns();
    run_fma_loop(kProbe);
    best = std::min(best, static_cast<double>(steady_clock().now_ns() - start));
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(ns / best * kProbe));
}

}  // namespace nestwright
