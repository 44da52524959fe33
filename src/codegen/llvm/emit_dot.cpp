// Words of bytes and halves, and the sums of their products, for which CPUs have instructions.
#include <llvm/IR/IntrinsicsX86.h>

#include <array>

#include "codegen/llvm/function_emitter.h"

namespace nestwright::codegen {
namespace {

using llvm::Intrinsic::ID;

/// What stands below broadcasts, widening casts and reinterpretations of a number of `bits` bits; undefined where it is
/// none.
ir::Expr narrow_part(const ir::Expr& e, int bits) {
  if (const auto* broadcast = e.as<ir::Broadcast>()) return narrow_part(broadcast->value, bits);
  if (const auto* cast = e.as<ir::Cast>()) {
    const ir::Type from = cast->value.type();
    if (from.is_bool() || from.is_float() || e.type().bits < bits) return {};
    return from.bits == bits ? narrow_part(cast->value, bits) : ir::Expr();
  }
  if (const auto* call = e.as<ir::Call>(); call != nullptr && call->intrinsic == ir::Intrinsic::kReinterpret) {
    return narrow_part(call->args[0], bits);
  }
  return e.type().bits == bits ? e : ir::Expr();
}

/// Of vectors of 4, 8 and 16 words.
struct Instructions {
  CpuFeature needs;
  std::array<ID, 3> of_width;
};

const Instructions* instructions_of(ir::Intrinsic intrinsic) {
  using namespace llvm::Intrinsic;
  static constexpr Instructions kBytes = {CpuFeature::kAvx512Vnni,
                                          {x86_avx512_vpdpbusd_128, x86_avx512_vpdpbusd_256, x86_avx512_vpdpbusd_512}};
  static constexpr Instructions kShorts = {CpuFeature::kAvx512Vnni,
                                           {x86_avx512_vpdpwssd_128, x86_avx512_vpdpwssd_256, x86_avx512_vpdpwssd_512}};
  static constexpr Instructions kBFloats = {
      CpuFeature::kAvx512Bf16, {x86_avx512bf16_dpbf16ps_128, x86_avx512bf16_dpbf16ps_256, x86_avx512bf16_dpbf16ps_512}};
  if (intrinsic == ir::Intrinsic::kDotU8S8) return &kBytes;
  if (intrinsic == ir::Intrinsic::kDotS16) return &kShorts;
  return intrinsic == ir::Intrinsic::kDotBF16 ? &kBFloats : nullptr;
}

/// Products of int16 summed in twos, which every x86-64 has on vectors as wide as its own.
ID pair_sum_of(int lanes, CpuIsa isa) {
  switch (lanes) {
    case 4:
      return llvm::Intrinsic::x86_sse2_pmadd_wd;
    case 8:
      return isa == CpuIsa::kX86_64 ? ID{} : ID{llvm::Intrinsic::x86_avx2_pmadd_wd};
    case 16:
      return isa == CpuIsa::kAvx512 ? ID{llvm::Intrinsic::x86_avx512_pmaddw_d_512} : ID{};
    default:
      return llvm::Intrinsic::not_intrinsic;
  }
}

}  // namespace

std::optional<std::pair<ir::Buffer, FunctionEmitter::Access>> FunctionEmitter::joined_access(
    std::span<const ir::Expr> parts) {
  const int count = static_cast<int>(parts.size());
  std::array<const ir::Load*, 4> loads{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ir::Expr part = narrow_part(parts[i], 32 / count);
    loads[i] = part.defined() ? part.as<ir::Load>() : nullptr;
    const bool fits = loads[i] != nullptr && loads[i]->buffer == loads[0]->buffer && !loads[i]->mask.defined();
    if (!fits) return std::nullopt;
  }
  const ir::Buffer& buffer = loads[0]->buffer;
  const Access first = take_apart(buffer, loads[0]->indices);
  if (first.offsets != nullptr) return std::nullopt;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Access other = take_apart(buffer, loads[i]->indices);
    const ir::Linear distance = ir::Linear(other.offset).add(first.offset, -1);
    const bool next = distance.is_constant() && distance.constant == static_cast<std::int64_t>(i);
    if (!next || other.lanes != first.lanes || other.lane_stride != first.lane_stride) return std::nullopt;
  }
  return std::pair{buffer, first};
}

