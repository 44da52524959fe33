// Operators that change only the shape of their operand, that compute shapes, and that repeat or reorder elements.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "onnx/operators/indices.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

using Extents = std::vector<std::int64_t>;

void shape_of(OperatorCall& call) {
  const Extents& shape = call.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto clamped = [&](std::int64_t end) { return std::clamp<std::int64_t>(end < 0 ? end + rank : end, 0, rank); };
  const std::int64_t first = clamped(call.integer("start", 0)), end = clamped(call.integer("end", rank));
  Extents part;
  if (first < end) part.assign(shape.begin() + first, shape.begin() + end);
  const auto count = static_cast<std::int64_t>(part.size());
  call.set_output(0, call.constant(part, {count}));
}

void size_of(OperatorCall& call) { call.set_output(0, call.constant({call.type(0).elements()}, {})); }

void reshape(OperatorCall& call) {
  const Extents from = call.shape(0);
  Extents to = call.constant_integers(1);
  const bool copies_zeros = call.integer("allowzero", 0) == 0;
  std::int64_t known = 1;
  auto inferred = to.end();
  for (auto extent = to.begin(); extent != to.end(); ++extent) {
    const auto d = static_cast<std::size_t>(extent - to.begin());
    if (*extent == 0 && copies_zeros) {
      call.require_valid(d < from.size(), "a 0 of its shape has no extent to copy");
      *extent = from[d];
    }
    if (*extent == -1) {
      call.require_valid(inferred == to.end(), "its shape has two extents of -1");
      inferred = extent;
      continue;
    }
    call.require_valid(*extent >= 0 && !__builtin_mul_overflow(known, *extent, &known), "its shape is illegal");
  }
  const std::int64_t elements = product_of(from);
  if (inferred != to.end()) {
    call.require_valid(known > 0 && elements % known == 0, "the elements do not fill its shape");
    *inferred = elements / known;
  }
  call.set_output(0, call.reshape(call.input(0), to));
}

void flatten(OperatorCall& call) {
  const Extents& shape = call.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t axis =
      call.integer("axis", 1) == rank ? rank : call.axis("axis", 1, std::max<std::int64_t>(rank, 1));
  const std::int64_t rows = product_of({shape.begin(), shape.begin() + std::min(axis, rank)});
  const std::int64_t columns = product_of({shape.begin() + std::min(axis, rank), shape.end()});
  call.set_output(0, call.reshape(call.input(0), {rows, columns}));
}

void squeeze(OperatorCall& call) {
  const Extents shape = call.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::optional<Extents> given = call.integers_of(1, "axes");
  const Extents axes = call.checked_axes(given.value_or(Extents()), rank);
  Extents result;
  for (std::int64_t d = 0; d < rank; ++d) {
    const std::int64_t extent = shape[static_cast<std::size_t>(d)];
    const bool is_named = std::find(axes.begin(), axes.end(), d) != axes.end();
    call.require_valid(!is_named || extent == 1, fmt::format("the extent of axis {} is {}, not 1", d, extent));
    if (!is_named && (given || extent != 1)) result.push_back(extent);
  }
  call.set_output(0, call.reshape(call.input(0), result));
}

void unsqueeze(OperatorCall& call) {
  const Extents shape = call.shape(0);
  const std::optional<Extents> given = call.integers_of(1, "axes");
  call.require_valid(given.has_value(), "axes are missing");
  const std::size_t rank = shape.size() + given->size();
  const Extents axes = call.checked_axes(*given, static_cast<std::int64_t>(rank));
  Extents result(rank, 0);
  for (const std::int64_t axis : axes) result[static_cast<std::size_t>(axis)] = 1;
  auto next = shape.begin();
  for (std::size_t d = 0; d < rank; ++d) {
    const bool is_new = std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
    if (!is_new) result[d] = *next++;
  }
  call.set_output(0, call.reshape(call.input(0), result));
}

