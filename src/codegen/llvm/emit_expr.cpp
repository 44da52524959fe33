#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codegen/llvm/function_emitter.h"
#include "ir/core/scalar.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"

namespace nestwright::codegen {

llvm::Type* FunctionEmitter::type_of(ir::Type type) const {
  llvm::LLVMContext& context = function_->getContext();
  llvm::Type* scalar = nullptr;
  switch (type.code) {
    case ir::TypeCode::kInt:
    case ir::TypeCode::kUInt:
    case ir::TypeCode::kBool:
      scalar = llvm::IntegerType::get(context, type.bits);
      break;
    case ir::TypeCode::kBFloat:
      scalar = llvm::Type::getInt16Ty(context);  // see emit_narrow.cpp
      break;
    case ir::TypeCode::kFloat:
      scalar = type.bits == 64   ? llvm::Type::getDoubleTy(context)
               : type.bits == 32 ? llvm::Type::getFloatTy(context)
                                 : llvm::Type::getHalfTy(context);
      break;
  }
  return type.is_scalar() ? scalar : llvm::FixedVectorType::get(scalar, type.lanes);
}

llvm::Type* FunctionEmitter::memory_type_of(ir::Type type) const {
  return type_of(type.is_bool() ? kUInt8.with_lanes(type.lanes) : type);
}

llvm::Value* FunctionEmitter::emit(const ir::Expr& expr) {
  const ir::Type type = expr.type();
  return std::visit(
      ir::overloaded{
          [&](const ir::IntImm& n) -> llvm::Value* {
            return llvm::ConstantInt::get(type_of(type), static_cast<std::uint64_t>(n.value), true);
          },
          [&](const ir::FloatImm& n) -> llvm::Value* {
            if (type == kBFloat16) return builder_.getInt16(ir::bfloat16_bits(n.value));
            return llvm::ConstantFP::get(type_of(type), n.value);
          },
          [&](const ir::VarRef& n) -> llvm::Value* {
            const auto found = vars_.find(n.var.id());
            if (found == vars_.end()) {
              throw CompileError(fmt::format("variable {} is used where nothing defines it", n.var.name()));
            }
            return found->second.value;
          },
          [&](const ir::Binary& n) { return emit_binary(n, n.a.type()); },
          [&](const ir::Not& n) { return builder_.CreateNot(emit(n.a)); },
          [&](const ir::Select& n) {
            llvm::Value* condition = n.condition.type().is_scalar() ? emit(n.condition) : emit_mask(n.condition);
            return builder_.CreateSelect(condition, emit(n.if_true), emit(n.if_false));
          },
          [&](const ir::Cast& n) { return emit_cast(emit(n.value), n.value.type(), type); },
          [&](const ir::Load& n) { return emit_load(n, type); },
          [&](const ir::Ramp& n) { return emit_ramp(n, type.lanes); },
          [&](const ir::Broadcast& n) -> llvm::Value* { return builder_.CreateVectorSplat(type.lanes, emit(n.value)); },
          [&](const ir::Call& n) { return emit_call(n, type); },
          [&](const ir::CallExtern& n) { return emit_call_extern(n, type); },
          [&](const ir::Reduce&) -> llvm::Value* { throw CompileError("a reduction must be lowered to a loop first"); },
      },
      expr.node().value);
}

llvm::Value* FunctionEmitter::emit_binary(const ir::Binary& binary, ir::Type type) {
  using ir::BinaryOp;
  if (!type.is_float() && (binary.op == BinaryOp::kDiv || binary.op == BinaryOp::kMod)) {
    return emit_floor_division(binary, type);
  }
  // Indices are required not to overflow; data wraps around, even if it has the type of indices.
  const auto is_data = [](const ir::Expr& e) {
    if (const auto* cast = e.as<ir::Cast>())
      return cast->value.as<ir::VarRef>() == nullptr || !cast->value.type().is_int();
    const auto* call = e.as<ir::Call>();
    return (call != nullptr && call->intrinsic != ir::Intrinsic::kLikely) || e.as<ir::Load>() != nullptr ||
           e.as<ir::CallExtern>() != nullptr;
  };
  if (binary.op == BinaryOp::kMin || binary.op == BinaryOp::kMax) {
    return emit_extremum(binary.op, emit(binary.a), emit(binary.b), type, module_.never_nan.is_number(binary.a),
                         module_.never_nan.is_number(binary.b));
  }
  const bool no_wrap = type.element() == kIndex && !ir::any_expr(binary.a, is_data) && !ir::any_expr(binary.b, is_data);
  return emit_operation(binary.op, emit(binary.a), emit(binary.b), type, no_wrap);
}

llvm::Value* FunctionEmitter::emit_operation(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type,
                                             bool no_wrap) {
  using ir::BinaryOp;
  if (!has_arithmetic(type)) return emit_narrow_operation(op, a, b, type);
  switch (op) {
    case BinaryOp::kAdd:
      return type.is_float() ? builder_.CreateFAdd(a, b) : builder_.CreateAdd(a, b, "", false, no_wrap);
    case BinaryOp::kSub:
      return type.is_float() ? builder_.CreateFSub(a, b) : builder_.CreateSub(a, b, "", false, no_wrap);
    case BinaryOp::kMul:
      return type.is_float() ? builder_.CreateFMul(a, b) : builder_.CreateMul(a, b, "", false, no_wrap);
    case BinaryOp::kDiv:
      return builder_.CreateFDiv(a, b);
    case BinaryOp::kMod:
      throw CompileError("modulo is not defined on floating-point values");
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      return emit_extremum(op, a, b, type, false, false);
    case BinaryOp::kAnd:
      return builder_.CreateAnd(a, b);
    case BinaryOp::kOr:
      return builder_.CreateOr(a, b);
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
      break;
  }
  return emit_comparison(op, a, b, type);
}

// x86's instructions give their second operand where one is NaN, as `select(a > b, a, b)` does, so that an operand that
// is a number comes second and no test for NaN is needed.
llvm::Value* FunctionEmitter::emit_extremum(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type,
                                            bool a_is_number, bool b_is_number) {
  const bool is_min = op == ir::BinaryOp::kMin, is_wide = has_arithmetic(type);
  const bool may_be_nan = type.is_float() && !a_is_number && !b_is_number;
  if (may_be_nan && is_wide) {
    // The code tests the first operand. As a may be what a scan has so far, the test of b is off the chain of results.
    return builder_.CreateBinaryIntrinsic(is_min ? llvm::Intrinsic::minnum : llvm::Intrinsic::maxnum, b, a);
  }
  if (type.is_float() && !b_is_number && !may_be_nan) std::swap(a, b);
  llvm::Value *x = is_wide ? a : widen(a, type), *y = is_wide ? b : widen(b, type);
  const ir::Type in = is_wide ? type : kFloat32.with_lanes(type.lanes);
  llvm::Value* takes_a = emit_comparison(is_min ? ir::BinaryOp::kLt : ir::BinaryOp::kGt, x, y, in);
  if (may_be_nan) takes_a = builder_.CreateOr(takes_a, builder_.CreateFCmpUNO(y, y));
  return builder_.CreateSelect(takes_a, a, b);
}

llvm::Value* FunctionEmitter::emit_comparison(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type) {
  using P = llvm::CmpInst::Predicate;
  const bool is_float = type.is_float(), is_signed = type.code == ir::TypeCode::kInt;
  const auto pick = [&](P ordered, P with_sign, P without_sign) {
    return builder_.CreateCmp(is_float ? ordered : is_signed ? with_sign : without_sign, a, b);
  };
  switch (op) {
    case ir::BinaryOp::kEq:
      return pick(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ);
    case ir::BinaryOp::kNe:
      return pick(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE);
    case ir::BinaryOp::kLt:
      return pick(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT);
    case ir::BinaryOp::kLe:
      return pick(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE);
    case ir::BinaryOp::kGt:
      return pick(P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT);
    case ir::BinaryOp::kAdd:
    case ir::BinaryOp::kSub:
    case ir::BinaryOp::kMul:
    case ir::BinaryOp::kDiv:
    case ir::BinaryOp::kMod:
    case ir::BinaryOp::kMin:
    case ir::BinaryOp::kMax:
    case ir::BinaryOp::kGe:
    case ir::BinaryOp::kAnd:
    case ir::BinaryOp::kOr:
      break;
  }
  return pick(P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE);
}

llvm::Value* FunctionEmitter::emit_floor_division(const ir::Binary& binary, ir::Type type) {
  const bool quotient_wanted = binary.op == ir::BinaryOp::kDiv;
  llvm::Value *a = emit(binary.a), *b = emit(binary.b);
  const bool is_signed = type.code == ir::TypeCode::kInt;
  ir::Expr divisor = binary.b;
  if (const auto* broadcast = divisor.as<ir::Broadcast>()) divisor = broadcast->value;
  const std::int64_t* d = ir::as_const_int(divisor);
  llvm::Value* zero = llvm::Constant::getNullValue(a->getType());
  llvm::Value* by_minus_one = nullptr;
  if (d != nullptr && *d == 0) return zero;  // not used, as below
  if (d == nullptr) {
    // Division must not trap: the result of a division by 0 is not used, and the lowest integer by -1 wraps.
    llvm::Value* unsafe = builder_.CreateICmpEQ(b, zero);
    if (is_signed) {
      by_minus_one = builder_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(b->getType()));
      unsafe = builder_.CreateOr(unsafe, by_minus_one);
    }
    b = builder_.CreateSelect(unsafe, llvm::ConstantInt::get(b->getType(), 1), b);
  } else if (is_signed && *d == -1) {
    return quotient_wanted ? builder_.CreateSub(zero, a) : zero;
  }
  if (!is_signed) return quotient_wanted ? builder_.CreateUDiv(a, b) : builder_.CreateURem(a, b);
  if (d != nullptr && *d > 0 && (*d & (*d - 1)) == 0) {
    // An arithmetic shift rounds towards minus infinity.
    const auto bits = static_cast<std::uint64_t>(std::countr_zero(static_cast<std::uint64_t>(*d)));
    return quotient_wanted ? builder_.CreateAShr(a, bits) : builder_.CreateAnd(a, static_cast<std::uint64_t>(*d - 1));
  }
  // sdiv rounds towards zero: subtract one if the remainder has the other sign.
  llvm::Value* remainder = builder_.CreateSRem(a, b);
  llvm::Value* off = builder_.CreateAnd(builder_.CreateICmpNE(remainder, zero),
                                        builder_.CreateICmpSLT(builder_.CreateXor(remainder, b), zero));
  if (!quotient_wanted) return builder_.CreateSelect(off, builder_.CreateAdd(remainder, b), remainder);
  llvm::Value* quotient = builder_.CreateAdd(builder_.CreateSDiv(a, b), builder_.CreateSExt(off, a->getType()));
  return by_minus_one == nullptr ? quotient
                                 : builder_.CreateSelect(by_minus_one, builder_.CreateSub(zero, a), quotient);
}

