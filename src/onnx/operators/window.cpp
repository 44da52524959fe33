#include "onnx/operators/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {
namespace {

std::string times(std::int64_t factor, const std::string& index) {
  return factor == 1 ? index : fmt::format("{}*{}", factor, index);
}

}  // namespace

Window::Window(const OperatorCall& call, std::vector<std::int64_t> input, std::vector<std::int64_t> kernel, Rule rule)
    : input_(std::move(input)), kernel_(std::move(kernel)) {
  const std::size_t dims = input_.size();
  call.require_valid(kernel_.size() == dims, "the kernel and the input differ in rank");
  call.require_valid(call.integers("kernel_shape", kernel_) == kernel_, "kernel_shape is not that of the weights");
  strides_ = call.integers("strides", std::vector<std::int64_t>(dims, 1));
  dilations_ = call.integers("dilations", std::vector<std::int64_t>(dims, 1));
  std::vector<std::int64_t> pads = call.integers("pads", std::vector<std::int64_t>(2 * dims, 0));
  call.require_valid(strides_.size() == dims && dilations_.size() == dims && pads.size() == 2 * dims,
                     "strides, dilations or pads differ in rank from the input");
  const std::string auto_pad = call.text("auto_pad", "NOTSET");
  const bool is_same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  call.require_valid(is_same || auto_pad == "NOTSET" || auto_pad == "VALID", "auto_pad is none of ONNX's");
  if (auto_pad == "VALID") std::fill(pads.begin(), pads.end(), 0);
  before_.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(dims));
  after_.assign(pads.begin() + static_cast<std::ptrdiff_t>(dims), pads.end());
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  for (std::size_t d = 0; d < dims; ++d) {
    for (const std::int64_t number : {kernel_[d], strides_[d], dilations_[d]}) {
      call.require_valid(number >= 1 && number < kMost, "a kernel, stride or dilation is out of range");
    }
    const std::int64_t extent = dilations_[d] * (kernel_[d] - 1) + 1;
    if (is_same) {
      const std::int64_t windows = (input_[d] + strides_[d] - 1) / strides_[d];
      const std::int64_t padding = std::max<std::int64_t>(0, (windows - 1) * strides_[d] + extent - input_[d]);
      before_[d] = auto_pad == "SAME_UPPER" ? padding / 2 : padding - padding / 2;
      after_[d] = padding - before_[d];
    }
    call.require_valid(before_[d] >= 0 && after_[d] >= 0 && before_[d] < kMost && after_[d] < kMost,
                       "a padding is out of range");
    const std::int64_t room = input_[d] + before_[d] + after_[d] - extent;
    call.require_valid(room >= 0, "the kernel is larger than the padded input");
    std::int64_t windows = room / strides_[d] + 1;
    const bool has_part = rule.ceil_mode && room % strides_[d] != 0;
    // The last window must not begin in the padding after the input.
    if (has_part && windows * strides_[d] < input_[d] + before_[d]) ++windows;
    result_.push_back(windows);
  }
}

bool Window::is_padded() const {
  for (std::size_t d = 0; d < rank(); ++d) {
    const std::int64_t last = (result_[d] - 1) * strides_[d] + (kernel_[d] - 1) * dilations_[d] - before_[d];
    if (before_[d] > 0 || last >= input_[d]) return true;
  }
  return false;
}

std::string Window::index(std::size_t d, const std::string& y, const std::string& r) const {
  std::string text = times(strides_[d], y) + "+" + times(dilations_[d], r);
  if (before_[d] != 0) text += fmt::format("-{}", before_[d]);
  return text;
}

}  // namespace nestwright
