// The speed of products of other types relative to float32 fused multiply-adds, measured side by side in registers.
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "support/base/clock.h"
#include "target/description/host.h"
#include "target/description/tile_permission.h"
#include "target/measured/fma_loop.h"
#include "target/measured/peak.h"

namespace nestwright {
namespace {

constexpr int kAccumulators = 10;
constexpr double kLoopNs = 100e3;

/// A loop over instructions that multiply and add, in registers.
struct ProductLoop {
  void (*run)(std::int64_t iterations) = nullptr;
  double operations = 0;  ///< per iteration: a multiplication and an addition are two
};

// Ten accumulators, as in fma_loop.cpp; all operands are 0, whose products take as long as others.
// clang-format off
#define NESTWRIGHT_PRODUCT_LOOP(Vector, zero, step)                                                        \
  Vector x0 = zero, x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0, x8 = x0, x9 = x0;       \
  for (std::int64_t i = 0; i < iterations; ++i) {                                                          \
    x0 = step(x0); x1 = step(x1); x2 = step(x2); x3 = step(x3); x4 = step(x4);                             \
    x5 = step(x5); x6 = step(x6); x7 = step(x7); x8 = step(x8); x9 = step(x9);                             \
    __asm__ volatile("" : "+v"(x0), "+v"(x1), "+v"(x2), "+v"(x3), "+v"(x4),                                \
                          "+v"(x5), "+v"(x6), "+v"(x7), "+v"(x8), "+v"(x9));                               \
  }
// clang-format on

__attribute__((target("avx512f,avx512bf16"))) void loop_bf16(std::int64_t iterations) {
  const auto ones = reinterpret_cast<__m512bh>(_mm512_setzero_si512());
#define NESTWRIGHT_STEP(x) _mm512_dpbf16_ps(x, ones, ones)
  NESTWRIGHT_PRODUCT_LOOP(__m512, _mm512_setzero_ps(), NESTWRIGHT_STEP)
#undef NESTWRIGHT_STEP
}

__attribute__((target("avx512f,avx512vnni"))) void loop_vnni(std::int64_t iterations) {
  const __m512i ones = _mm512_setzero_si512();
#define NESTWRIGHT_STEP(x) _mm512_dpbusd_epi32(x, ones, ones)
  NESTWRIGHT_PRODUCT_LOOP(__m512i, _mm512_setzero_si512(), NESTWRIGHT_STEP)
#undef NESTWRIGHT_STEP
}

__attribute__((target("avx512fp16"))) void loop_fp16(std::int64_t iterations) {
#define NESTWRIGHT_STEP(x) _mm512_fmadd_ph(x, x, x)
  NESTWRIGHT_PRODUCT_LOOP(__m512h, _mm512_setzero_ph(), NESTWRIGHT_STEP)
#undef NESTWRIGHT_STEP
}

__attribute__((target("avx2"))) void loop_avx2_pairs(std::int64_t iterations) {
#define NESTWRIGHT_STEP(x) _mm256_add_epi32(_mm256_madd_epi16(x, x), x)
  NESTWRIGHT_PRODUCT_LOOP(__m256i, _mm256_setzero_si256(), NESTWRIGHT_STEP)
#undef NESTWRIGHT_STEP
}

#undef NESTWRIGHT_PRODUCT_LOOP

/// Four tiles of sums and two tiles of each operand, as in the best kernels.
__attribute__((target("amx-tile,amx-int8,amx-bf16"))) void loop_tiles(std::int64_t iterations, bool bytes) {
  alignas(64) std::array<std::uint8_t, 64> shapes{};
  shapes[0] = 1;
  for (std::size_t tile = 0; tile < 8; ++tile) {
    shapes[16 + 2 * tile] = 64;
    shapes[48 + tile] = 16;
  }
  // Not _tile_loadconfig(): GCC 12's declares a read of 8 bytes only, so the compiler drops the stores to the others.
  __asm__ volatile("ldtilecfg %0" : : "m"(shapes));
  for (std::int64_t i = 0; i < iterations; ++i) {
    if (bytes) {
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
      _tile_dpbusd(2, 5, 6);
      _tile_dpbusd(3, 5, 7);
    } else {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_release();
}

ProductLoop product_loop_of(ir::Type type) {
  const CpuFeatures features = host_cpu_features();
  const bool is_bytes = type == kInt8 || type == kUInt8;
  const bool has_tiles =
      features.has(is_bytes ? CpuFeature::kAmxInt8 : CpuFeature::kAmxBf16) && request_tile_permission();
  constexpr double kLanes = 16, kTile = 4 * 2 * 16 * 16 * 16;
  if (is_bytes) {
    if (has_tiles) return {[](std::int64_t n) { loop_tiles(n, true); }, 4 * kTile};
    if (features.has(CpuFeature::kAvx512Vnni)) return {loop_vnni, kAccumulators * 8 * kLanes};
    if (host_isa() >= CpuIsa::kAvx2) return {loop_avx2_pairs, kAccumulators * 4 * kLanes / 2};
  }
  if (type == kBFloat16) {
    if (has_tiles) return {[](std::int64_t n) { loop_tiles(n, false); }, 2 * kTile};
    if (features.has(CpuFeature::kAvx512Bf16)) return {loop_bf16, kAccumulators * 4 * kLanes};
  }
  if (type == kFloat16 && features.has(CpuFeature::kAvx512Fp16)) return {loop_fp16, kAccumulators * 4 * kLanes};
  return {};
}

double nanoseconds(void (*run)(std::int64_t), std::int64_t iterations) {
  const std::int64_t start = steady_clock().now_ns();
  run(iterations);
  return static_cast<double>(std::max<std::int64_t>(1, steady_clock().now_ns() - start));
}

}  // namespace

double measure_peak_scale(ir::Type type) {
  if (type == kFloat64) return 0.5;
  const ProductLoop loop = product_loop_of(type);
  if (loop.run == nullptr) return 1;  // converted to float32
  const std::int64_t fma_iterations = calibrate_fma_loop(kLoopNs);
  const double probe = nanoseconds(loop.run, 1000);
  const auto iterations = std::max<std::int64_t>(1, static_cast<std::int64_t>(1000 * kLoopNs / probe));
  // Alternating, so that both run at the same clock frequency.
  std::vector<double> ratios;
  for (int round = 0; round < 21; ++round) {
    const double fma = nanoseconds(run_fma_loop, fma_iterations), own = nanoseconds(loop.run, iterations);
    ratios.push_back(loop.operations * static_cast<double>(iterations) / own * fma /
                     static_cast<double>(fma_iterations * fma_loop_flops()));
  }
  std::nth_element(ratios.begin(), ratios.begin() + 10, ratios.end());
  // If converting to float32 and multiplying there is faster, that is the peak.
  const bool can_convert = type == kBFloat16 || type == kFloat16;
  return can_convert ? std::max(1.0, ratios[10]) : ratios[10];
}

}  // namespace nestwright
