// dot_u8s8: products of bytes, summed in fours. AVX512_VNNI has an instruction for it that takes the four bytes of a
// lane in one word; bytes that lie side by side in memory are read as such.
#include <llvm/IR/IntrinsicsX86.h>

#include <array>

#include "codegen/llvm/function_emitter.h"

namespace nestwright::codegen {
namespace {

/// What stands below broadcasts and widening casts of a byte; undefined where it is no byte.
ir::Expr byte_of(const ir::Expr& e) {
  if (const auto* broadcast = e.as<ir::Broadcast>()) return byte_of(broadcast->value);
  const auto* cast = e.as<ir::Cast>();
  return cast != nullptr && cast->value.type().bits == 8 && !cast->value.type().is_bool() ? cast->value : ir::Expr();
}

llvm::Intrinsic::ID instruction_for(int lanes) {
  switch (lanes) {
    case 4:
      return llvm::Intrinsic::x86_avx512_vpdpbusd_128;
    case 8:
      return llvm::Intrinsic::x86_avx512_vpdpbusd_256;
    case 16:
      return llvm::Intrinsic::x86_avx512_vpdpbusd_512;
    default:
      return llvm::Intrinsic::not_intrinsic;
  }
}

}  // namespace

/// The four bytes of each lane as one int32, the first one lowest, where one load has them. Null otherwise.
llvm::Value* FunctionEmitter::load_words(std::span<const ir::Expr> bytes, int lanes) {
  std::array<const ir::Load*, 4> loads{};
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const ir::Expr byte = byte_of(bytes[i]);
    loads[i] = byte.defined() ? byte.as<ir::Load>() : nullptr;
    if (loads[i] == nullptr || loads[i]->mask.defined() || !(loads[i]->buffer == loads[0]->buffer)) return nullptr;
  }
  const ir::Buffer& buffer = loads[0]->buffer;
  const Access first = take_apart(buffer, loads[0]->indices);
  const bool uniform = first.lanes == 1;
  if (first.offsets != nullptr || (!uniform && (first.lanes != lanes || first.lane_stride != 4))) return nullptr;
  for (std::size_t i = 1; i < loads.size(); ++i) {
    const Access other = take_apart(buffer, loads[i]->indices);
    const ir::Linear distance = ir::Linear(other.offset).add(first.offset, -1);
    const bool next = distance.is_constant() && distance.constant == static_cast<std::int64_t>(i);
    if (!next || other.lanes != first.lanes || other.lane_stride != first.lane_stride) return nullptr;
  }
  llvm::Type* word = builder_.getInt32Ty();
  llvm::Type* type = uniform || lanes == 1 ? word : type_of(kInt32.with_lanes(lanes));
  llvm::Value* value = builder_.CreateAlignedLoad(type, address(buffer, first.offset), alignment(buffer, first.offset));
  return uniform && lanes > 1 ? builder_.CreateVectorSplat(static_cast<unsigned>(lanes), value) : value;
}

llvm::Value* FunctionEmitter::emit_words(std::span<const ir::Expr> bytes, int lanes) {
  if (llvm::Value* loaded = load_words(bytes, lanes)) return loaded;
  llvm::Value* words = nullptr;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    llvm::Value* byte = builder_.CreateAnd(emit(bytes[i]), llvm::ConstantInt::get(type_of(bytes[i].type()), 0xff));
    if (i > 0) byte = builder_.CreateShl(byte, 8 * i);
    words = words == nullptr ? byte : builder_.CreateOr(words, byte);
  }
  return words;
}

llvm::Value* FunctionEmitter::emit_dot(const ir::Call& call, ir::Type type) {
  const std::span<const ir::Expr> args(call.args);
  const llvm::Intrinsic::ID instruction = instruction_for(type.lanes);
  if (module_.has_vnni && instruction != llvm::Intrinsic::not_intrinsic) {
    llvm::Value* sum = emit(args[0]);
    llvm::Value* a = emit_words(args.subspan(1, 4), type.lanes);
    return builder_.CreateIntrinsic(instruction, {}, {sum, a, emit_words(args.subspan(5, 4), type.lanes)});
  }
  llvm::Value* sum = emit(args[0]);
  llvm::Type* bytes = type_of(ir::Type{ir::TypeCode::kInt, 8, type.lanes});
  for (std::size_t i = 0; i < 4; ++i) {
    llvm::Value* a = builder_.CreateZExt(builder_.CreateTrunc(emit(args[1 + i]), bytes), sum->getType());
    llvm::Value* b = builder_.CreateSExt(builder_.CreateTrunc(emit(args[5 + i]), bytes), sum->getType());
    sum = builder_.CreateAdd(sum, builder_.CreateMul(a, b));
  }
  return sum;
}

}  // namespace nestwright::codegen
