// Emits words of bytes and halves, and dot products of words, for which CPUs have instructions.
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/function_emitter.h"
#include "ir/simplify/vector_access.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

using llvm::Intrinsic::ID;

/// The instruction for vectors of 4, 8 or 16 words.
ID instruction_of(ir::Intrinsic intrinsic, int lanes) {
  using namespace llvm::Intrinsic;
  const auto of_width = [&](ID words4, ID words8, ID words16) {
    return lanes == 4 ? words4 : lanes == 8 ? words8 : words16;
  };
  using I = ir::Intrinsic;
  if (intrinsic == I::kVpdpbusd) {
    return of_width(x86_avx512_vpdpbusd_128, x86_avx512_vpdpbusd_256, x86_avx512_vpdpbusd_512);
  }
  if (intrinsic == I::kVpdpwssd) {
    return of_width(x86_avx512_vpdpwssd_128, x86_avx512_vpdpwssd_256, x86_avx512_vpdpwssd_512);
  }
  if (intrinsic == I::kVdpbf16ps) {
    return of_width(x86_avx512bf16_dpbf16ps_128, x86_avx512bf16_dpbf16ps_256, x86_avx512bf16_dpbf16ps_512);
  }
  if (intrinsic == I::kPmaddwd) return of_width(x86_sse2_pmadd_wd, x86_avx2_pmadd_wd, x86_avx512_pmaddw_d_512);
  throw InternalError("internal error: no dot product of the CPU");
}

}  // namespace

/// Loads the word of each lane by one load, or the one word that all lanes have.
llvm::Value* FunctionEmitter::emit_word_load(const ir::Call& call, int lanes) {
  const ir::Load* first = ir::load_of_part(call.args[0], 32 / static_cast<int>(call.args.size()));
  check(first != nullptr, "a load of words has no load");
  const Access access = decompose(first->buffer, first->indices);
  const bool is_uniform = access.lanes == 1;
  llvm::Type* word = builder_.getInt32Ty();
  llvm::Type* type = is_uniform || lanes == 1 ? word : type_of(kInt32.with_lanes(lanes));
  llvm::Value* value =
      builder_.CreateAlignedLoad(type, address(first->buffer, access.offset), alignment(first->buffer, access.offset));
  return is_uniform && lanes > 1 ? builder_.CreateVectorSplat(static_cast<unsigned>(lanes), value) : value;
}

llvm::Value* FunctionEmitter::emit_join(const ir::Call& call) {
  const int bits = 32 / static_cast<int>(call.args.size());
  llvm::Value* words = nullptr;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    llvm::Value* part = emit(call.args[i]);
    if (i + 1 < call.args.size())
      part = builder_.CreateAnd(part, llvm::ConstantInt::get(part->getType(), (1U << bits) - 1));
    if (i > 0) part = builder_.CreateShl(part, static_cast<std::uint64_t>(bits) * i);
    words = words == nullptr ? part : builder_.CreateOr(words, part);
  }
  return words;
}

/// Part number `part` of each word, as an int32. A part has `bits` bits.
llvm::Value* FunctionEmitter::part_of(llvm::Value* word, int part, int bits, bool is_signed) {
  const int above = 32 - bits * (part + 1);
  llvm::Value* high = above == 0 ? word : builder_.CreateShl(word, static_cast<std::uint64_t>(above));
  const auto low = static_cast<std::uint64_t>(32 - bits);
  return is_signed ? builder_.CreateAShr(high, low) : builder_.CreateLShr(high, low);
}

llvm::Value* FunctionEmitter::emit_dot_instruction(const ir::Call& call, int lanes) {
  llvm::Value *sum = emit(call.args[0]), *a = emit(call.args[1]), *b = emit(call.args[2]);
  const ID id = instruction_of(call.intrinsic, lanes);
  if (call.intrinsic == ir::Intrinsic::kPmaddwd) {
    llvm::Type* halves = llvm::FixedVectorType::get(builder_.getInt16Ty(), 2U * static_cast<unsigned>(lanes));
    return builder_.CreateAdd(
        sum, builder_.CreateIntrinsic(id, {}, {builder_.CreateBitCast(a, halves), builder_.CreateBitCast(b, halves)}));
  }
  // Operands are cast to the declared types, which differ between instructions and versions of LLVM.
#if LLVM_VERSION_MAJOR >= 20
  llvm::Function* instruction = llvm::Intrinsic::getOrInsertDeclaration(&module_.module, id);
#else
  llvm::Function* instruction = llvm::Intrinsic::getDeclaration(&module_.module, id);
#endif
  llvm::FunctionType* signature = instruction->getFunctionType();
  return builder_.CreateCall(instruction, {sum, builder_.CreateBitCast(a, signature->getParamType(1)),
                                           builder_.CreateBitCast(b, signature->getParamType(2))});
}

/// A dot product without an instruction, computed part by part.
llvm::Value* FunctionEmitter::emit_dot(const ir::Call& call) {
  llvm::Value *sum = emit(call.args[0]), *a = emit(call.args[1]), *b = emit(call.args[2]);
  if (call.intrinsic == ir::Intrinsic::kDotBF16) {
    for (int i = 0; i < 2; ++i) {
      // A bfloat16 is the upper half of the float32 of the same value.
      const auto half = [&](llvm::Value* word) {
        llvm::Value* bits = i == 0 ? builder_.CreateShl(word, 16)
                                   : builder_.CreateAnd(word, llvm::ConstantInt::get(word->getType(), 0xffff0000U));
        return builder_.CreateBitCast(bits, sum->getType());
      };
      sum = builder_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {sum->getType()}, {half(a), half(b), sum});
    }
    return sum;
  }
  const bool is_bytes = call.intrinsic != ir::Intrinsic::kDotS16, a_signed = call.intrinsic != ir::Intrinsic::kDotU8S8;
  for (int i = 0; i < (is_bytes ? 4 : 2); ++i) {
    const int bits = is_bytes ? 8 : 16;
    sum = builder_.CreateAdd(sum, builder_.CreateMul(part_of(a, i, bits, a_signed), part_of(b, i, bits, true)));
  }
  return sum;
}

}  // namespace nestwright::codegen
