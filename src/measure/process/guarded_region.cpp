#include "measure/process/guarded_region.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "nestwright/error.h"

namespace nestwright {

namespace {

std::int64_t page() {
  static const std::int64_t size = sysconf(_SC_PAGESIZE);
  return size;
}

bool is_canary(const char* begin, const char* end) {
  return std::all_of(begin, end, [](char c) { return static_cast<unsigned char>(c) == GuardedRegion::kCanary; });
}

}  // namespace

std::int64_t GuardedRegion::padded(std::int64_t bytes) {
  return std::max<std::int64_t>(1, (bytes + page() - 1) / page()) * page();
}

std::int64_t GuardedRegion::offset(std::int64_t bytes, Placement placement) {
  return placement == Placement::kAtStart ? 0 : padded(bytes) - bytes;
}

GuardedRegion GuardedRegion::writable(std::int64_t bytes) { return GuardedRegion(bytes, -1, 0); }

GuardedRegion GuardedRegion::read_only(std::int64_t bytes, int fd, std::int64_t file_offset) {
  return GuardedRegion(bytes, fd, file_offset);
}

// The guards are as large as the buffer and at least a megabyte, so that an index that is off by a row or a whole tile
// still lands in one. They use address space only.
GuardedRegion::GuardedRegion(std::int64_t bytes, int fd, std::int64_t file_offset)
    : bytes_(bytes), guard_(padded(std::max<std::int64_t>(bytes, 1 << 20))) {
  const std::int64_t data = padded(bytes), total = data + 2 * guard_;
  const auto fail = [&] {
    throw Error("cannot get " + std::to_string(bytes) + " bytes for a buffer (" + std::strerror(errno) +
                "); free memory or choose smaller tensors");
  };
  void* mapping =
      mmap(nullptr, static_cast<std::size_t>(total), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) fail();
  mapping_ = static_cast<char*>(mapping);
  data_ = mapping_ + guard_;
  const int protection = fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ;
  const int flags = MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
  if (mmap(data_, static_cast<std::size_t>(data), protection, flags, fd, file_offset) == MAP_FAILED) {
    const int error = errno;
    munmap(mapping_, static_cast<std::size_t>(total));
    errno = error;
    fail();
  }
}

GuardedRegion::GuardedRegion(GuardedRegion&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      data_(other.data_),
      bytes_(other.bytes_),
      guard_(other.guard_) {}

GuardedRegion& GuardedRegion::operator=(GuardedRegion&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(guard_, other.guard_);
  return *this;
}

GuardedRegion::~GuardedRegion() {
  if (mapping_) munmap(mapping_, static_cast<std::size_t>(padded(bytes_) + 2 * guard_));
}

void GuardedRegion::poison(std::int64_t part, std::int64_t parts) {
  const std::int64_t bytes = padded(bytes_), begin = bytes / parts * part;
  const std::int64_t end = part + 1 == parts ? bytes : begin + bytes / parts;
  std::memset(data_ + begin, kCanary, static_cast<std::size_t>(end - begin));
}

bool GuardedRegion::gaps_intact(Placement placement) const {
  const char* begin = data_ + offset(bytes_, placement);
  return is_canary(data_, begin) && is_canary(begin + bytes_, data_ + padded(bytes_));
}

GuardedRegion::Fault GuardedRegion::classify(const void* address) const {
  const char* p = static_cast<const char*>(address);
  const char* end = data_ + padded(bytes_);
  if (p < mapping_ || p >= end + guard_) return Fault::kElsewhere;
  return p < data_ ? Fault::kBeforeStart : p >= end ? Fault::kPastEnd : Fault::kInside;
}

}  // namespace nestwright