llvm::Value* FunctionEmitter::emit_cast(llvm::Value* value, ir::Type from, ir::Type to) {
  if (from.element() == to.element()) return value;
  if (from.is_narrow_float()) return emit_cast(widen(value, from), kFloat32.with_lanes(from.lanes), to);
  if (to.is_narrow_float()) return narrow(emit_cast(value, from, kFloat32.with_lanes(to.lanes)), to);
  llvm::Type* type = type_of(to);
  const bool from_signed = from.code == ir::TypeCode::kInt;
  if (to.is_bool()) {
    llvm::Value* zero = llvm::Constant::getNullValue(value->getType());
    return from.is_float() ? builder_.CreateFCmpUNE(value, zero) : builder_.CreateICmpNE(value, zero);
  }
  if (from.is_float() && to.is_float()) return builder_.CreateFPCast(value, type);
  if (from.is_float()) {
    // Saturating, as the IR defines it: a plain conversion gives poison outside of the range.
    const auto id = to.code == ir::TypeCode::kInt ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return builder_.CreateIntrinsic(id, {type, value->getType()}, {value});
  }
  if (to.is_float()) return from_signed ? builder_.CreateSIToFP(value, type) : builder_.CreateUIToFP(value, type);
  return builder_.CreateIntCast(value, type, from_signed);
}

