// Emits x * 2^n: one instruction on vectors of AVX-512, elsewhere LLVM's ldexp, which is one call of libm per lane.
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "codegen/llvm/function_emitter.h"

namespace nestwright::codegen {
namespace {

constexpr int kMinBits = 128, kMaxBits = 512;  ///< sizes of the vectors that have an instruction

/// The instructions for vectors of 128, 256 and 512 bits.
constexpr std::array<llvm::Intrinsic::ID, 3> kOfFloats{llvm::Intrinsic::x86_avx512_mask_scalef_ps_128,
                                                       llvm::Intrinsic::x86_avx512_mask_scalef_ps_256,
                                                       llvm::Intrinsic::x86_avx512_mask_scalef_ps_512};
constexpr std::array<llvm::Intrinsic::ID, 3> kOfDoubles{llvm::Intrinsic::x86_avx512_mask_scalef_pd_128,
                                                        llvm::Intrinsic::x86_avx512_mask_scalef_pd_256,
                                                        llvm::Intrinsic::x86_avx512_mask_scalef_pd_512};

/// A vector of `width` lanes with `count` lanes of `value` from `first` on; the others are poison.
llvm::Value* lanes_of(llvm::IRBuilder<>& builder, llvm::Value* value, int first, int count, int width) {
  if (!value->getType()->isVectorTy()) value = builder.CreateVectorSplat(1U, value);
  std::vector<int> mask(static_cast<std::size_t>(width), -1);
  std::iota(mask.begin(), mask.begin() + count, first);
  return builder.CreateShuffleVector(value, mask);
}

/// Scales a vector that fills a register.
llvm::Value* scale_register(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* n, int bits, int lanes) {
  const auto& of_width = bits / lanes == 64 ? kOfDoubles : kOfFloats;
  std::vector<llvm::Value*> args{
      x, n, llvm::PoisonValue::get(x->getType()),
      builder.getIntN(static_cast<unsigned>(std::max(8, lanes)), ~std::uint64_t{0} >> (64 - std::max(8, lanes)))};
  if (bits == kMaxBits) args.push_back(builder.getInt32(4));  // the processor's current rounding mode
  return builder.CreateIntrinsic(
      of_width[static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(bits / kMinBits)))], {}, args);
}

}  // namespace

llvm::Value* FunctionEmitter::emit_scale(llvm::Value* x, llvm::Value* n, ir::Type type) {
  if (module_.target.isa != CpuIsa::kAvx512) {
    llvm::Type* whole = type_of(kInt32.with_lanes(type.lanes));
    llvm::Value* exponent = builder_.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {whole, n->getType()}, {n});
    return builder_.CreateIntrinsic(llvm::Intrinsic::ldexp, {x->getType(), whole}, {x, exponent});
  }
  const int most = kMaxBits / type.bits;
  llvm::Value* result = nullptr;
  for (int first = 0; first < type.lanes; first += most) {
    const int count = std::min(most, type.lanes - first);
    const int width = std::max(kMinBits / type.bits, static_cast<int>(std::bit_ceil(static_cast<unsigned>(count))));
    const auto part = [&](llvm::Value* value) { return lanes_of(builder_, value, first, count, width); };
    llvm::Value* scaled = scale_register(builder_, part(x), part(n), width * type.bits, width);
    if (type.lanes == 1) return builder_.CreateExtractElement(scaled, std::uint64_t{0});
    if (count == type.lanes) return lanes_of(builder_, scaled, 0, count, count);
    for (int lane = 0; lane < count; ++lane) {
      if (result == nullptr) result = llvm::PoisonValue::get(type_of(type));
      result =
          builder_.CreateInsertElement(result, builder_.CreateExtractElement(scaled, static_cast<std::uint64_t>(lane)),
                                       static_cast<std::uint64_t>(first + lane));
    }
  }
  return result;
}

}  // namespace nestwright::codegen
