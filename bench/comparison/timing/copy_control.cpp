#include "bench/comparison/timing/copy_control.h"

#include <emmintrin.h>

#include <algorithm>
#include <cstring>

#include "bench/comparison/timing/team.h"
#include "target/description/host.h"

namespace nestwright::bench {
namespace {

constexpr std::int64_t kLine = 64;
constexpr double kWork_ns = 10e6;

/// Copies whole, aligned cache lines by non-temporal stores.
void copy_streaming(char* to, const char* from, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += kLine) {
    for (std::int64_t j = i; j < i + kLine; j += 16) {
      const __m128i part = _mm_load_si128(reinterpret_cast<const __m128i*>(from + j));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + j), part);
    }
  }
  _mm_sfence();
}

void copy_plain(char* to, const char* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
  __asm__ volatile("" ::"r"(to) : "memory");  // keeps the compiler from merging repeated copies
}

}  // namespace

CopyControl::CopyControl(std::int64_t bytes, int threads, Pages pages, Caches caches)
    : half_(std::max(kLine, (bytes / 2 + kLine - 1) / kLine * kLine)),
      threads_(threads),
      buffers_({half_, half_}, copies_for(caches, 2 * half_, host_caches().l3), pages) {
  while (time_ns(rounds_, false) < kWork_ns / 2) rounds_ *= 2;
  streaming_ = time_ns(rounds_, true) < time_ns(rounds_, false);
}

double CopyControl::measure_gb_s() { return static_cast<double>(rounds_ * 2 * half_) / time_ns(rounds_, streaming_); }

double CopyControl::time_ns(std::int64_t rounds, bool streaming) {
  const std::int64_t lines = half_ / kLine;
  return static_cast<double>(time_team(threads_, [&](int thread) {
    const std::int64_t first = lines * thread / threads_ * kLine, end = lines * (thread + 1) / threads_ * kLine;
    for (std::int64_t round = 0; round < rounds; ++round) {
      const std::int64_t copy = round % buffers_.copies();
      char* const to = static_cast<char*>(buffers_.at(copy, 1)) + first;
      const char* const from = static_cast<const char*>(buffers_.at(copy, 0)) + first;
      (streaming ? copy_streaming : copy_plain)(to, from, end - first);
    }
  }));
}

}  // namespace nestwright::bench