/// Whether the permutation moves only dimensions of extent 1, so that the elements stay in order.
bool keeps_order(const Extents& shape, const Extents& order) {
  std::int64_t last = -1;
  for (const std::int64_t d : order) {
    if (shape[static_cast<std::size_t>(d)] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

void transpose(OperatorCall& call) {
  const Extents shape = call.shape(0);
  Extents order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  order = call.checked_axes(call.integers("perm", order), call.rank(0));
  call.require_valid(order.size() == shape.size(), "perm is no permutation");
  Extents result;
  for (const std::int64_t d : order) result.push_back(shape[static_cast<std::size_t>(d)]);
  if (is_empty(shape) || keeps_order(shape, order)) return call.set_output(0, call.reshape(call.input(0), result));
  const Indices indices(result);
  std::vector<std::string> read(shape.size());
  for (std::size_t d = 0; d < order.size(); ++d) read[static_cast<std::size_t>(order[d])] = indices.name(d);
  call.set_output(0, call.apply(fmt::format("Y[{}]=X[{}]{}", indices.list(), joined(read), indices.sizes()),
                                {{"X", call.input(0)}}));
}

/// The operand, broadcast to a shape that has its elements and more.
ValueId broadcast(OperatorCall& call, const Extents& result) {
  const Extents shape = call.shape(0);
  if (is_empty(result)) return call.empty_constant(call.type(0).type, result);
  if (product_of(result) == product_of(shape)) return call.reshape(call.input(0), result);
  const Indices indices(result);
  return call.apply(fmt::format("Y[{}]=X[{}]{}", indices.list(), broadcast_indices(shape, indices), indices.sizes()),
                    {{"X", call.input(0)}});
}

void require_extents(const OperatorCall& call, const Extents& shape) {
  for (const std::int64_t extent : shape) {
    call.require_valid(extent >= 0 && extent < std::int64_t{1} << 31, "an extent of its result is out of range");
  }
}

void expand(OperatorCall& call) {
  const Extents to = call.constant_integers(1);
  require_extents(call, to);
  call.set_output(0, broadcast(call, broadcast_shape({call.shape(0), to})));
}

void tile(OperatorCall& call) {
  const Extents shape = call.shape(0), repeats = call.constant_integers(1);
  call.require_valid(repeats.size() == shape.size(), "there is not one number of repeats for each dimension");
  require_extents(call, repeats);
  Extents result;
  for (std::size_t d = 0; d < shape.size(); ++d) result.push_back(shape[d] * repeats[d]);
  require_extents(call, result);
  if (is_empty(result)) return call.set_output(0, call.empty_constant(call.type(0).type, result));
  const Indices indices(result);
  std::vector<std::string> read;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::string index = indices.name(d);
    if (repeats[d] != 1) index = shape[d] == 1 ? "0" : fmt::format("{}%{}", index, shape[d]);
    read.push_back(index);
  }
  if (result == shape) return call.set_output(0, call.input(0));
  call.set_output(0, call.apply(fmt::format("Y[{}]=X[{}]{}", indices.list(), joined(read), indices.sizes()),
                                {{"X", call.input(0)}}));
}

}  // namespace

std::vector<OnnxOperator> shape_operators() {
  return {
      {"Expand", 8, kNewestOpset, {}, expand},
      {"Flatten", 1, kNewestOpset, {"axis"}, flatten},
      {"Reshape", 5, kNewestOpset, {"allowzero"}, reshape},
      {"Shape", 1, kNewestOpset, {"end", "start"}, shape_of},
      {"Size", 1, kNewestOpset, {}, size_of},
      {"Squeeze", 1, 12, {"axes"}, squeeze},
      {"Squeeze", 13, kNewestOpset, {}, squeeze},
      {"Tile", 6, kNewestOpset, {}, tile},
      {"Transpose", 1, kNewestOpset, {"perm"}, transpose},
      {"Unsqueeze", 1, 12, {"axes"}, unsqueeze},
      {"Unsqueeze", 13, kNewestOpset, {}, unsqueeze},
  };
}

}  // namespace nestwright
