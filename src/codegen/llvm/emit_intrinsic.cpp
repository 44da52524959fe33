#include <fmt/format.h>

#include "codegen/llvm/emit.h"
#include "codegen/llvm/function_emitter.h"
#include "ir/core/intrinsic_table.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

[[noreturn]] void refuse(ir::Intrinsic intrinsic, ir::Type type) {
  throw CompileError(
      fmt::format("{} is not defined on {}: cast its operand first", ir::intrinsic_name(intrinsic), type.str()));
}

}  // namespace

llvm::Value* FunctionEmitter::emit_call(const ir::Call& call, ir::Type type) {
  using I = ir::Intrinsic;
  if (ir::is_dot(call.intrinsic)) return emit_dot(call);
  if (call.intrinsic == I::kJoinBytes || call.intrinsic == I::kJoinHalves) return emit_join(call);
  if (call.intrinsic == I::kLoadBytes || call.intrinsic == I::kLoadHalves) return emit_word_load(call, type.lanes);
  if (ir::is_cpu_instruction(call.intrinsic)) return emit_dot_instruction(call, type.lanes);
  std::vector<llvm::Value*> args;
  args.reserve(call.args.size());
  for (const ir::Expr& arg : call.args) args.push_back(emit(arg));
  if (ir::is_hint(call.intrinsic)) return args[0];
  if (call.intrinsic == I::kReinterpret) return builder_.CreateBitCast(args[0], type_of(type));
  if (type.is_int()) {
    if (call.intrinsic == I::kFma) return builder_.CreateAdd(builder_.CreateMul(args[0], args[1]), args[2]);
    if (call.intrinsic != I::kAbs) return emit_bits(call.intrinsic, args[0], args[1], type);
    if (type.code == ir::TypeCode::kUInt) return args[0];
    return builder_.CreateIntrinsic(llvm::Intrinsic::abs, {args[0]->getType()}, {args[0], builder_.getFalse()});
  }
  if (!type.is_float()) refuse(call.intrinsic, type);
  if (!type.is_narrow_float()) return emit_function(call.intrinsic, args, type);
  for (llvm::Value*& arg : args) arg = widen(arg, type);
  return narrow(emit_function(call.intrinsic, args, kFloat32.with_lanes(type.lanes)), type);
}

llvm::Value* FunctionEmitter::emit_function(ir::Intrinsic function, const std::vector<llvm::Value*>& args,
                                            ir::Type type) {
  using I = ir::Intrinsic;

  const auto intrinsic = [&](llvm::Intrinsic::ID id) {
    return builder_.CreateIntrinsic(id, {args[0]->getType()}, args);
  };
  llvm::Value* one = llvm::ConstantFP::get(type_of(type), 1.0);
  switch (function) {
    case I::kFma:
      return intrinsic(llvm::Intrinsic::fma);
    case I::kSqrt:
      return intrinsic(llvm::Intrinsic::sqrt);
    case I::kRsqrt:
      return builder_.CreateFDiv(one, intrinsic(llvm::Intrinsic::sqrt));
    case I::kFloor:
      return intrinsic(llvm::Intrinsic::floor);
    case I::kCeil:
      return intrinsic(llvm::Intrinsic::ceil);
    case I::kRound:
      return intrinsic(llvm::Intrinsic::nearbyint);
    case I::kTrunc:
      return intrinsic(llvm::Intrinsic::trunc);
    case I::kAbs:
      return intrinsic(llvm::Intrinsic::fabs);
    case I::kExp:
    case I::kLog:
    case I::kLog2:
    case I::kTanh:
    case I::kErf:
    case I::kSin:
    case I::kCos:
    case I::kPow:
      return call_libm(ir::intrinsic_info(function).libm, args, type);
    case I::kSigmoid: {
      llvm::Value* exponential = call_libm("exp", {builder_.CreateFNeg(args[0])}, type);
      return builder_.CreateFDiv(one, builder_.CreateFAdd(one, exponential));
    }
    case I::kScale:
      return emit_scale(args[0], args[1], type);
    case I::kRoundTf32:
      return emit_round_tf32(args[0], type);
    case I::kBitAnd:
    case I::kBitOr:
    case I::kBitXor:
    case I::kShiftLeft:
    case I::kShiftRight:
    case I::kLikely:
    case I::kEstrin:
    case I::kReinterpret:
    case I::kJoinBytes:
    case I::kJoinHalves:
    case I::kDotU8S8:
    case I::kDotS8S8:
    case I::kDotS16:
    case I::kDotBF16:
    case I::kShuffleXor:
    case I::kLoadBytes:
    case I::kLoadHalves:
    case I::kVpdpbusd:
    case I::kVpdpwssd:
    case I::kPmaddwd:
    case I::kVdpbf16ps:
      break;
  }
  refuse(function, type);
}

