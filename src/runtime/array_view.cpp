#include "nestwright/array.h"

#include <fmt/format.h>

#include <utility>

#include "nestwright/error.h"

namespace nestwright {

ArrayView::ArrayView(void* data, ir::Type type, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides)
    : data_(data), writable_(true), type_(type), shape_(std::move(shape)), strides_(std::move(strides)) {
  for (const std::int64_t extent : shape_) {
    if (extent < 0) throw UsageError(fmt::format("a view cannot have the extent {}: use 0 or more", extent));
  }
  if (!strides_.empty() && strides_.size() != shape_.size()) {
    throw UsageError(fmt::format("a view of {} dimensions is given {} strides: give one for each, or none",
                                 shape_.size(), strides_.size()));
  }
}

ArrayView::ArrayView(const void* data, ir::Type type, std::vector<std::int64_t> shape,
                     std::vector<std::int64_t> strides)
    : ArrayView(const_cast<void*>(data), type, std::move(shape), std::move(strides)) {
  writable_ = false;
}

}  // namespace nestwright
