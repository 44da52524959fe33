#include "arrays.h"

#include <nanobind/stl/string.h>

#include <optional>

#include "conversions.h"
#include "nestwright/error.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

/// The element type that a format of the buffer protocol denotes, in native order; nullopt for any other.
std::optional<ir::Type> type_of_format(const char* format, Py_ssize_t item_size) {
  if (format == nullptr) return kUInt8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == '\0' || format[1] != '\0') return std::nullopt;
  const auto bits = static_cast<std::uint8_t>(8 * item_size);
  switch (format[0]) {
    case '?':
      return kBool;
    case 'e':
    case 'f':
    case 'd':
      return ir::Type{ir::TypeCode::kFloat, bits, 1};
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return ir::Type{ir::TypeCode::kInt, bits, 1};
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return ir::Type{ir::TypeCode::kUInt, bits, 1};
    default:
      return std::nullopt;
  }
}

ir::Type type_of_dlpack(nb::dlpack::dtype type, const std::string& name) {
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  if (type.lanes == 1) {
    switch (code) {
      case nb::dlpack::dtype_code::Int:
        return {ir::TypeCode::kInt, type.bits, 1};
      case nb::dlpack::dtype_code::UInt:
        return {ir::TypeCode::kUInt, type.bits, 1};
      case nb::dlpack::dtype_code::Float:
        return {ir::TypeCode::kFloat, type.bits, 1};
      case nb::dlpack::dtype_code::Bfloat:
        return {ir::TypeCode::kBFloat, type.bits, 1};
      case nb::dlpack::dtype_code::Bool:
        return kBool;
      default:
        break;
    }
  }
  throw UsageError(name + ": its elements have a type that no kernel takes");
}

}  // namespace

BorrowedArray::BorrowedArray(nb::handle object, const std::string& name) {
  try {
    take(object, name);
  } catch (...) {
    release();  // an object that is not constructed is not destroyed
    throw;
  }
}

void BorrowedArray::release() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
  has_buffer_ = false;
}

ArrayRef BorrowedArray::ref() const {
  static const ArrayView kNothing(static_cast<void*>(nullptr), kFloat32, {});
  ArrayRef ref(kNothing);
  ref.data = data_;
  ref.writable = is_writable_;
  ref.type = type_;
  ref.shape = shape_;
  ref.strides = strides_;
  return ref;
}

bool BorrowedArray::is_at_multiple_of(int alignment) const {
  return alignment < 2 || reinterpret_cast<std::uintptr_t>(data_) % static_cast<std::uintptr_t>(alignment) == 0;
}

void BorrowedArray::take(nb::handle object, const std::string& name) {
  if (PyObject_CheckBuffer(object.ptr()) != 0) {
    if (get_buffer(object)) {
      const std::optional<ir::Type> type = type_of_format(buffer_.format, buffer_.itemsize);
      if (!type) {
        throw UsageError(name + ": expected an array of numbers in this machine's byte order, got the format '" +
                         std::string(buffer_.format == nullptr ? "" : buffer_.format) + "'");
      }
      take_buffer(name, *type);
      return;
    }
    // The types of ml_dtypes have no format: numpy lends their bits.
    if (nb::hasattr(object, "dtype") && nb::hasattr(object, "view")) {
      const auto type_name = nb::cast<std::string>(nb::str(object.attr("dtype").attr("name")));
      if (type_name != "bfloat16") throw UsageError(name + ": no kernel takes elements of type " + type_name);
      owner_ = object.attr("view")("uint16");
      if (get_buffer(owner_)) {
        take_buffer(name, kBFloat16);
        return;
      }
    }
  }
  if (!nb::hasattr(object, "__dlpack__")) {
    throw UsageError(name + ": expected an array, of numpy or with DLPack, got " +
                     nb::cast<std::string>(nb::str(object.type().attr("__name__"))));
  }
  take_dlpack(object, name);
}

bool BorrowedArray::get_buffer(nb::handle object) {
  for (const int writable : {PyBUF_WRITABLE, 0}) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_STRIDES | PyBUF_FORMAT | writable) == 0) {
      has_buffer_ = true;
      return true;
    }
    PyErr_Clear();
  }
  return false;
}

std::span<std::int64_t> BorrowedArray::strides_of(std::size_t rank) {
  if (rank <= kFewDimensions) return std::span(few_strides_).first(rank);
  many_strides_.resize(rank);
  return many_strides_;
}

void BorrowedArray::take_buffer(const std::string& name, ir::Type type) {
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  const auto rank = static_cast<std::size_t>(buffer_.ndim);
  const std::span<std::int64_t> strides = strides_of(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    if (buffer_.strides[d] % buffer_.itemsize != 0) {
      throw UsageError(name + ": expected strides that are multiples of its elements: copy it");
    }
    strides[d] = buffer_.strides[d] / buffer_.itemsize;
  }
  data_ = buffer_.buf;
  is_writable_ = buffer_.readonly == 0;
  type_ = type;
  shape_ = {reinterpret_cast<const std::int64_t*>(buffer_.shape), rank};
  strides_ = strides;
}

void BorrowedArray::take_dlpack(nb::handle object, const std::string& name) {
  if (!nb::try_cast<nb::ndarray<nb::ro>>(object, by_dlpack_)) {
    throw UsageError(name + ": expected an array whose memory DLPack lends: detach it, or copy it");
  }
  if (by_dlpack_.device_type() != nb::device::cpu::value) {
    throw UsageError(name + ": expected an array in the memory of this machine: copy it from its device");
  }
  const std::span<std::int64_t> strides = strides_of(by_dlpack_.ndim());
  for (std::size_t d = 0; d < by_dlpack_.ndim(); ++d) strides[d] = by_dlpack_.stride(d);
  // DLPack of older versions does not say whether memory may be written; a call writes outputs only.
  data_ = const_cast<void*>(by_dlpack_.data());
  is_writable_ = true;
  type_ = type_of_dlpack(by_dlpack_.dtype(), name);
  shape_ = {by_dlpack_.shape_ptr(), by_dlpack_.ndim()};
  strides_ = strides;
}

nb::object empty_array(std::span<const std::int64_t> shape, ir::Type type, int alignment) {
  static nb::handle numpy = nb::module_::import_("numpy").release();
  static nb::handle empty = nb::object(numpy.attr("empty")).release();
  nb::list extents;
  for (const std::int64_t extent : shape) extents.append(extent);
  const nb::tuple size(extents);
  const nb::object dtype = dtype_of(type);
  constexpr int kOfNumpy = 16;
  if (alignment <= kOfNumpy) return empty(size, dtype);
  std::int64_t bytes = type.bytes();
  for (const std::int64_t extent : shape) bytes *= extent;
  const nb::object memory = empty(bytes + alignment, "uint8");
  const auto address = nb::cast<std::uintptr_t>(memory.attr("ctypes").attr("data"));
  const auto start = static_cast<std::int64_t>((alignment - address % static_cast<std::uintptr_t>(alignment)) %
                                               static_cast<std::uintptr_t>(alignment));
  const nb::object part = memory[nb::slice(start, start + bytes)];
  return part.attr("view")(dtype).attr("reshape")(size);
}

void copy_elements(const nb::object& to, const nb::object& from) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const auto of_numpy = [&](const nb::object& array) {
    if (nb::isinstance(array, numpy.attr("ndarray"))) return array;
    return nb::object(numpy.attr(PyObject_CheckBuffer(array.ptr()) != 0 ? "asarray" : "from_dlpack")(array));
  };
  numpy.attr("copyto")(of_numpy(to), of_numpy(from));
}

}  // namespace nestwright::python
