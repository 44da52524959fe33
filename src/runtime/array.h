// Tensors in host memory: what kernels are called on.
// Thread rule: an Array is memory with one owner; several threads may read it, one may write. Sizes are in bytes where
// the name says so, in elements elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/core/type.h"

namespace nestwright {

struct ArrayOptions {
  int alignment = 64;       ///< of the first element, in bytes; a power of two
  bool huge_pages = false;  ///< ask the kernel for 2 MiB pages; without effect where it has none to give
};

/// A compact, row-major array that owns its memory. Movable, not copyable.
class Array {
 public:
  Array() = default;
  /// Uninitialised memory of this type and shape; rank 0 is one element. Throws UsageError for a negative extent or a
  /// size that overflows, std::bad_alloc where there is no memory.
  static Array empty(ir::Type type, std::vector<std::int64_t> shape, const ArrayOptions& options = {});
  Array(Array&& other) noexcept;
  Array& operator=(Array&& other) noexcept;
  ~Array();

  ir::Type type() const { return type_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t elements() const { return elements_; }
  std::size_t size_bytes() const {
    return static_cast<std::size_t>(elements_) * static_cast<std::size_t>(type_.bytes());
  }

  void* data() { return data_; }
  const void* data() const { return data_; }
  /// The elements as T. Throws UsageError where T's size is not that of the type.
  template <class T>
  std::span<T> as() {
    require_element_size(sizeof(T));
    return {static_cast<T*>(data_), static_cast<std::size_t>(elements_)};
  }
  template <class T>
  std::span<const T> as() const {
    require_element_size(sizeof(T));
    return {static_cast<const T*>(data_), static_cast<std::size_t>(elements_)};
  }

  /// Copies from and to host memory of exactly size_bytes(). Throw UsageError for another size.
  void copy_from(std::span<const std::byte> source);
  void copy_to(std::span<std::byte> destination) const;
  /// Sets every byte: poison before a check, zeros.
  void fill_bytes(std::uint8_t value);

 private:
  void require_element_size(std::size_t size) const;

  ir::Type type_{};
  std::vector<std::int64_t> shape_;
  std::int64_t elements_ = 0;
  void* data_ = nullptr;
};

}  // namespace nestwright
