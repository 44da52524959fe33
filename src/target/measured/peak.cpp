#include "target/measured/peak.h"

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include "nestwright/error.h"
#include "support/base/clock.h"
#include "target/description/host.h"
#include "target/measured/fma_loop.h"

namespace nestwright {

namespace {

constexpr std::size_t kAlignment = 4096;
struct FreeAligned {
  void operator()(char* p) const { ::operator delete[](p, std::align_val_t(kAlignment)); }
};
using AlignedBytes = std::unique_ptr<char, FreeAligned>;

AlignedBytes make_bytes(std::int64_t n) {
  AlignedBytes bytes(static_cast<char*>(::operator new[](static_cast<std::size_t>(n), std::align_val_t(kAlignment))));
  std::memset(bytes.get(), 1, static_cast<std::size_t>(n));  // so that the pages exist
  return bytes;
}

// Blocks of 512 bytes: eight independent loads of the widest vectors.
__attribute__((target("avx512f"))) void read_avx512(const char* p, std::int64_t bytes) {
  for (std::int64_t i = 0; i + 512 <= bytes; i += 512) {
    _Pragma("GCC unroll 8") for (int j = 0; j < 512; j += 64) {
      const __m512i v = _mm512_load_si512(p + i + j);
      __asm__ volatile("" ::"x"(v));
    }
  }
}
__attribute__((target("avx2"))) void read_avx2(const char* p, std::int64_t bytes) {
  for (std::int64_t i = 0; i + 512 <= bytes; i += 512) {
    _Pragma("GCC unroll 16") for (int j = 0; j < 512; j += 32) {
      const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(p + i + j));
      __asm__ volatile("" ::"x"(v));
    }
  }
}
void read_sse2(const char* p, std::int64_t bytes) {
  for (std::int64_t i = 0; i + 512 <= bytes; i += 512) {
    _Pragma("GCC unroll 32") for (int j = 0; j < 512; j += 16) {
      const __m128i v = _mm_load_si128(reinterpret_cast<const __m128i*>(p + i + j));
      __asm__ volatile("" ::"x"(v));
    }
  }
}

// The units of work per nanosecond of the best round within `seconds`; at least two rounds, of which the first warms
// up.
template <class Work>
double best_rate(double units, double seconds, Work work) {
  const std::int64_t end = steady_clock().now_ns() + static_cast<std::int64_t>(seconds * 1e9);
  work();
  double best = 0;
  do {
    const std::int64_t start = steady_clock().now_ns();
    work();
    best = std::max(best, units / static_cast<double>(std::max<std::int64_t>(1, steady_clock().now_ns() - start)));
  } while (steady_clock().now_ns() < end);
  return best;
}

// The sum of the rates of `threads` threads, each of which calls `measure` with the result of its own `prepare`. They
// start at the same moment, or the first would run at the clock frequency of an otherwise idle machine. The number of
// threads is limited to the cores: the best rates of threads that share a core do not add up.
template <class Prepare, class Measure>
double sum_of_rates(int threads, Prepare prepare, Measure measure) {
  threads = std::min(threads, host_threads());
  std::atomic<int> waiting{threads};
  std::vector<double> rates(static_cast<std::size_t>(threads));
  const auto run = [&](int i) {
    const auto prepared = prepare();
    for (--waiting; waiting > 0;) std::this_thread::yield();
    rates[static_cast<std::size_t>(i)] = measure(prepared);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run, i);
  run(0);
  for (std::thread& other : others) other.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

// How often one round reads a small working set, so that the time to read the clock is negligible.
std::int64_t repeats(std::int64_t bytes) { return std::max<std::int64_t>(1, (std::int64_t{8} << 20) / bytes); }

}  // namespace

double measure_fma_peak(int threads, double seconds) {
  if (threads < 1) throw UsageError("the fma peak is measured on at least one thread");
  const std::int64_t iterations = calibrate_fma_loop(1e6);
  const double flops = static_cast<double>(iterations * fma_loop_flops());
  return sum_of_rates(
      threads, [] { return 0; }, [&](int) { return best_rate(flops, seconds, [&] { run_fma_loop(iterations); }); });
}

double measure_read_bandwidth(std::int64_t bytes, double seconds, int threads) {
  if (bytes < 512) throw UsageError("bandwidth is measured over a working set of at least 512 bytes");
  if (threads < 1) throw UsageError("bandwidth is measured on at least one thread");
  const CpuIsa isa = host_isa();
  const auto read = isa == CpuIsa::kAvx512 ? read_avx512 : isa == CpuIsa::kAvx2 ? read_avx2 : read_sse2;
  const std::int64_t n = repeats(bytes);
  return sum_of_rates(
      threads, [&] { return make_bytes(bytes); },
      [&](const AlignedBytes& data) {
        return best_rate(static_cast<double>(n * (bytes / 512 * 512)), seconds, [&] {
          for (std::int64_t i = 0; i < n; ++i) read(data.get(), bytes);
        });
      });
}

double measure_copy_bandwidth(std::int64_t bytes, double seconds) {
  if (bytes < 512) throw UsageError("bandwidth is measured over a working set of at least 512 bytes");
  const AlignedBytes data = make_bytes(bytes);
  const std::int64_t half = bytes / 2, n = repeats(bytes);
  return best_rate(static_cast<double>(n * half * 2), seconds, [&] {
    for (std::int64_t i = 0; i < n; ++i) {
      std::memcpy(data.get() + half, data.get(), static_cast<std::size_t>(half));
      __asm__ volatile("" ::"r"(data.get()) : "memory");
    }
  });
}

}  // namespace nestwright
