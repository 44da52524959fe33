// Views of elements that somebody else owns, as kernel arguments: a pointer, a type, a shape and strides.
//
//   ArrayView rows(data, kFloat32, {m, k}, {lda, 1});   // m rows of k numbers, lda apart
//   matmul(rows, b, c);                                 // Arrays and views can be mixed
//
// Thread rule: values. Shapes and strides are in elements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/array.h"

namespace nestwright {

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
