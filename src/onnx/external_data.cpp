#include "onnx/external_data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <memory>
#include <system_error>

#include "nestwright/error.h"

namespace nestwright {
namespace {

namespace fs = std::filesystem;

std::size_t number_of(const std::string& text, const ::onnx::TensorProto& tensor) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UsageError(
        fmt::format("the tensor '{}' has external data at '{}', which is no offset or length", tensor.name(), text));
  }
  return number;
}

/// The file, symbolic links resolved, which lies in the model's folder.
fs::path resolved(const std::string& model_path, const std::string& location, const ::onnx::TensorProto& tensor) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(model_path).parent_path(), error);
  const fs::path file = fs::weakly_canonical(folder / location, error);
  const fs::path relative = file.lexically_relative(folder);
  const bool is_inside = !relative.empty() && *relative.begin() != ".." && !fs::path(location).is_absolute();
  if (location.empty() || !is_inside) {
    throw UsageError(fmt::format("the tensor '{}' has its data in '{}', which is not in the model's folder",
                                 tensor.name(), location));
  }
  return file;
}

/// A mapping of a whole file.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path, const ::onnx::TensorProto& tensor) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
      size_ = static_cast<std::size_t>(status.st_size);
      if (size_ > 0) memory_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    const int error = errno;
    if (descriptor >= 0) close(descriptor);
    if (memory_ == MAP_FAILED) {
      throw UsageError(fmt::format("the data of the tensor '{}' in {} cannot be read: {}", tensor.name(), path.string(),
                                   std::generic_category().message(error)));
    }
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (memory_ != MAP_FAILED) munmap(memory_, size_);
  }

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_), size_}; }

 private:
  void* memory_ = MAP_FAILED;
  std::size_t size_ = 0;
};

}  // namespace

ConstantData external_data(const std::string& model_path, const ::onnx::TensorProto& tensor, std::size_t bytes) {
  std::string location;
  std::size_t offset = 0, length = bytes;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = number_of(entry.value(), tensor);
    if (entry.key() == "length") length = number_of(entry.value(), tensor);
  }
  const fs::path path = resolved(model_path, location, tensor);
  const auto file = std::make_shared<const MappedFile>(path, tensor);
  const std::size_t size = file->bytes().size();
  if (offset > size || length > size - offset) {
    throw UsageError(fmt::format("the tensor '{}' needs {} bytes from byte {} of {}, which has {}", tensor.name(),
                                 length, offset, path.string(), size));
  }
  return {file->bytes().subspan(offset, length), file};
}

}  // namespace nestwright
