// The windows of convolutions and pooling: kernel, strides, dilations and pads of each spatial dimension.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnx/operators/operator_call.h"

namespace nestwright {

class Window {
 public:
  struct Rule {
    bool ceil_mode = false;  ///< a last window that begins in the input or its first padding counts, too
  };

  /// Reads strides, dilations, pads and auto_pad of the node. `input` and `kernel` have the spatial extents. Throws
  /// UsageError if they do not fit, or no window does.
  Window(const OperatorCall& call, std::vector<std::int64_t> input, std::vector<std::int64_t> kernel, Rule rule);

  std::size_t rank() const { return kernel_.size(); }
  const std::vector<std::int64_t>& kernel() const { return kernel_; }
  const std::vector<std::int64_t>& strides() const { return strides_; }
  const std::vector<std::int64_t>& dilations() const { return dilations_; }
  const std::vector<std::int64_t>& pads_before() const { return before_; }
  const std::vector<std::int64_t>& pads_after() const { return after_; }
  const std::vector<std::int64_t>& result() const { return result_; }  ///< the number of windows in each dimension

  /// Whether a window reads outside of the input.
  bool is_padded() const;
  /// The index of the input's dimension d: "2*y+r-1".
  std::string index(std::size_t d, const std::string& y, const std::string& r) const;

 private:
  std::vector<std::int64_t> input_, kernel_, strides_, dilations_, before_, after_, result_;
};

}  // namespace nestwright
