#include "ir/simplify/vector_access.h"

#include <algorithm>
#include <optional>

#include "ir/analysis/lanes.h"
#include "ir/gpu/launch.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"

namespace nestwright::ir {
namespace {

/// The stride between lanes in elements, where it is constant.
std::optional<std::int64_t> step_of_lanes(const Buffer& buffer, const std::vector<Expr>& indices) {
  std::int64_t step = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (indices[d].lanes() == 1 || indices[d].as<Broadcast>() != nullptr) continue;
    const auto* ramp = indices[d].as<Ramp>();
    const Expr stride = buffer->stride(static_cast<int>(d));
    const std::int64_t *by = ramp != nullptr ? as_const_int(ramp->stride) : nullptr, *elements = as_const_int(stride);
    if (by == nullptr || elements == nullptr) return std::nullopt;
    step += *by * *elements;
  }
  return step;
}

}  // namespace

Expr element_offset(const Buffer& buffer, const std::vector<Expr>& indices) {
  Expr offset = 0;
  for (int d = 0; d < buffer->rank(); ++d) {
    offset = offset + cast(kIndex, indices[static_cast<std::size_t>(d)]) * buffer->stride(d);
  }
  return to_linear(offset).expr();
}

const Load* load_of_part(const Expr& part, int bits) {
  if (const auto* broadcast = part.as<Broadcast>()) return load_of_part(broadcast->value, bits);
  if (const auto* cast = part.as<Cast>()) {
    const Type from = cast->value.type();
    if (from.is_bool() || from.is_float() || part.type().bits < bits || from.bits != bits) return nullptr;
    return load_of_part(cast->value, bits);
  }
  if (const auto* call = part.as<Call>(); call != nullptr && call->intrinsic == Intrinsic::kReinterpret) {
    return load_of_part(call->args[0], bits);
  }
  return part.type().bits == bits ? part.as<Load>() : nullptr;
}

const Load* first_of_adjacent(std::span<const Expr> parts, int lanes) {
  const int count = static_cast<int>(parts.size());
  const Load* first = nullptr;
  Linear first_offset;
  std::int64_t first_step = 0;
  for (int i = 0; i < count; ++i) {
    const Load* load = load_of_part(parts[static_cast<std::size_t>(i)], 32 / count);
    if (load == nullptr || load->mask.defined() || (first != nullptr && load->buffer != first->buffer)) return nullptr;
    const std::optional<std::int64_t> step = step_of_lanes(load->buffer, load->indices);
    if (!step) return nullptr;
    Linear offset = to_linear(element_offset(load->buffer, at_lane(load->indices, 0)));
    if (first == nullptr) {
      first = load;
      first_offset = offset;
      first_step = *step;
      continue;
    }
    offset.add(first_offset, -1);
    const bool is_next = offset.is_constant() && offset.constant == i;
    if (!is_next || *step != first_step || lanes_of(load->indices) != lanes_of(first->indices)) return nullptr;
  }
  const bool is_uniform = first != nullptr && lanes_of(first->indices) == 1;
  return is_uniform || (first != nullptr && lanes_of(first->indices) == lanes && first_step == count) ? first : nullptr;
}

bool is_one_access(const Buffer& buffer, const std::vector<Expr>& indices, const Ranges& ranges) {
  const int lanes = lanes_of(indices);
  // Indices that are loaded, or that a vector let holds, are not analysed.
  if (lanes == 1 || std::any_of(indices.begin(), indices.end(), reads_memory)) return false;
  for (const Expr& index : indices) {
    if (index.lanes() > 1 && index.as<Ramp>() == nullptr && index.as<Broadcast>() == nullptr) return false;
  }
  const Expr first = element_offset(buffer, at_lane(indices, 0));
  for (int lane = 1; lane < lanes; ++lane) {
    Linear distance = to_linear(element_offset(buffer, at_lane(indices, lane)));
    distance.add(to_linear(first), -1);
    if (!distance.is_constant() || distance.constant != lane) return false;
  }
  const int bytes = lanes * buffer->element.bytes();
  // Whatever their buffers say, pointer arguments of kernels and shared buffers have kPointerAlignment.
  if (std::max(buffer->alignment, kPointerAlignment) % bytes != 0) return false;
  const Linear offset = to_linear(first);
  return is_multiple(offset, lanes) || is_const_int(simplify(first % Expr(lanes), ranges), 0);
}

}  // namespace nestwright::ir
