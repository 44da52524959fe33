#include "ir/gpu/fragment_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/analysis/bounds.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

bool is_byte(Type type) { return type == kInt8 || type == kUInt8; }
bool is_operand_type(Type type) { return type == kFloat16 || type == kBFloat16 || type == kFloat32 || is_byte(type); }
bool is_sum_type(Type type) { return type == kFloat32 || type == kInt32; }

bool any_mentions(const std::vector<Expr>& indices, const Var& var) {
  return std::any_of(indices.begin(), indices.end(), [&](const Expr& index) { return mentions(index, var); });
}

const Load* converted_load(const Expr& e) {
  const auto* cast = e.as<Cast>();
  return cast != nullptr && cast->value.as<Load>() != nullptr ? cast->value.as<Load>() : e.as<Load>();
}

}  // namespace

bool has_fragments(const Stmt& kernel) {
  return any_stmt(kernel, [](const Stmt& s) {
    const auto* allocation = s.as<Allocate>();
    return allocation != nullptr && allocation->buffer->scope == Scope::kFragment;
  });
}

bool multiplies_by_warpgroups(const Stmt& kernel) {
  return any_stmt(kernel, [](const Stmt& s) {
    const auto* instruction = s.as<TensorInstruction>();
    return instruction != nullptr && instruction->op == TensorOp::kWarpgroupMultiply;
  });
}

void refuse_fragment(const Buffer& buffer, const std::string& why) {
  throw LowerError(fmt::format("buffer {} is kept in fragment scope, but {}", buffer->name, why));
}

std::int64_t fragment_extent(const Buffer& buffer, int dimension) {
  const std::int64_t* extent = as_const_int(buffer->shape[static_cast<std::size_t>(dimension)]);
  if (extent == nullptr) {
    refuse_fragment(buffer, "it has no constant size: split the loops that it is computed for");
  }
  return *extent;
}

bool can_multiply(Type a, Type b, Type sums) {
  return is_byte(a) ? b == kInt8 && sums == kInt32 : is_operand_type(a) && a == b && sums == kFloat32;
}

FragmentProduct as_fragment_product(const Expr& value) {
  const auto* sum = value.as<Binary>();
  if (sum == nullptr || sum->op != BinaryOp::kAdd) return {};
  const bool first = sum->a.as<Load>() != nullptr;
  const auto* product = (first ? sum->b : sum->a).as<Binary>();
  if (product == nullptr || product->op != BinaryOp::kMul) return {};
  return {(first ? sum->a : sum->b).as<Load>(), converted_load(product->a), converted_load(product->b)};
}

FragmentNest::FragmentNest(const For& outermost) {
  const For* loop = &outermost;
  for (const Stmt* at = nullptr; loop != nullptr; loop = at->as<For>()) {
    if ((loop->kind != LoopKind::kSerial && loop->kind != LoopKind::kUnrolled) || !loop->body.defined()) return;
    loops.push_back(loop);
    at = &loop->body;
    store = at->as<Store>();
  }
  if (store != nullptr && store->buffer->scope != Scope::kFragment) store = nullptr;
}

FragmentLayout::FragmentLayout(const Stmt& kernel) {
  for_each_stmt(kernel, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    if (loop == nullptr) return;
    if (loop->kind == LoopKind::kThreadX) x_ = loop->var;
    if (loop->kind == LoopKind::kThreadY) y_ = loop->var;
    find_operands(*loop);
  });
}

void FragmentLayout::find_operands(const For& loop) {
  const FragmentNest nest(loop);
  const FragmentProduct product = nest.store != nullptr ? as_fragment_product(nest.store->value) : FragmentProduct{};
  if (!product.is_product()) return;
  for (const Load* operand : {product.a, product.b}) {
    if (operand->buffer->scope != Scope::kFragment || operand->buffer->rank() < 2) continue;
    // The reduction is the loop on whose variable the indices of the sums do not depend.
    const For* steps = nullptr;
    for (const For* around : nest.loops) {
      const bool is_reduction =
          !any_mentions(nest.store->indices, around->var) && any_mentions(operand->indices, around->var);
      if (is_reduction) steps = around;
    }
    if (steps == nullptr) continue;
    const bool is_last = mentions(operand->indices.back(), steps->var);
    const auto [known, is_new] = operands_.emplace(operand->buffer, is_last);
    if (!is_new && known->second != is_last) {
      refuse_fragment(operand->buffer, "it is multiplied along both of its dimensions");
    }
  }
}

