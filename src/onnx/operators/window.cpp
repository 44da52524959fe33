#include "onnx/operators/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

WindowAttributes::WindowAttributes(const OperatorCall& call, std::vector<std::int64_t> kernel_extents)
    : kernel(std::move(kernel_extents)), auto_pad(call.text("auto_pad", "NOTSET")) {
  const std::size_t dims = kernel.size();
  call.require_valid(dims >= 1, "there are no spatial dimensions");
  call.require_valid(call.integers("kernel_shape", kernel) == kernel, "kernel_shape is not that of the weights");
  strides = call.integers("strides", std::vector<std::int64_t>(dims, 1));
  dilations = call.integers("dilations", std::vector<std::int64_t>(dims, 1));
  std::vector<std::int64_t> pads = call.integers("pads", std::vector<std::int64_t>(2 * dims, 0));
  call.require_valid(strides.size() == dims && dilations.size() == dims && pads.size() == 2 * dims,
                     "strides, dilations or pads differ in rank from the input");
  call.require_valid(is_same() || auto_pad.empty() || auto_pad == "NOTSET" || auto_pad == "VALID",
                     "auto_pad is none of ONNX's");
  if (is_same() || auto_pad == "VALID") std::fill(pads.begin(), pads.end(), 0);
  before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(dims));
  after.assign(pads.begin() + static_cast<std::ptrdiff_t>(dims), pads.end());
  constexpr std::int64_t kMax = std::int64_t{1} << 31;
  for (std::size_t d = 0; d < dims; ++d) {
    for (const std::int64_t number : {kernel[d], strides[d], dilations[d]}) {
      call.require_valid(number >= 1 && number < kMax, "a kernel, stride or dilation is out of range");
    }
    for (const std::int64_t padding : {before[d], after[d]}) {  // a negative one crops
      call.require_valid(padding > -kMax && padding < kMax, "a padding is out of range");
    }
  }
}

void WindowAttributes::set_padding(std::size_t d, std::int64_t padding) {
  before[d] = auto_pad == "SAME_UPPER" ? padding / 2 : padding - padding / 2;
  after[d] = padding - before[d];
}

Window::Window(const OperatorCall& call, std::vector<std::int64_t> input_extents,
               std::vector<std::int64_t> kernel_extents, bool ceil_mode)
    : WindowAttributes(call, std::move(kernel_extents)), input(std::move(input_extents)) {
  call.require_valid(kernel.size() == input.size(), "the kernel and the input differ in rank");
  for (std::size_t d = 0; d < rank(); ++d) {
    call.require_valid(input[d] >= 1 && input[d] < std::int64_t{1} << 31, "an extent of the input is out of range");
    if (is_same()) {
      const std::int64_t windows = (input[d] + strides[d] - 1) / strides[d];
      set_padding(d, std::max<std::int64_t>(0, (windows - 1) * strides[d] + extent(d) - input[d]));
    }
    const std::int64_t room = input[d] + before[d] + after[d] - extent(d);
    call.require_valid(room >= 0, "the kernel is larger than the padded input");
    std::int64_t windows = room / strides[d] + 1;
    const bool has_part = ceil_mode && room % strides[d] != 0;
    // The last window must not begin in the padding after the input.
    if (has_part && windows * strides[d] < input[d] + before[d]) ++windows;
    result.push_back(windows);
  }
}

bool Window::is_padded() const {
  for (std::size_t d = 0; d < rank(); ++d) {
    const std::int64_t last = (result[d] - 1) * strides[d] + extent(d) - 1 - before[d];
    if (before[d] > 0 || last >= input[d]) return true;
  }
  return false;
}

std::string Window::index(std::size_t d, const std::string& y, const std::string& r) const {
  std::string text = times(strides[d], y);
  if (!r.empty()) text += "+" + times(dilations[d], r);
  return plus(text, -before[d]);
}

std::string times(std::int64_t factor, const std::string& index) {
  return factor == 1 ? index : fmt::format("{}*{}", factor, index);
}

std::string plus(const std::string& index, std::int64_t offset) {
  return offset == 0 ? index : fmt::format("{}{:+}", index, offset);
}

}  // namespace nestwright
