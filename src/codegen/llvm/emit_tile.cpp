// Emits the AMX instructions that lower/select/amx_tiles.cpp selected, with tile registers by number.
#include <llvm/IR/IntrinsicsX86.h>

#include <array>

#include "codegen/llvm/function_emitter.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

llvm::Intrinsic::ID product_of(ir::Type a) {
  if (a == kBFloat16) return llvm::Intrinsic::x86_tdpbf16ps;
  return a == kUInt8 ? llvm::Intrinsic::x86_tdpbusd : llvm::Intrinsic::x86_tdpbssd;
}

std::int64_t constant_of(const ir::Operand& operand) {
  const std::int64_t* value = ir::as_const_int(operand.at);
  check(value != nullptr, "an operand of a tile instruction is no constant");
  return *value;
}

}  // namespace

void FunctionEmitter::configure_tiles(const ir::TensorInstruction& instruction) {
  // The operand of ldtilecfg: palette 1, then each tile's bytes a row from byte 16 on, and its rows from byte 48 on.
  std::array<std::uint8_t, 64> bytes{1};
  for (std::size_t i = 0; i + 1 < instruction.operands.size(); i += 2) {
    bytes[48 + i / 2] = static_cast<std::uint8_t>(constant_of(instruction.operands[i]));
    bytes[16 + i] = static_cast<std::uint8_t>(constant_of(instruction.operands[i + 1]));
  }
  llvm::Constant* data = llvm::ConstantDataArray::get(function_->getContext(), llvm::ArrayRef<std::uint8_t>(bytes));
  auto* global =
      new llvm::GlobalVariable(module_.module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "tiles");
  global->setAlignment(llvm::Align(64));
  builder_.CreateIntrinsic(llvm::Intrinsic::x86_ldtilecfg, {}, {global});
}

void FunctionEmitter::emit_tensor_instruction(const ir::TensorInstruction& instruction) {
  const auto emit_with = [&](llvm::Intrinsic::ID id, const std::vector<llvm::Value*>& operands) {
    builder_.CreateIntrinsic(id, {}, operands);
  };
  const auto tile = [&](std::size_t i) -> llvm::Value* {
    return builder_.getInt8(static_cast<std::uint8_t>(constant_of(instruction.operands[i])));
  };
  const auto move = [&](llvm::Intrinsic::ID id) {
    const ir::Operand& memory = instruction.operands[1];
    llvm::Value* pointer = address(memory.buffer, ir::to_linear(memory.at));
    emit_with(id, {tile(0), pointer, int64(constant_of(instruction.operands[2]))});
  };
  using enum ir::TensorOp;
  switch (instruction.op) {
    case kTileConfigure:
      return configure_tiles(instruction);
    case kTileRelease:
      return emit_with(llvm::Intrinsic::x86_tilerelease, {});
    case kTileZero:
      return emit_with(llvm::Intrinsic::x86_tilezero, {tile(0)});
    case kTileLoad:
      return move(llvm::Intrinsic::x86_tileloadd64);
    case kTileStore:
      return move(llvm::Intrinsic::x86_tilestored64);
    case kTileMultiply:
      return emit_with(product_of(instruction.type), {tile(0), tile(1), tile(2)});
    case kFragmentFill:
    case kFragmentLoad:
    case kFragmentLoadTransposed:
    case kFragmentMultiply:
    case kWarpgroupFill:
    case kWarpgroupMultiply:
    case kWarpgroupAwait:
      break;
  }
  throw InternalError("internal error: a tensor instruction of devices is compiled for a CPU");
}

}  // namespace nestwright::codegen
