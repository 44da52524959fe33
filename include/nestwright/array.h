// Tensors in memory, the arguments of kernels: arrays that own theirs, and views of memory that somebody else owns.
//
//   Array a = Array::empty(kFloat32, {m, k});
//   ArrayView rows(data, kFloat32, {m, k}, {lda, 1});   // m rows of k numbers, lda apart
//   matmul(rows, b, c);                                 // Arrays and views can be mixed
//
// Thread rule: an Array is memory with one owner; several threads may read it at once, or one may write it. Views are
// values. Shapes and strides are in elements, sizes in bytes where the name says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nestwright/type.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// How to allocate an Array.
struct ArrayOptions {
  int alignment = 64;       ///< of the first element, in bytes; a power of two
  bool huge_pages = false;  ///< request 2 MiB pages; ignored if the system has none
};

/// A compact, row-major array that owns its memory. Movable, not copyable.
class Array {
 public:
  Array() = default;
  /// Allocates uninitialised memory of this type and shape; rank 0 has one element. Throws UsageError for a negative
  /// extent or a size that overflows, std::bad_alloc if there is no memory.
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
  /// The elements as T. Throws UsageError if T does not have the size of the element type.
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

  /// Copy from and to host memory of exactly size_bytes(). Throw UsageError for another size.
  void copy_from(std::span<const std::byte> source);
  void copy_to(std::span<std::byte> destination) const;
  /// Sets every byte, e.g. to zero, or to poison before a check.
  void fill_bytes(std::uint8_t value);

 private:
  void require_element_size(std::size_t size) const;

  ir::Type type_{};
  std::vector<std::int64_t> shape_;
  std::int64_t elements_ = 0;
  void* data_ = nullptr;
};

/// A view of memory that must outlive it. The pointer is that of the element whose indices are all 0. A stride may be 0
/// or negative if the memory is only read.
class ArrayView {
 public:
  /// Compact and row-major if `strides` is empty. Throws UsageError for a negative extent, or if `strides` is neither
  /// empty nor as long as `shape`.
  ArrayView(void* data, ir::Type type, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides = {});
  /// The same, read-only.
  ArrayView(const void* data, ir::Type type, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides = {});

  void* data() const { return data_; }
  bool is_writable() const { return writable_; }
  ir::Type type() const { return type_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  const std::vector<std::int64_t>& strides() const { return strides_; }  ///< empty: compact

 private:
  void* data_;
  bool writable_;
  ir::Type type_;
  std::vector<std::int64_t> shape_, strides_;
};

/// An argument of a call, converted from an Array or a view, which must outlive it. Copies no elements.
struct ArrayRef {
  ArrayRef(Array& array)  // NOLINT(google-explicit-constructor): what a call takes
      : data(array.data()), writable(true), type(array.type()), shape(array.shape()) {}
  ArrayRef(const Array& array)  // NOLINT(google-explicit-constructor)
      : data(const_cast<void*>(array.data())), writable(false), type(array.type()), shape(array.shape()) {}
  ArrayRef(const ArrayView& view)  // NOLINT(google-explicit-constructor)
      : data(view.data()),
        writable(view.is_writable()),
        type(view.type()),
        shape(view.shape()),
        strides(view.strides()) {}

  void* data;
  bool writable;
  ir::Type type;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;  ///< empty: compact
};

}  // namespace nestwright

#pragma GCC visibility pop