llvm::Value* FunctionEmitter::emit_bits(ir::Intrinsic function, llvm::Value* x, llvm::Value* y, ir::Type type) {
  using I = ir::Intrinsic;
  if (function == I::kBitAnd) return builder_.CreateAnd(x, y);
  if (function == I::kBitOr) return builder_.CreateOr(x, y);
  if (function == I::kBitXor) return builder_.CreateXor(x, y);
  if (function != I::kShiftLeft && function != I::kShiftRight) refuse(function, type);
  // LLVM's shifts by the number of bits, or more, are poison.
  const auto constant = [&](std::uint64_t value) { return llvm::ConstantInt::get(x->getType(), value); };
  llvm::Value* fits = builder_.CreateICmpULT(y, constant(type.bits));
  if (function == I::kShiftRight && type.code == ir::TypeCode::kInt) {
    return builder_.CreateAShr(x, builder_.CreateSelect(fits, y, constant(type.bits - 1U)));
  }
  llvm::Value* amount = builder_.CreateSelect(fits, y, constant(0));
  llvm::Value* shifted = function == I::kShiftLeft ? builder_.CreateShl(x, amount) : builder_.CreateLShr(x, amount);
  return builder_.CreateSelect(fits, shifted, constant(0));
}

// The addition carries values beyond the range to infinity; infinity and NaN are returned unchanged.
llvm::Value* FunctionEmitter::emit_round_tf32(llvm::Value* x, ir::Type type) {
  llvm::Type* whole = type_of(kInt32.with_lanes(type.lanes));
  const auto bits = [&](std::uint64_t value) { return llvm::ConstantInt::get(whole, value); };
  llvm::Value* in = builder_.CreateBitCast(x, whole);
  llvm::Value* rounded = builder_.CreateAnd(builder_.CreateAdd(in, bits(0x1000)), bits(0xffffe000));
  llvm::Value* finite = builder_.CreateICmpULT(builder_.CreateAnd(in, bits(0x7fffffff)), bits(0x7f800000));
  return builder_.CreateSelect(finite, builder_.CreateBitCast(rounded, x->getType()), x);
}

// The x86-64 ABI as clang and gcc use it: integers of fewer than 32 bits are extended by the caller.
llvm::Value* FunctionEmitter::emit_call_extern(const ir::CallExtern& call, ir::Type type) {
  std::vector<llvm::Value*> args;
  std::vector<llvm::Type*> types;
  std::vector<ir::Type> c_signature{type.element()};
  for (const ir::Expr& arg : call.args) {
    args.push_back(emit(arg));
    types.push_back(type_of(arg.type().element()));
    c_signature.push_back(arg.type().element());
  }
  auto* signature = llvm::FunctionType::get(type_of(type.element()), types, false);
  llvm::FunctionCallee callee = module_.module.getOrInsertFunction(call.function, signature);
  auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee());
  const bool is_own = call.function == module_.symbol || call.function == preparation_symbol(module_.symbol);
  const bool is_known = module_.c_signatures.try_emplace(call.function, c_signature).first->second == c_signature;
  if (is_own || function == nullptr || function->getFunctionType() != signature || !is_known) {
    throw CompileError(fmt::format(
        "the C function {} is called with two signatures, or has the name of the kernel: rename one", call.function));
  }
  const auto extension = [](ir::Type of) {
    if (of.is_float() || of.bits >= 32) return llvm::Attribute::None;
    return of.code == ir::TypeCode::kInt ? llvm::Attribute::SExt : llvm::Attribute::ZExt;
  };
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->setDoesNotAccessMemory();
  if (extension(type) != llvm::Attribute::None) function->addRetAttr(extension(type));
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto how = extension(call.args[i].type());
    if (how != llvm::Attribute::None) function->addParamAttr(static_cast<unsigned>(i), how);
  }
  const auto call_with = [&](const std::vector<llvm::Value*>& operands) {
    llvm::CallInst* made = builder_.CreateCall(callee, operands);
    made->setAttributes(function->getAttributes());
    return made;
  };
  return type.is_scalar() ? call_with(args) : lane_by_lane(args, type, call_with);
}

llvm::Value* FunctionEmitter::lane_by_lane(
    const std::vector<llvm::Value*>& args, ir::Type type,
    const std::function<llvm::Value*(const std::vector<llvm::Value*>& of_lane)>& call) {
  llvm::Value* result = llvm::PoisonValue::get(type_of(type));
  for (std::uint64_t lane = 0; lane < type.lanes; ++lane) {
    std::vector<llvm::Value*> operands;
    for (llvm::Value* arg : args) operands.push_back(builder_.CreateExtractElement(arg, lane));
    result = builder_.CreateInsertElement(result, call(operands), lane);
  }
  return result;
}

// Emits one call for each lane.
llvm::Value* FunctionEmitter::call_libm(const char* name, const std::vector<llvm::Value*>& args, ir::Type type) {
  llvm::Type* scalar = type_of(type.element());
  auto* signature = llvm::FunctionType::get(scalar, std::vector<llvm::Type*>(args.size(), scalar), false);
  llvm::FunctionCallee callee =
      module_.module.getOrInsertFunction(type.bits == 64 ? name : std::string(name) + "f", signature);
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->setDoesNotAccessMemory();  // errno is not read
  }
  if (type.is_scalar()) return builder_.CreateCall(callee, args);
  return lane_by_lane(args, type, [&](const auto& operands) { return builder_.CreateCall(callee, operands); });
}

}  // namespace nestwright::codegen
