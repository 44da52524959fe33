#include "target/measured/memory_walk.h"

#include <immintrin.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <new>
#include <random>

namespace nestwright {
namespace {

// One line per page, so that prefetchers of neighbouring lines do not help, at a random place in it, so that the lines
// cover all sets of a cache. The memory is one huge page if there are any: then the walk waits for memory, not for page
// tables.
constexpr std::size_t kLines = 512, kPageBytes = 4096, kLineBytes = 64;
constexpr std::size_t kMemoryBytes = kLines * kPageBytes;
constexpr std::size_t kParts = 8;
static_assert(kLines % kParts == 0);

}  // namespace

void MemoryWalk::FreeAligned::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t(kMemoryBytes));
}

MemoryWalk::MemoryWalk(Clock& clock)
    : clock_(clock), memory_(static_cast<std::byte*>(::operator new[](kMemoryBytes, std::align_val_t(kMemoryBytes)))) {
  madvise(memory_.get(), kMemoryBytes, MADV_HUGEPAGE);  // advice, which may be ignored
  std::mt19937 random(1);                               // the same walk in each process
  for (std::size_t page = 0; page < kLines; ++page) {
    const std::size_t line = random() % (kPageBytes / kLineBytes);
    lines_.push_back(new (memory_.get() + page * kPageBytes + line * kLineBytes) Line);
  }
  for (std::size_t i = kLines - 1; i > 0; --i) std::swap(lines_[i], lines_[random() % (i + 1)]);
  for (std::size_t i = 0; i < kLines; ++i) lines_[i]->next = lines_[(i + 1) % kLines];
}

double MemoryWalk::run() {
  for (const Line* line : lines_) _mm_clflush(line);
  _mm_mfence();
  std::array<double, kParts> parts{};
  const Line* at = lines_.front();
  std::int64_t start = clock_.now_ns();
  for (double& part : parts) {
    for (std::size_t i = 0; i < kLines / kParts; ++i) at = at->next;
    __asm__ volatile("" : "+r"(at) : : "memory");
    // The load must complete before the clock is read; an out-of-order core would read the clock first.
    _mm_lfence();
    const std::int64_t end = clock_.now_ns();
    part = static_cast<double>(end - start);
    start = end;
  }
  std::sort(parts.begin(), parts.end());
  return (parts[kParts / 2 - 1] + parts[kParts / 2]) / 2 * kParts;
}

}  // namespace nestwright
