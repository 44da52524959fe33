// The arrays of a call: numpy's and whatever offers Python's buffer protocol or DLPack. Copies no elements.
// Thread rule: made and destroyed by whoever holds the interpreter's lock; read by any thread meanwhile.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <optional>
#include <string>

#include "nestwright/array.h"

namespace nestwright::python {

/// The memory of an array for the time of a call.
class BorrowedArray {
 public:
  /// Throws UsageError, with the argument's name, for what is no array in the memory of this machine.
  BorrowedArray(nanobind::handle object, const std::string& name);

  const ArrayView& view() const { return *view_; }

 private:
  bool get_buffer(nanobind::handle object);
  void take_buffer(const std::string& name, ir::Type type);
  void take_dlpack(nanobind::handle object, const std::string& name);

  struct Release {
    void operator()(Py_buffer* buffer) const {
      PyBuffer_Release(buffer);
      delete buffer;
    }
  };

  std::unique_ptr<Py_buffer, Release> buffer_;
  nanobind::object owner_;  ///< of DLPack's memory
  std::optional<ArrayView> view_;
};

/// An uninitialised numpy array whose first element is at a multiple of `alignment`.
nanobind::object empty_array(const std::vector<std::int64_t>& shape, ir::Type type, int alignment);

}  // namespace nestwright::python