std::optional<bool> FragmentLayout::reduces_last(const Buffer& buffer) const {
  const auto operand = operands_.find(buffer);
  return operand == operands_.end() ? std::nullopt : std::optional(operand->second);
}

bool FragmentLayout::is_accumulator(const Buffer& buffer) const {
  return is_sum_type(buffer->element) && !operands_.contains(buffer);
}

Type FragmentLayout::register_type(const Buffer& buffer) const {
  if (is_accumulator(buffer)) return buffer->element;
  if (is_operand_type(buffer->element)) return kUInt32;
  refuse_fragment(
      buffer, fmt::format("elements of {} are neither multiplied nor sums there: use float16, bfloat16 or tf32 with "
                          "sums of float32, or bytes with sums of int32",
                          buffer->element.str()));
}

std::int64_t FragmentLayout::registers(const Buffer& buffer) const {
  if (buffer->rank() < 2) refuse_fragment(buffer, "it is no matrix");
  std::int64_t elements = 1;
  for (int d = 0; d < buffer->rank(); ++d) {
    const std::int64_t extent = fragment_extent(buffer, d);
    elements *= extent;
    if (d < buffer->rank() - 2 || extent % side(buffer, d) == 0) continue;
    refuse_fragment(buffer, fmt::format("its size {} is no multiple of {}", extent, side(buffer, d)));
  }
  return elements * buffer->element.bytes() / 4 / (kWarpX * kWarpY);
}

std::int64_t FragmentLayout::side(const Buffer& buffer, int dimension) const {
  const std::optional<bool> is_last = reduces_last(buffer);
  if (!is_last) return kFragmentSide;
  const int along = buffer->rank() - (*is_last ? 1 : 2);
  return dimension == along ? kOperandRowBytes / buffer->element.bytes() : kFragmentSide;
}

Expr FragmentLayout::register_of(const Buffer& buffer, const MatrixPosition& position, int rows_below) const {
  const int rank = buffer->rank();
  std::int64_t rows = fragment_extent(buffer, rank - 2) / side(buffer, rank - 2),
               columns = fragment_extent(buffer, rank - 1) / side(buffer, rank - 1);
  if (reduces_last(buffer) == false) std::swap(rows, columns);
  const Expr matrix = (position.slice * Expr(rows) + position.row + Expr(rows_below)) * Expr(columns) + position.column;
  return to_linear(matrix * Expr(is_accumulator(buffer) ? 2 : 1)).expr();
}

bool FragmentLayout::mentions_lane(const Expr& e) const {
  return (x_.defined() && mentions(e, x_)) || (y_.defined() && mentions(e, y_));
}

Expr FragmentLayout::own_register(const Buffer& buffer, const std::vector<Expr>& indices, const Ranges& known) const {
  registers(buffer);
  const auto refuse_element = [&] {
    refuse_fragment(buffer,
                    fmt::format("a thread reads {}, which another one may have: split the rows by 8 and bind the inner "
                                "loop to threadIdx.y, the columns by 8 and 2 and bind the loop between to threadIdx.x",
                                to_string(make_load(buffer, indices))));
  };
  if (!is_accumulator(buffer) || !x_.defined() || !y_.defined()) refuse_element();
  const std::size_t rank = indices.size();
  Linear row = to_linear(indices[rank - 2]), column = to_linear(indices[rank - 1]);
  row.add_term(y_, -1);
  column.add_term(x_, -2);
  Linear matrix{column.constant - floor_mod(column.constant, kFragmentSide), {}},
      pair{column.constant - matrix.constant, {}};
  for (const LinearTerm& term : column.terms) {
    (term.coefficient % kFragmentSide == 0 ? matrix : pair).terms.push_back(term);
  }
  const Interval within = bounds(pair.expr(), known);
  if (!is_multiple(row, kFragmentSide) || within.lo < 0 || within.hi > 1) refuse_element();
  if (mentions_lane(row.expr()) || mentions_lane(column.expr())) refuse_element();
  MatrixPosition position{divided(row, kFragmentSide), divided(matrix, kFragmentSide)};
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    position.slice = position.slice * Expr(fragment_extent(buffer, static_cast<int>(d))) + indices[d];
  }
  return to_linear(register_of(buffer, position) + pair.expr()).expr();
}

}  // namespace nestwright::ir
