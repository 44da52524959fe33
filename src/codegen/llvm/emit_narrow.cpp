// Emits arithmetic on bfloat16, and on float16 for CPUs without AVX512_FP16: each operation is computed in float32 and
// rounded explicitly. LLVM has types for both, but its code for arithmetic on them differs between versions and
// targets, and calls compiler runtime functions for bfloat16 that older systems do not have. So a bfloat16 is an i16
// here, which is converted by shifts.
#include "codegen/llvm/function_emitter.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

constexpr const char* kUnknown = "a narrow floating-point type without conversions";

}  // namespace

llvm::Value* FunctionEmitter::widen(llvm::Value* value, ir::Type from) {
  llvm::Type* wide = type_of(kFloat32.with_lanes(from.lanes));
  if (from.code == ir::TypeCode::kFloat) return builder_.CreateFPExt(value, wide);
  check(from.code == ir::TypeCode::kBFloat, kUnknown);
  llvm::Value* bits = builder_.CreateZExt(value, type_of(kInt32.with_lanes(from.lanes)));
  return builder_.CreateBitCast(builder_.CreateShl(bits, 16), wide);
}

llvm::Value* FunctionEmitter::narrow(llvm::Value* value, ir::Type to) {
  if (to.code == ir::TypeCode::kFloat) return builder_.CreateFPTrunc(value, type_of(to));
  check(to.code == ir::TypeCode::kBFloat, kUnknown);
  llvm::Type* integers = type_of(kInt32.with_lanes(to.lanes));
  llvm::Value* bits = builder_.CreateBitCast(value, integers);
  // To nearest, ties to even: adds just under half a unit, and one more if the last bit kept is odd.
  llvm::Value* odd = builder_.CreateAnd(builder_.CreateLShr(bits, 16), 1);
  llvm::Value* under_half = llvm::ConstantInt::get(integers, 0x7fff);
  llvm::Value* rounded = builder_.CreateAdd(bits, builder_.CreateAdd(odd, under_half));
  // The addition could make an infinity of a NaN.
  llvm::Value* is_nan = builder_.CreateFCmpUNO(value, value);
  rounded = builder_.CreateSelect(is_nan, llvm::ConstantInt::get(integers, 0x7fc00000), rounded);
  return builder_.CreateTrunc(builder_.CreateLShr(rounded, 16), type_of(to));
}

llvm::Value* FunctionEmitter::emit_narrow_operation(ir::BinaryOp op, llvm::Value* a, llvm::Value* b, ir::Type type) {
  const ir::Type wide = kFloat32.with_lanes(type.lanes);
  llvm::Value *wide_a = widen(a, type), *wide_b = widen(b, type);
  llvm::Value* result = emit_operation(op, wide_a, wide_b, wide);
  return ir::is_comparison(op) ? result : narrow(result, type);
}

}  // namespace nestwright::codegen