/// The word of each lane where one load has it: parts that lie side by side in memory. Null otherwise.
llvm::Value* FunctionEmitter::load_joined(std::span<const ir::Expr> parts, int lanes) {
  const auto joined = joined_access(parts);
  if (!joined) return nullptr;
  const auto& [buffer, first] = *joined;
  const bool uniform = first.lanes == 1;
  if (!uniform && (first.lanes != lanes || first.lane_stride != static_cast<std::int64_t>(parts.size())))
    return nullptr;
  llvm::Type* word = builder_.getInt32Ty();
  llvm::Type* type = uniform || lanes == 1 ? word : type_of(kInt32.with_lanes(lanes));
  llvm::Value* value = builder_.CreateAlignedLoad(type, address(buffer, first.offset), alignment(buffer, first.offset));
  return uniform && lanes > 1 ? builder_.CreateVectorSplat(static_cast<unsigned>(lanes), value) : value;
}

llvm::Value* FunctionEmitter::emit_join(const ir::Call& call, int lanes) {
  if (llvm::Value* loaded = load_joined(call.args, lanes)) return loaded;
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

/// Part `part` of each word, of `bits` bits, as an int32.
llvm::Value* FunctionEmitter::part_of(llvm::Value* word, int part, int bits, bool is_signed) {
  const int above = 32 - bits * (part + 1);
  llvm::Value* high = above == 0 ? word : builder_.CreateShl(word, static_cast<std::uint64_t>(above));
  const auto low = static_cast<std::uint64_t>(32 - bits);
  return is_signed ? builder_.CreateAShr(high, low) : builder_.CreateLShr(high, low);
}

llvm::Value* FunctionEmitter::emit_dot(const ir::Call& call, ir::Type type) {
  llvm::Value *sum = emit(call.args[0]), *a = emit(call.args[1]), *b = emit(call.args[2]);
  const Instructions* known = instructions_of(call.intrinsic);
  const int width = type.lanes == 4 ? 0 : type.lanes == 8 ? 1 : 2;
  const bool has_width = type.lanes == 4 || type.lanes == 8 || type.lanes == 16;
  if (known != nullptr && has_width && module_.target.has(known->needs)) {
    // The operands' types are the declaration's: they differ between instructions and versions of LLVM.
    const ID id = known->of_width[static_cast<std::size_t>(width)];
#if LLVM_VERSION_MAJOR >= 20
    llvm::Function* instruction = llvm::Intrinsic::getOrInsertDeclaration(&module_.module, id);
#else
    llvm::Function* instruction = llvm::Intrinsic::getDeclaration(&module_.module, id);
#endif
    llvm::FunctionType* signature = instruction->getFunctionType();
    return builder_.CreateCall(instruction, {sum, builder_.CreateBitCast(a, signature->getParamType(1)),
                                             builder_.CreateBitCast(b, signature->getParamType(2))});
  }
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
  if (const ID pairs = pair_sum_of(type.lanes, module_.target.isa);
      !is_bytes && pairs != llvm::Intrinsic::not_intrinsic) {
    llvm::Type* halves = llvm::FixedVectorType::get(builder_.getInt16Ty(), 2U * static_cast<unsigned>(type.lanes));
    return builder_.CreateAdd(
        sum,
        builder_.CreateIntrinsic(pairs, {}, {builder_.CreateBitCast(a, halves), builder_.CreateBitCast(b, halves)}));
  }
  for (int i = 0; i < (is_bytes ? 4 : 2); ++i) {
    const int bits = is_bytes ? 8 : 16;
    sum = builder_.CreateAdd(sum, builder_.CreateMul(part_of(a, i, bits, a_signed), part_of(b, i, bits, true)));
  }
  return sum;
}

}  // namespace nestwright::codegen