llvm::Value* FunctionEmitter::emit_ramp(const ir::Ramp& ramp, int lanes) {
  llvm::Value* base = builder_.CreateVectorSplat(static_cast<unsigned>(lanes), emit(ramp.base));
  llvm::Value* stride = builder_.CreateVectorSplat(static_cast<unsigned>(lanes), emit(ramp.stride));
  llvm::Type* element = type_of(ramp.base.type());
  std::vector<llvm::Constant*> steps;
  for (int lane = 0; lane < lanes; ++lane) {
    steps.push_back(llvm::ConstantInt::get(element, static_cast<std::uint64_t>(lane)));
  }
  return builder_.CreateAdd(base, builder_.CreateMul(stride, llvm::ConstantVector::get(steps)));
}

llvm::Value* FunctionEmitter::emit_mask(const ir::Expr& mask) {
  const int mask_depth = depth_of(mask);
  if (mask_depth < 0) return emit(mask);
  return emit_hoisted(mask);
}

std::optional<TailMask> tail_mask(const ir::Expr& mask) {
  const auto* less = mask.as<ir::Binary>();
  if (less == nullptr || less->op != ir::BinaryOp::kLt) return std::nullopt;
  const auto* ramp = less->a.as<ir::Ramp>();
  const auto* bound = less->b.as<ir::Broadcast>();
  if (ramp == nullptr || bound == nullptr || !ir::is_const_int(ramp->stride, 1)) return std::nullopt;
  return TailMask{ramp->base, bound->value};
}

