#include "templates/sketch/rewrites/packed_bytes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {
namespace {

/// The byte that is read where `e` takes bits of one by constants; undefined for any other expression.
Expr byte_of(const Expr& e) {
  if (e.as<ir::Load>() != nullptr) return e;
  const auto* const call = e.as<ir::Call>();
  const bool takes_bits =
      call != nullptr && (call->intrinsic == ir::Intrinsic::kBitAnd || call->intrinsic == ir::Intrinsic::kShiftRight);
  return takes_bits && ir::as_const_int(call->args[1]) != nullptr ? byte_of(call->args[0]) : Expr();
}

/// The same bits of the byte as an int32. A constant keeps its sign, as the byte does, which `&` and `>>` preserve.
Expr widened(const Expr& e) {
  const auto* const call = e.as<ir::Call>();
  if (call == nullptr) return ir::make_cast(kInt32, e);
  const std::int64_t constant = *ir::as_const_int(call->args[1]);
  if (call->intrinsic == ir::Intrinsic::kShiftRight && constant == 0) return widened(call->args[0]);
  return ir::make_call(call->intrinsic, {widened(call->args[0]), ir::make_int(constant, kInt32)}, kInt32);
}

class ByteWidener final : public ir::Mutator {
 public:
  explicit ByteWidener(const Expr& value) {
    ir::for_each_expr(value, [&](const Expr& e) {
      if (const Expr byte = converted_byte(e); byte.defined()) bytes_.push_back(byte);
    });
  }
  using Mutator::mutate;

  Expr mutate(const Expr& e) override {
    if (!e.defined()) return e;
    const Expr byte = converted_byte(e);
    const auto is_this = [&](const Expr& other) { return ir::equal(byte, other); };
    if (!byte.defined() || std::ranges::count_if(bytes_, is_this) < 2) return mutate_children(e);
    return ir::make_cast(e.type(), widened(e.as<ir::Cast>()->value));
  }

 private:
  static Expr converted_byte(const Expr& e) {
    const auto* const cast = e.as<ir::Cast>();
    if (cast == nullptr || !e.type().is_float() || !cast->value.type().is_int()) return {};
    return cast->value.type().bits == 8 ? byte_of(cast->value) : Expr();
  }

  std::vector<Expr> bytes_;  ///< of which bits are converted, one for each conversion
};

/// Appends the terms of a sum, or the factors of a product.
void append_parts(const Expr& e, ir::BinaryOp op, std::vector<Expr>& parts) {
  const auto* const both = e.as<ir::Binary>();
  if (both == nullptr || both->op != op) {
    parts.push_back(e);
    return;
  }
  append_parts(both->a, op, parts);
  append_parts(both->b, op, parts);
}

/// Removes a factor that equals `factor`. False: there is none, or no other one.
bool take_out(std::vector<Expr>& factors, const Expr& factor) {
  const auto found = std::ranges::find_if(factors, [&](const Expr& other) { return ir::equal(other, factor); });
  if (found == factors.end() || factors.size() == 1) return false;
  factors.erase(found);
  return true;
}

Expr product_of(const std::vector<Expr>& factors) {
  Expr product = factors.front();
  for (std::size_t i = 1; i < factors.size(); ++i) product = product * factors[i];
  return product;
}

}  // namespace

Expr widen_bytes(const Expr& value) { return ByteWidener(value).mutate(value); }

Expr take_out_factors(const Expr& value) {
  std::vector<Expr> terms;
  append_parts(value, ir::BinaryOp::kAdd, terms);
  if (terms.size() < 2) return value;
  std::vector<std::vector<Expr>> factors(terms.size());
  for (std::size_t t = 0; t < terms.size(); ++t) append_parts(terms[t], ir::BinaryOp::kMul, factors[t]);
  std::vector<Expr> common;
  for (const Expr& factor : std::vector(factors.front())) {
    std::vector<std::vector<Expr>> rest = factors;
    if (!std::ranges::all_of(rest, [&](std::vector<Expr>& of_term) { return take_out(of_term, factor); })) continue;
    factors = std::move(rest);
    common.push_back(factor);
  }
  if (common.empty()) return value;
  Expr sum = product_of(factors.front());
  for (std::size_t t = 1; t < terms.size(); ++t) sum = sum + product_of(factors[t]);
  return sum * product_of(common);
}

}  // namespace nestwright
