#include "measure/tensor_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "measure/elements.h"
#include "measure/guarded_region.h"
#include "support/chunks.h"
#include "support/error.h"

namespace nestwright {

namespace {

[[noreturn]] void fail(int error) {
  throw Error(
      fmt::format("cannot keep the tensors in memory ({}); free memory or choose smaller ones", std::strerror(error)));
}

/// Pages at the end of a file, which are mapped while they are filled.
class NewPages {
 public:
  /// Appends whole pages, room for `bytes` bytes, to a file of `size` bytes. They are zero.
  NewPages(int fd, std::int64_t& size, std::int64_t bytes) : at_(size), bytes_(GuardedRegion::padded(bytes)) {
    // Without memory this fails, where a store to the mapping would end the process.
    for (int error = EINTR; error == EINTR;) {
      error = posix_fallocate(fd, at_, bytes_);
      if (error != 0 && error != EINTR) fail(error);
    }
    void* const mapping = mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE, MAP_SHARED, fd, at_);
    if (mapping == MAP_FAILED) fail(errno);
    data_ = static_cast<char*>(mapping);
    size += bytes_;
  }
  NewPages(const NewPages&) = delete;
  NewPages& operator=(const NewPages&) = delete;
  ~NewPages() { munmap(data_, static_cast<std::size_t>(bytes_)); }

  std::int64_t at() const { return at_; }  ///< in the file
  char* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t at_, bytes_;
  char* data_ = nullptr;
};

/// Appends values and returns their offset.
std::int64_t append_doubles(int fd, std::int64_t& size, const std::vector<double>& values) {
  const NewPages pages(fd, size, static_cast<std::int64_t>(values.size() * sizeof(double)));
  for_chunks(values.size(), [&](std::size_t begin, std::size_t end) {
    std::memcpy(pages.data() + begin * sizeof(double), &values[begin], (end - begin) * sizeof(double));
  });
  return pages.at();
}

/// Appends the memory of an input under one placement, with the canary around it, and returns its offset.
std::int64_t append_input(int fd, std::int64_t& size, ir::Type type, std::span<const double> values,
                          Placement placement) {
  const std::int64_t bytes = static_cast<std::int64_t>(values.size()) * type.bytes();
  const NewPages pages(fd, size, bytes);
  const std::int64_t before = GuardedRegion::offset(bytes, placement), after = pages.bytes() - before - bytes;
  char* const elements = pages.data() + before;
  std::memset(pages.data(), GuardedRegion::kCanary, static_cast<std::size_t>(before));
  std::memset(elements + bytes, GuardedRegion::kCanary, static_cast<std::size_t>(after));
  for_chunks(values.size(), [&](std::size_t begin, std::size_t end) {
    encode_elements(type, values.subspan(begin, end - begin),
                    elements + static_cast<std::int64_t>(begin) * type.bytes());
  });
  return pages.at();
}

void require(bool condition, std::size_t parameter, const char* what) {
  if (!condition) throw UsageError(fmt::format("data for checking, parameter {}: {}", parameter, what));
}

}  // namespace

TensorFile::TensorFile(const CheckData& data) : fd_(memfd_create("nestwright-tensors", MFD_CLOEXEC)) {
  if (fd_.get() < 0) throw Error(fmt::format("cannot make a file in memory ({})", std::strerror(errno)));
  const std::size_t parameters = data.types.size();
  require(data.elements.size() == parameters && data.roles.size() == parameters, parameters,
          "types, elements and roles must be as many");
  require(data.expected.size() == data.bound.size(), parameters, "expected values and bounds must be as many");
  const bool has_whole = !data.whole_inputs.empty();
  require(!has_whole ||
              (data.whole_inputs.size() == data.inputs.size() && data.whole_expected.size() == data.expected.size()),
          parameters, "whole numbers must be as many as other values");
  const bool has_wide = !data.wide_inputs.empty();
  require(!has_wide ||
              (data.wide_inputs.size() == data.inputs.size() && data.wide_expected.size() == data.expected.size() &&
               data.wide_bound.size() == data.expected.size()),
          parameters, "values of large and small magnitudes must be as many as other values");
  std::size_t input = 0, output = 0;
  for (std::size_t i = 0; i < parameters; ++i) {
    TensorLayout layout{data.types[i], data.roles[i], data.elements[i]};
    require(layout.elements > 0 && layout.type.is_scalar(), i, "a tensor needs at least one element, of a scalar type");
    const auto n = static_cast<std::size_t>(layout.elements);
    if (layout.role == ir::Role::kInput) {
      require(input < data.inputs.size() && data.inputs[input].size() == n, i,
              "an input needs a value for each element");
      const std::vector<double>& values = data.inputs[input++];
      layout.first = layout.second = append_input(fd_.get(), bytes_, layout.type, values, Placement::kAtEnd);
      const std::int64_t bytes = layout.elements * layout.type.bytes();
      if (GuardedRegion::offset(bytes, Placement::kAtEnd) != 0) {
        layout.second = append_input(fd_.get(), bytes_, layout.type, values, Placement::kAtStart);
      }
      if (has_whole) {
        const std::vector<double>& whole = data.whole_inputs[input - 1];
        require(whole.size() == n, i, "an input needs a whole number for each element");
        layout.whole = append_input(fd_.get(), bytes_, layout.type, whole, Placement::kAtEnd);
      }
      if (has_wide) {
        const std::vector<double>& wide = data.wide_inputs[input - 1];
        require(wide.size() == n, i, "an input needs a value of each magnitude for each element");
        layout.wide = append_input(fd_.get(), bytes_, layout.type, wide, Placement::kAtEnd);
      }
    } else {
      require(output < data.expected.size() && data.expected[output].size() == n && data.bound[output].size() == n, i,
              "an output needs an expected value and a bound for each element");
      layout.first = append_doubles(fd_.get(), bytes_, data.expected[output]);
      layout.second = append_doubles(fd_.get(), bytes_, data.bound[output]);
      if (has_whole) {
        require(data.whole_expected[output].size() == n, i, "an output needs a whole number for each element");
        layout.whole = append_doubles(fd_.get(), bytes_, data.whole_expected[output]);
      }
      if (has_wide) {
        require(data.wide_expected[output].size() == n && data.wide_bound[output].size() == n, i,
                "an output needs an expected value and a bound for each element of large and small magnitudes");
        layout.wide = append_doubles(fd_.get(), bytes_, data.wide_expected[output]);
        layout.wide_bound = append_doubles(fd_.get(), bytes_, data.wide_bound[output]);
      }
      ++output;
    }
    layout.is_constant = std::find(data.constants.begin(), data.constants.end(), i) != data.constants.end();
    layout_.push_back(layout);
  }
  require(input == data.inputs.size() && output == data.expected.size(), parameters,
          "there is data for more parameters");
}

}  // namespace nestwright
