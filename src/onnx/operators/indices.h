// Indices of the expressions that operators are made of.
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// The indices of a tensor of this shape: i0, i1, ...
struct Indices {
  std::string prefix;
  std::vector<std::int64_t> extents;

  explicit Indices(std::vector<std::int64_t> shape, std::string prefix_of_names = "i")
      : prefix(std::move(prefix_of_names)), extents(std::move(shape)) {}

  std::size_t rank() const { return extents.size(); }
  std::string name(std::size_t d) const { return prefix + std::to_string(d); }
  std::vector<std::string> names() const;
  /// "i0,i1"
  std::string list() const;
  /// " i0=64 i1=10", which ends the expression
  std::string sizes() const;
};

/// The names between commas.
std::string joined(const std::vector<std::string>& names);

/// The shape that tensors of these shapes have together by numpy's rule of broadcasting. Throws UsageError if there is
/// none.
std::vector<std::int64_t> broadcast_shape(const std::vector<std::vector<std::int64_t>>& shapes);

/// How an element of a tensor is read that is broadcast to the shape of `indices`: "i1,0" for the shape [5, 1] in
/// [4, 5, 6]. A dimension that is not broadcast has its index, also if its extent is 1.
std::string broadcast_indices(const std::vector<std::int64_t>& shape, const Indices& indices);

/// The largest integer where the product has more than 64 bits.
std::int64_t product_of(const std::vector<std::int64_t>& extents);

/// Whether a tensor of this shape has no elements. Expressions do not have such tensors.
bool is_empty(const std::vector<std::int64_t>& shape);

}  // namespace nestwright
