#include "onnx/operators/indices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <ranges>

#include "nestwright/error.h"

namespace nestwright {

std::vector<std::string> Indices::names() const {
  std::vector<std::string> all;
  for (std::size_t d = 0; d < rank(); ++d) all.push_back(name(d));
  return all;
}

std::string Indices::list() const { return joined(names()); }

std::string Indices::sizes() const {
  std::string text;
  for (std::size_t d = 0; d < rank(); ++d) text += fmt::format(" {}={}", name(d), extents[d]);
  return text;
}

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ",")); }

std::vector<std::int64_t> broadcast_shape(const std::vector<std::vector<std::int64_t>>& shapes) {
  std::size_t rank = 0;
  for (const auto& shape : shapes) rank = std::max(rank, shape.size());
  std::vector<std::int64_t> result(rank, 1);
  for (const auto& shape : shapes) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::int64_t& extent = result[rank - shape.size() + d];
      if (extent != 1 && shape[d] != 1 && extent != shape[d]) {
        throw UsageError(fmt::format("shapes [{}] cannot be broadcast to each other",
                                     fmt::join(shapes | std::views::transform([](const auto& s) {
                                                 return fmt::format("{}", fmt::join(s, ", "));
                                               }),
                                               "], [")));
      }
      if (shape[d] != 1) extent = shape[d];
    }
  }
  return result;
}

std::string broadcast_indices(const std::vector<std::int64_t>& shape, const Indices& indices) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t at = indices.rank() - shape.size() + d;
    names.push_back(shape[d] != indices.extents[at] ? "0" : indices.name(at));
  }
  return joined(names);
}

std::int64_t product_of(const std::vector<std::int64_t>& extents) {
  std::int64_t product = 1;
  bool overflows = false;
  for (const std::int64_t extent : extents) overflows |= __builtin_mul_overflow(product, extent, &product);
  return !overflows || is_empty(extents) ? product : std::numeric_limits<std::int64_t>::max();
}

bool is_empty(const std::vector<std::int64_t>& shape) { return std::ranges::find(shape, 0) != shape.end(); }

}  // namespace nestwright