bool holds_data(const TailMask& mask) {
  return ir::has_data(ir::to_linear(mask.first)) || ir::has_data(ir::to_linear(mask.bound));
}

// Emits ramp(base, 1) < bound as a comparison of lane numbers with a count of lanes, instead of 64-bit indices.
llvm::Value* FunctionEmitter::emit_tail_mask(const ir::Expr& mask) {
  const std::optional<TailMask> tail = tail_mask(mask);
  if (!tail || holds_data(*tail)) return nullptr;
  const int lanes = mask.lanes();
  llvm::Value* left = builder_.CreateSub(emit(tail->bound), emit(tail->first));
  llvm::Value* zero = llvm::Constant::getNullValue(left->getType());
  llvm::Value* all = llvm::ConstantInt::get(left->getType(), static_cast<std::uint64_t>(lanes));
  left = builder_.CreateSelect(builder_.CreateICmpSLT(left, zero), zero, left);
  left = builder_.CreateSelect(builder_.CreateICmpSGT(left, all), all, left);
  llvm::Value* count = builder_.CreateTrunc(left, builder_.getInt32Ty());
  std::vector<llvm::Constant*> steps;
  for (int lane = 0; lane < lanes; ++lane) steps.push_back(builder_.getInt32(static_cast<std::uint32_t>(lane)));
  return builder_.CreateICmpULT(llvm::ConstantVector::get(steps),
                                builder_.CreateVectorSplat(static_cast<unsigned>(lanes), count));
}

llvm::Value* FunctionEmitter::emit_hoisted(const ir::Expr& expr) {
  const int where = depth_of(expr);
  if (where < 0) return emit(expr);
  Scope& scope = scopes_[static_cast<std::size_t>(where)];
  for (const auto& [known, value] : scope.values) {
    if (known.same_as(expr) || ir::equal(known, expr)) return value;
  }
  const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(scope.anchor);
  llvm::Value* value = emit_tail_mask(expr);
  if (value == nullptr) value = emit(expr);
  scope.values.emplace_back(expr, value);
  return value;
}

int FunctionEmitter::depth_of(const ir::Expr& expr) const {
  int deepest = 0;
  bool movable = true;
  ir::for_each_expr(expr, [&](const ir::Expr& e) {
    if (const auto* ref = e.as<ir::VarRef>()) {
      const auto found = vars_.find(ref->var.id());
      if (found != vars_.end()) deepest = std::max(deepest, found->second.depth);
    } else if (e.as<ir::Load>() != nullptr || e.as<ir::Call>() != nullptr || e.as<ir::CallExtern>() != nullptr) {
      movable = false;
    }
  });
  return movable ? deepest : -1;
}

}  // namespace nestwright::codegen
