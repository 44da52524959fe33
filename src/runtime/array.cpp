#include "nestwright/array.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "nestwright/error.h"

namespace nestwright {

Array Array::empty(ir::Type type, std::vector<std::int64_t> shape, const ArrayOptions& options) {
  std::int64_t elements = 1;
  for (std::int64_t extent : shape) {
    if (extent < 0) throw UsageError(fmt::format("an array cannot have the extent {}: use 0 or more", extent));
    if (__builtin_mul_overflow(elements, extent, &elements)) {
      throw UsageError("the array's number of elements exceeds 64 bits: use smaller extents");
    }
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, std::int64_t{type.bytes()}, &bytes)) {
    throw UsageError("the array's size in bytes exceeds 64 bits: use smaller extents");
  }
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const bool huge = options.huge_pages && static_cast<std::size_t>(bytes) >= kHugePage;
  const std::size_t alignment = huge ? kHugePage : static_cast<std::size_t>(options.alignment);
  // aligned_alloc requires a multiple of the alignment, and not 0 bytes.
  const std::size_t size = (static_cast<std::size_t>(bytes) / alignment + 1) * alignment;

  Array array;
  array.data_ = std::aligned_alloc(alignment, size);
  if (array.data_ == nullptr) throw std::bad_alloc();
  if (huge) madvise(array.data_, size, MADV_HUGEPAGE);  // a hint; systems without huge pages ignore it
  array.type_ = type;
  array.shape_ = std::move(shape);
  array.elements_ = elements;
  return array;
}

Array::Array(Array&& other) noexcept
    : type_(other.type_),
      shape_(std::move(other.shape_)),
      elements_(std::exchange(other.elements_, 0)),
      data_(std::exchange(other.data_, nullptr)) {}

Array& Array::operator=(Array&& other) noexcept {
  if (this != &other) {
    std::free(data_);
    type_ = other.type_;
    shape_ = std::move(other.shape_);
    elements_ = std::exchange(other.elements_, 0);
    data_ = std::exchange(other.data_, nullptr);
  }
  return *this;
}

Array::~Array() { std::free(data_); }

void Array::copy_from(std::span<const std::byte> source) {
  if (source.size() != size_bytes()) {
    throw UsageError(
        fmt::format("copying {} bytes into an array of {} bytes: the sizes must agree", source.size(), size_bytes()));
  }
  if (!source.empty()) std::memcpy(data_, source.data(), source.size());
}

void Array::copy_to(std::span<std::byte> destination) const {
  if (destination.size() != size_bytes()) {
    throw UsageError(fmt::format("copying an array of {} bytes into {} bytes: the sizes must agree", size_bytes(),
                                 destination.size()));
  }
  if (!destination.empty()) std::memcpy(destination.data(), data_, destination.size());
}

void Array::fill_bytes(std::uint8_t value) {
  if (size_bytes() > 0) std::memset(data_, value, size_bytes());
}

void Array::require_element_size(std::size_t size) const {
  if (size != static_cast<std::size_t>(type_.bytes())) {
    throw UsageError(fmt::format("an array of {} has elements of {} bytes, not {}", type_.str(), type_.bytes(), size));
  }
}

}  // namespace nestwright
