#include "bench/comparison/timing/buffers.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "nestwright/error.h"
#include "support/base/round_up.h"

namespace nestwright::bench {
namespace {

constexpr std::int64_t kPage = 4096, kHugePage = std::int64_t{2} << 20;

/// Bytes of [first, end) that are on huge pages, according to the kernel.
std::int64_t huge_bytes(const char* first, const char* end) {
  std::ifstream maps("/proc/self/smaps");
  std::int64_t found = 0;
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t from = 0, to = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> from >> dash >> to && dash == '-') {
      inside = from < reinterpret_cast<std::uintptr_t>(end) && to > reinterpret_cast<std::uintptr_t>(first);
    } else if (inside && line.starts_with("AnonHugePages:")) {
      found += std::stoll(line.substr(line.find(':') + 1)) << 10;
    }
  }
  return found;
}

}  // namespace

std::int64_t copies_for(Caches caches, std::int64_t bytes, std::int64_t last_cache_bytes) {
  if (caches == Caches::kWarm) return 1;
  return std::max<std::int64_t>(2, (2 * last_cache_bytes + bytes - 1) / bytes);
}

Buffers::Buffers(const std::vector<std::int64_t>& sizes, std::int64_t copies, Pages pages) : copies_(copies) {
  for (const std::int64_t size : sizes) {
    offsets_.push_back(copy_bytes_);
    copy_bytes_ += round_up(size, kPage);
  }
  const std::int64_t bytes = round_up(copy_bytes_ * copies, kHugePage);
  mapped_bytes_ = bytes + kHugePage;
  void* const memory = mmap(nullptr, static_cast<std::size_t>(mapped_bytes_), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(
        fmt::format("there is no memory for {} MiB of tensors ({})", mapped_bytes_ >> 20, std::strerror(errno)));
  }
  mapping_ = static_cast<char*>(memory);
  first_ = reinterpret_cast<char*>(
      round_up(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(mapping_)), kHugePage));
  madvise(first_, static_cast<std::size_t>(bytes), pages == Pages::kHuge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  std::memset(first_, 0, static_cast<std::size_t>(bytes));

  const std::int64_t huge = huge_bytes(first_, first_ + bytes);
  if (pages == Pages::kHuge ? huge < bytes : huge > 0) {
    munmap(mapping_, static_cast<std::size_t>(mapped_bytes_));
    throw Error(
        fmt::format("{} pages were asked for, and {} of {} MiB of tensors came to lie on huge ones: see "
                    "/sys/kernel/mm/transparent_hugepage and free memory, or use the other --pages",
                    name_of(pages), huge >> 20, bytes >> 20));
  }
}

Buffers::~Buffers() { munmap(mapping_, static_cast<std::size_t>(mapped_bytes_)); }

void* Buffers::at(std::int64_t copy, std::size_t tensor) const {
  return first_ + copy * copy_bytes_ + offsets_.at(tensor);
}

}  // namespace nestwright::bench
