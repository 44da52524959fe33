// Emits loads whose lanes are a few elements apart, as in a convolution of stride 2: contiguous loads that cover all
// lanes, and shuffles that extract them, instead of a gather instruction, which loads each lane separately.
#include "codegen/llvm/function_emitter.h"

namespace nestwright::codegen {
namespace {

constexpr std::int64_t kMaxStride = 4;  ///< of lanes, in elements; farther apart, a gather has fewer instructions

}  // namespace

llvm::Value* FunctionEmitter::emit_strided(const ir::Load& load, const Access& access) {
  const std::int64_t stride = access.lane_stride, lanes = access.lanes;
  const ir::Type element = load.buffer->element;
  const bool is_near = load.buffer->scope == ir::Scope::kGlobal && access.offsets == nullptr && stride >= 2 &&
                       stride <= kMaxStride && lanes >= 4 && element.lanes == 1 && !element.is_bool();
  if (!is_near) return nullptr;
  const std::optional<TailMask> tail = load.mask.defined() ? tail_mask(load.mask) : std::nullopt;
  const bool has_masked_loads = module_.target.has_masks() || (module_.target.has_fma() && element.bytes() >= 4);
  if (load.mask.defined() && !(tail && has_masked_loads && !holds_data(*tail))) return nullptr;

  llvm::Type* const type = memory_type_of(element.with_lanes(static_cast<int>(lanes)));
  llvm::Value* result = nullptr;
  for (std::int64_t part = 0; part < stride; ++part) {
    // The last part ends at the last lane: nothing past it is read.
    const std::int64_t start = part + 1 < stride ? part * lanes : (lanes - 1) * (stride - 1);
    ir::Linear offset = access.offset;
    offset.constant += start;
    llvm::Value* const pointer = address(load.buffer, offset);
    const llvm::Align align = alignment(load.buffer, offset);
    llvm::Value* loaded = nullptr;
    if (tail) {
      const ir::Expr active = (tail->bound - tail->first - 1) * ir::Expr(stride) + 1;
      const ir::Expr first = ir::make_int(start, active.type()), one = ir::make_int(1, active.type());
      const ir::Expr mask = ir::make_binary(ir::BinaryOp::kLt, ir::make_ramp(first, one, access.lanes),
                                            ir::make_broadcast(active, access.lanes));
      loaded = builder_.CreateMaskedLoad(type, pointer, align, emit_mask(mask), llvm::Constant::getNullValue(type));
    } else {
      loaded = builder_.CreateAlignedLoad(type, pointer, align);
    }
    std::vector<int> picked;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const std::int64_t at = lane * stride - start;
      const bool is_new = at >= 0 && at < lanes && (part == 0 || lane * stride >= part * lanes);
      picked.push_back(static_cast<int>(is_new ? lanes + at : lane));
    }
    result = builder_.CreateShuffleVector(result == nullptr ? loaded : result, loaded, picked);
  }
  return result;
}

}  // namespace nestwright::codegen
