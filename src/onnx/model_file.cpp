#include "onnx/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>

#include "nestwright/error.h"
#include "onnx/external_data.h"

namespace nestwright {
namespace {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw data of ONNX is little-endian");

// Types that are newer than the schema that this is compiled with.
constexpr int kUInt4 = 21, kInt4 = 22;

bool has_four_bits(int data_type) { return data_type == kUInt4 || data_type == kInt4; }

/// The extents, whose product fits memory.
std::vector<std::int64_t> shape_of(const TensorProto& tensor) {
  std::vector<std::int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements) || elements > (std::int64_t{1} << 40)) {
      throw UsageError(fmt::format("the tensor '{}' has an illegal shape", tensor.name()));
    }
  }
  return shape;
}

/// Bytes that a copy owns.
ConstantData owned(std::vector<std::byte> bytes) {
  const auto memory = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {std::span(*memory), memory};
}

/// Two elements of a byte, the lower one first, as a byte each.
std::vector<std::byte> unpacked(std::span<const std::byte> packed, std::int64_t elements, bool is_signed) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int nibble = std::to_integer<int>(packed[i / 2] >> (i % 2 == 0 ? 0 : 4)) & 15;
    bytes[i] = static_cast<std::byte>(is_signed && nibble >= 8 ? nibble - 16 : nibble);
  }
  return bytes;
}

template <class T, class Numbers>
std::vector<std::byte> converted(const Numbers& numbers) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(numbers.size()) * sizeof(T));
  for (int i = 0; i < numbers.size(); ++i) {
    const T value = static_cast<T>(numbers[i]);
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

/// Elements of int32_data, as each type stores them.
std::vector<std::byte> converted_to(int bytes, const google::protobuf::RepeatedField<std::int32_t>& numbers) {
  if (bytes == 1) return converted<std::uint8_t>(numbers);
  if (bytes == 2) return converted<std::uint16_t>(numbers);
  return converted<std::int32_t>(numbers);
}

}  // namespace

ir::Type element_type(int data_type, const std::string& what) {
  switch (data_type) {
    case TensorProto::FLOAT:
      return kFloat32;
    case TensorProto::DOUBLE:
      return kFloat64;
    case TensorProto::FLOAT16:
      return kFloat16;
    case TensorProto::BFLOAT16:
      return kBFloat16;
    case TensorProto::INT8:
    case kInt4:
      return kInt8;
    case TensorProto::INT16:
      return kInt16;
    case TensorProto::INT32:
      return kInt32;
    case TensorProto::INT64:
      return kInt64;
    case TensorProto::UINT8:
    case kUInt4:
      return kUInt8;
    case TensorProto::UINT16:
      return kUInt16;
    case TensorProto::UINT32:
      return kUInt32;
    case TensorProto::UINT64:
      return kUInt64;
    case TensorProto::BOOL:
      return kBool;
    default:
      break;
  }
  const std::string name = TensorProto::DataType_IsValid(data_type)
                               ? TensorProto::DataType_Name(static_cast<TensorProto::DataType>(data_type))
                               : fmt::format("number {}", data_type);
  throw UnsupportedType(fmt::format("{} has the element type {}, which Nestwright does not have", what, name));
}

std::shared_ptr<const ModelFile> ModelFile::load(const std::string& path) {
  const std::shared_ptr<ModelFile> file(new ModelFile(path));
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw UsageError(fmt::format("the model {} cannot be read: {}", path, std::generic_category().message(errno)));
  }
  google::protobuf::io::FileInputStream stream(descriptor);
  stream.SetCloseOnDelete(true);
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
  const bool is_parsed = file->proto_.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  if (stream.GetErrno() != 0) {
    throw UsageError(
        fmt::format("the model {} cannot be read: {}", path, std::generic_category().message(stream.GetErrno())));
  }
  if (!is_parsed || !file->proto_.has_graph()) {
    throw UsageError(fmt::format("{} is not an ONNX model, or a part of it is missing", path));
  }
  return file;
}

StoredTensor ModelFile::tensor(const TensorProto& tensor) const {
  const std::string what = "the tensor '" + tensor.name() + "'";
  StoredTensor stored{{element_type(tensor.data_type(), what), shape_of(tensor)}, {}};
  const auto elements = static_cast<std::size_t>(stored.type.elements());
  const bool is_packed = has_four_bits(tensor.data_type());
  const std::size_t stored_bytes = is_packed ? (elements + 1) / 2 : stored.type.size_bytes();
  const auto require = [&](std::size_t bytes) {
    if (bytes == stored_bytes) return;
    throw UsageError(fmt::format("{} is {} and has {} bytes, not {}", what, stored.type.str(), bytes, stored_bytes));
  };
  const auto in_file = [&](const void* data, std::size_t bytes) {
    require(bytes);
    return ConstantData{{static_cast<const std::byte*>(data), bytes}, shared_from_this()};
  };
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    stored.data = external_data(path_, tensor, stored_bytes);
  } else if (tensor.has_raw_data()) {
    stored.data = in_file(tensor.raw_data().data(), tensor.raw_data().size());
  } else if (stored.type.type == kFloat32) {
    stored.data = in_file(tensor.float_data().data(), static_cast<std::size_t>(tensor.float_data_size()) * 4);
  } else if (stored.type.type == kFloat64) {
    stored.data = in_file(tensor.double_data().data(), static_cast<std::size_t>(tensor.double_data_size()) * 8);
  } else if (stored.type.type == kInt64) {
    stored.data = in_file(tensor.int64_data().data(), static_cast<std::size_t>(tensor.int64_data_size()) * 8);
  } else if (stored.type.type == kUInt64) {
    stored.data = in_file(tensor.uint64_data().data(), static_cast<std::size_t>(tensor.uint64_data_size()) * 8);
  } else if (stored.type.type == kUInt32) {
    stored.data = owned(converted<std::uint32_t>(tensor.uint64_data()));
  } else {
    stored.data = owned(converted_to(stored.type.type.bytes(), tensor.int32_data()));
  }
  require(stored.data.bytes.size());
  if (is_packed) {
    stored.data = owned(unpacked(stored.data.bytes, stored.type.elements(), tensor.data_type() == kInt4));
  }
  return stored;
}

}  // namespace nestwright
