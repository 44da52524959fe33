// The windows of convolutions and pooling: kernel, strides, dilations and pads of each spatial dimension.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/operators/operator_call.h"

namespace nestwright {

/// The attributes of a node that say where its windows lie, each with one number for each spatial dimension.
struct WindowAttributes {
  /// Throws UsageError if they do not have `kernel.size()` dimensions, or are out of range.
  WindowAttributes(const OperatorCall& call, std::vector<std::int64_t> kernel_extents);

  std::size_t rank() const { return kernel.size(); }
  /// The elements from the first to the last that a window reads in dimension d.
  std::int64_t extent(std::size_t d) const { return dilations[d] * (kernel[d] - 1) + 1; }
  bool is_same() const { return auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER"; }
  /// Divides a padding, of which the end that auto_pad names gets the larger half.
  void set_padding(std::size_t d, std::int64_t padding);

  std::vector<std::int64_t> kernel, strides, dilations;
  std::vector<std::int64_t> before, after;  ///< paddings; 0 where auto_pad decides
  std::string auto_pad;
};

/// The windows of convolutions and pooling over an input.
class Window : public WindowAttributes {
 public:
  /// `ceil_mode`: a last window that begins in the input or in the padding before it counts, even if it ends behind the
  /// padding. Throws UsageError if no window fits.
  Window(const OperatorCall& call, std::vector<std::int64_t> input_extents, std::vector<std::int64_t> kernel_extents,
         bool ceil_mode = false);

  /// Whether a window reads outside of the input.
  bool is_padded() const;
  /// The index of the input's dimension d: "2*y+r-1". `r` may be empty where the kernel has one element.
  std::string index(std::size_t d, const std::string& y, const std::string& r) const;

  std::vector<std::int64_t> input;
  std::vector<std::int64_t> result;  ///< the number of windows in each dimension
};

/// "2*y", or "y" for the factor 1.
std::string times(std::int64_t factor, const std::string& index);
/// "y+2", "y-2", or "y" for 0.
std::string plus(const std::string& index, std::int64_t offset);

}  // namespace nestwright
