// The arrays of a call: numpy's and whatever offers Python's buffer protocol or DLPack. Copies no elements.
// Thread rule: made and destroyed by whoever holds the interpreter's lock; read by any thread meanwhile.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nestwright/array.h"

namespace nestwright::python {

/// The memory of an array for the time of a call.
class BorrowedArray {
 public:
  /// Throws UsageError, with the argument's name, for what is no array in the memory of this machine.
  BorrowedArray(nanobind::handle object, const std::string& name);
  BorrowedArray(const BorrowedArray&) = delete;
  BorrowedArray& operator=(const BorrowedArray&) = delete;
  ~BorrowedArray() { release(); }

  /// Returns the array as a call takes it, which is valid as long as this object.
  ArrayRef ref() const;
  ir::Type type() const { return type_; }
  std::span<const std::int64_t> shape() const { return shape_; }
  bool is_writable() const { return is_writable_; }
  /// Returns whether the address of the first element is a multiple of `alignment`.
  bool is_at_multiple_of(int alignment) const;

 private:
  void take(nanobind::handle object, const std::string& name);
  bool get_buffer(nanobind::handle object);
  void take_buffer(const std::string& name, ir::Type type);
  void take_dlpack(nanobind::handle object, const std::string& name);
  /// Room for the strides of so many dimensions.
  std::span<std::int64_t> strides_of(std::size_t rank);
  void release();

  static constexpr std::size_t kFewDimensions = 6;  // of which the strides need no memory of their own

  Py_buffer buffer_{};
  bool has_buffer_ = false;
  nanobind::object owner_;  ///< of what lends the buffer
  nanobind::ndarray<nanobind::ro> by_dlpack_;

  void* data_ = nullptr;
  bool is_writable_ = false;
  ir::Type type_{};
  std::span<const std::int64_t> shape_, strides_;
  std::array<std::int64_t, kFewDimensions> few_strides_{};
  std::vector<std::int64_t> many_strides_;
};

/// An uninitialised numpy array whose first element is at a multiple of `alignment`.
nanobind::object empty_array(std::span<const std::int64_t> shape, ir::Type type, int alignment);

/// Copies all elements; `to` or `from` may be arrays of other packages.
void copy_elements(const nanobind::object& to, const nanobind::object& from);

}  // namespace nestwright::python
