#include "measure/tensor_file.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "measure/elements.h"
#include "measure/guarded_region.h"
#include "support/error.h"

namespace nestwright {

namespace {

// Appends whole pages to the file and returns their offset.
std::int64_t append(int fd, std::int64_t& size, const std::string& bytes) {
  const std::int64_t at = size;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = pwrite(fd, bytes.data() + done, bytes.size() - done, at + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      throw Error(fmt::format("cannot keep the tensors in memory ({}); free memory or choose smaller ones",
                              std::strerror(errno)));
    }
    done += static_cast<std::size_t>(n);
  }
  size += static_cast<std::int64_t>(bytes.size());
  return at;
}

std::int64_t append_doubles(int fd, std::int64_t& size, const std::vector<double>& values) {
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(double));
  std::string pages(static_cast<std::size_t>(GuardedRegion::padded(bytes)), '\0');
  std::memcpy(pages.data(), values.data(), static_cast<std::size_t>(bytes));
  return append(fd, size, pages);
}

// The memory of an input under one placement, including the canary around it.
std::string place(ir::Type type, const std::vector<double>& values, Placement placement) {
  const std::int64_t bytes = static_cast<std::int64_t>(values.size()) * type.bytes();
  std::string pages(static_cast<std::size_t>(GuardedRegion::padded(bytes)), static_cast<char>(GuardedRegion::kCanary));
  encode_elements(type, values, pages.data() + GuardedRegion::offset(bytes, placement));
  return pages;
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
      layout.first = layout.second = append(fd_.get(), bytes_, place(layout.type, values, Placement::kAtEnd));
      const std::int64_t bytes = layout.elements * layout.type.bytes();
      if (GuardedRegion::offset(bytes, Placement::kAtEnd) != 0) {
        layout.second = append(fd_.get(), bytes_, place(layout.type, values, Placement::kAtStart));
      }
      if (has_whole) {
        const std::vector<double>& whole = data.whole_inputs[input - 1];
        require(whole.size() == n, i, "an input needs a whole number for each element");
        layout.whole = append(fd_.get(), bytes_, place(layout.type, whole, Placement::kAtEnd));
      }
      if (has_wide) {
        const std::vector<double>& wide = data.wide_inputs[input - 1];
        require(wide.size() == n, i, "an input needs a value of each magnitude for each element");
        layout.wide = append(fd_.get(), bytes_, place(layout.type, wide, Placement::kAtEnd));
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
    layout_.push_back(layout);
  }
  require(input == data.inputs.size() && output == data.expected.size(), parameters,
          "there is data for more parameters");
}

}  // namespace nestwright
