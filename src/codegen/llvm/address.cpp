// Emits addresses, loads and stores. An address is the buffer's base, plus one sum for each scope that moves it (cached
// in that scope, see function_emitter.h), plus a constant, so that all rows of a register tile share a base register
// and differ in their displacement. Tiles in allocas are never accessed by a gather instruction, which would keep them
// out of registers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "codegen/llvm/function_emitter.h"
#include "ir/traversal/equal.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

bool same_terms(const std::vector<ir::LinearTerm>& a, const std::vector<ir::LinearTerm>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ir::LinearTerm& x, const ir::LinearTerm& y) {
    return x.coefficient == y.coefficient && ir::equal(x.atom, y.atom);
  });
}

// offset += index * stride, where the stride may be symbolic.
void add_scaled(ir::Linear& offset, const ir::Expr& index, const ir::Expr& stride) {
  const ir::Linear linear = ir::to_linear(index);
  if (const std::int64_t* constant = ir::as_const_int(stride)) {
    offset.add(linear, *constant);
    return;
  }
  // Term by term, so that each product can be hoisted on its own.
  offset.add(ir::to_linear(stride), linear.constant);
  for (const ir::LinearTerm& term : linear.terms) {
    offset.add(ir::to_linear(ir::make_binary(ir::BinaryOp::kMul, term.atom, stride)), term.coefficient);
  }
}

}  // namespace

const FunctionEmitter::BufferBinding& FunctionEmitter::find(const ir::Buffer& buffer) const {
  const auto found = buffers_.find(buffer);
  if (found == buffers_.end()) {
    throw CompileError(fmt::format("buffer {} is used where it is neither a parameter nor allocated", buffer->name));
  }
  return found->second;
}

FunctionEmitter::Access FunctionEmitter::decompose(const ir::Buffer& buffer, const std::vector<ir::Expr>& indices) {
  const BufferBinding& binding = find(buffer);
  Access access;
  bool regular = true;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const ir::Expr& index = indices[d];
    if (index.type().is_scalar()) {
      add_scaled(access.offset, index, binding.strides[d]);
      continue;
    }
    access.lanes = index.lanes();
    const std::int64_t* stride = ir::as_const_int(binding.strides[d]);
    const auto* ramp = index.as<ir::Ramp>();
    const std::int64_t* step = ramp != nullptr ? ir::as_const_int(ramp->stride) : nullptr;
    if (const auto* broadcast = index.as<ir::Broadcast>()) {
      add_scaled(access.offset, broadcast->value, binding.strides[d]);
    } else if (step != nullptr && stride != nullptr) {
      add_scaled(access.offset, ramp->base, binding.strides[d]);
      access.lane_stride += *step * *stride;
    } else {
      regular = false;
    }
  }
  if (regular) return access;

  access.offset = {};
  access.lane_stride = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    llvm::Value *index = emit(indices[d]), *stride = emit(binding.strides[d]);
    index = builder_.CreateIntCast(index, type_of(kIndex.with_lanes(indices[d].lanes())),
                                   indices[d].type().code == ir::TypeCode::kInt);
    if (indices[d].type().is_scalar()) index = builder_.CreateVectorSplat(static_cast<unsigned>(access.lanes), index);
    llvm::Value* part = builder_.CreateMul(
        index, builder_.CreateVectorSplat(static_cast<unsigned>(access.lanes), stride), "", true, true);
    access.offsets = access.offsets == nullptr ? part : builder_.CreateAdd(access.offsets, part, "", true, true);
  }
  return access;
}

llvm::Value* FunctionEmitter::emit_sum(const std::vector<ir::LinearTerm>& terms) {
  llvm::Value* sum = nullptr;
  for (const ir::LinearTerm& term : terms) {
    llvm::Value* value = term.atom.as<ir::VarRef>() ? emit(term.atom) : emit_hoisted(term.atom);
    value = builder_.CreateIntCast(value, builder_.getInt64Ty(), term.atom.type().code == ir::TypeCode::kInt);
    if (term.coefficient != 1) value = builder_.CreateMul(value, int64(term.coefficient), "", false, true);
    sum = sum == nullptr ? value : builder_.CreateAdd(sum, value, "", false, true);
  }
  return sum;
}

llvm::Value* FunctionEmitter::address(const ir::Buffer& buffer, const ir::Linear& offset) {
  llvm::Type* element = memory_type_of(buffer->element.element());
  llvm::Value* pointer = find(buffer).base;
  std::vector<std::vector<ir::LinearTerm>> by_depth(scopes_.size());
  std::vector<ir::LinearTerm> here;  // terms that must be computed in place
  for (const ir::LinearTerm& term : offset.terms) {
    const int term_depth = depth_of(term.atom);
    (term_depth < 0 ? here : by_depth[static_cast<std::size_t>(term_depth)]).push_back(term);
  }
  for (std::size_t d = 0; d < scopes_.size(); ++d) {
    if (by_depth[d].empty()) continue;
    Scope& scope = scopes_[d];
    const auto known = std::find_if(scope.addresses.begin(), scope.addresses.end(), [&](const Address& address) {
      return address.parent == pointer && same_terms(address.terms, by_depth[d]);
    });
    if (known != scope.addresses.end()) {
      pointer = known->pointer;
      continue;
    }
    const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(scope.anchor);
    // Not inbounds: a partial sum may point before the buffer.
    llvm::Value* moved = builder_.CreateGEP(element, pointer, emit_sum(by_depth[d]));
    scope.addresses.push_back({pointer, std::move(by_depth[d]), moved});
    pointer = moved;
  }
  if (!here.empty()) pointer = builder_.CreateGEP(element, pointer, emit_sum(here));
  if (offset.constant != 0) {
    pointer = builder_.CreateGEP(builder_.getInt8Ty(), pointer, int64(offset.constant * buffer->element.bytes()));
  }
  return pointer;
}

llvm::Value* FunctionEmitter::lane_addresses(const ir::Buffer& buffer, const Access& access) {
  llvm::Type* element = memory_type_of(buffer->element.element());
  llvm::Value* base = address(buffer, access.offset);
  if (access.offsets != nullptr) return builder_.CreateGEP(element, base, access.offsets);
  std::vector<llvm::Constant*> lanes;
  for (int lane = 0; lane < access.lanes; ++lane) {
    const std::int64_t offset = lane * access.lane_stride;
    // 32-bit offsets where they fit: one gather instruction then takes twice the lanes.
    lanes.push_back(std::abs(access.lane_stride) * access.lanes < (std::int64_t{1} << 28)
                        ? builder_.getInt32(static_cast<std::uint32_t>(offset))
                        : builder_.getInt64(static_cast<std::uint64_t>(offset)));
  }
  return builder_.CreateGEP(element, base, llvm::ConstantVector::get(lanes));
}

llvm::Align FunctionEmitter::alignment(const ir::Buffer& buffer, const ir::Linear& offset) const {
  const std::int64_t bytes = buffer->element.bytes();
  std::int64_t common = std::gcd<std::int64_t>(buffer->alignment, offset.constant * bytes);
  for (const ir::LinearTerm& term : offset.terms) common = std::gcd(common, term.coefficient * bytes);
  return llvm::Align(static_cast<std::uint64_t>(common & -common));
}

// Whether a masked access to a stack array can be an access of all lanes and a select: masked instructions would keep
// the array out of registers.
bool FunctionEmitter::is_whole_in_tile(const ir::Buffer& buffer, const Access& access) const {
  return buffer->scope != ir::Scope::kGlobal && access.offsets == nullptr && access.lane_stride == 1 &&
         access.offset.is_constant() && access.offset.constant >= 0 &&
         access.offset.constant + access.lanes <= buffer->elements();
}

llvm::Constant* FunctionEmitter::zero_in_memory() {
  if (module_.zero == nullptr) {
    llvm::Constant* const zero = builder_.getInt64(0);
    module_.zero = new llvm::GlobalVariable(module_.module, zero->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                            zero, "zero");
    module_.zero->setAlignment(llvm::Align(8));
  }
  return module_.zero;
}

llvm::Value* FunctionEmitter::emit_load(const ir::Load& load, ir::Type type) {
  const Access access = decompose(load.buffer, load.indices);
  const bool is_bool = type.is_bool();
  llvm::Type* memory_type = memory_type_of(type);
  const llvm::Align element_align(static_cast<std::uint64_t>(std::max(1, load.buffer->element.bytes())));
  llvm::Value* value = nullptr;
  if (type.is_scalar()) {
    llvm::Value* pointer = address(load.buffer, access.offset);
    llvm::Value* mask = load.mask.defined() ? emit(load.mask) : nullptr;
    // Where the mask is off, a constant zero of the module is loaded, because a tensor may have no element. This needs
    // no branch.
    if (mask != nullptr) pointer = builder_.CreateSelect(mask, pointer, zero_in_memory());
    value = builder_.CreateAlignedLoad(memory_type, pointer,
                                       mask == nullptr ? alignment(load.buffer, access.offset) : element_align);
    if (mask != nullptr) value = builder_.CreateSelect(mask, value, llvm::Constant::getNullValue(memory_type));
  } else if (access.offsets == nullptr && access.lane_stride == 0 && !load.mask.defined()) {
    value = builder_.CreateVectorSplat(
        static_cast<unsigned>(type.lanes),
        builder_.CreateAlignedLoad(memory_type->getScalarType(), address(load.buffer, access.offset), element_align));
  } else if (access.offsets == nullptr && access.lane_stride == 1) {
    llvm::Value* pointer = address(load.buffer, access.offset);
    const llvm::Align align = alignment(load.buffer, access.offset);
    if (!load.mask.defined() || is_whole_in_tile(load.buffer, access)) {
      value = builder_.CreateAlignedLoad(memory_type, pointer, align);
      // Inactive lanes are 0, unless the store that uses them has the same mask.
      const bool unseen = !load.mask.defined() || (store_mask_.defined() && ir::equal(load.mask, store_mask_));
      if (!unseen) {
        value = builder_.CreateSelect(emit_mask(load.mask), value, llvm::Constant::getNullValue(memory_type));
      }
    } else {
      value = builder_.CreateMaskedLoad(memory_type, pointer, align, emit_mask(load.mask),
                                        llvm::Constant::getNullValue(memory_type));
    }
  } else if (llvm::Value* column = emit_column(load.buffer, access)) {
    const bool unseen = !load.mask.defined() || (store_mask_.defined() && ir::equal(load.mask, store_mask_));
    value = unseen ? column
                   : builder_.CreateSelect(emit_mask(load.mask), column, llvm::Constant::getNullValue(memory_type));
  } else if (llvm::Value* strided = emit_strided(load, access)) {
    value = strided;
  } else if (load.mask.defined() || (module_.target.has_masks() && load.buffer->scope == ir::Scope::kGlobal)) {
    llvm::Value* mask = load.mask.defined() ? emit_mask(load.mask) : nullptr;
    value = builder_.CreateMaskedGather(memory_type, lane_addresses(load.buffer, access), element_align, mask,
                                        llvm::Constant::getNullValue(memory_type));
  } else {
    value = llvm::PoisonValue::get(memory_type);
    llvm::Value* pointers = access.offsets != nullptr ? lane_addresses(load.buffer, access) : nullptr;
    for (int lane = 0; lane < type.lanes; ++lane) {
      ir::Linear offset = access.offset;
      offset.constant += lane * access.lane_stride;
      llvm::Value* pointer = pointers != nullptr
                                 ? builder_.CreateExtractElement(pointers, static_cast<std::uint64_t>(lane))
                                 : address(load.buffer, offset);
      llvm::Value* element = builder_.CreateAlignedLoad(memory_type->getScalarType(), pointer, element_align);
      value = builder_.CreateInsertElement(value, element, static_cast<std::uint64_t>(lane));
    }
  }
  return is_bool ? builder_.CreateTrunc(value, type_of(type)) : value;
}

void FunctionEmitter::emit_store(const ir::Store& store) {
  const Access access = decompose(store.buffer, store.indices);
  const ir::Type type = store.value.type();
  store_mask_ = store.mask;
  llvm::Value* value = emit(store.value);
  store_mask_ = {};
  if (type.is_bool()) value = builder_.CreateZExt(value, memory_type_of(type));
  const llvm::Align element_align(static_cast<std::uint64_t>(std::max(1, store.buffer->element.bytes())));
  if (type.is_scalar()) {
    if (store.mask.defined()) throw CompileError("a scalar store cannot have a mask: use a branch");
    builder_.CreateAlignedStore(value, address(store.buffer, access.offset), alignment(store.buffer, access.offset));
  } else if (access.offsets == nullptr && access.lane_stride == 1) {
    llvm::Value* pointer = address(store.buffer, access.offset);
    const llvm::Align align = alignment(store.buffer, access.offset);
    if (store.mask.defined() && is_whole_in_tile(store.buffer, access)) {
      llvm::Value* old = builder_.CreateAlignedLoad(value->getType(), pointer, align);
      builder_.CreateAlignedStore(builder_.CreateSelect(emit_mask(store.mask), value, old), pointer, align);
    } else if (store.mask.defined()) {
      builder_.CreateMaskedStore(value, pointer, align, emit_mask(store.mask));
    } else {
      llvm::StoreInst* whole = builder_.CreateAlignedStore(value, pointer, align);
      if (store.non_temporal && can_bypass_caches(value->getType(), align)) make_non_temporal(whole);
    }
  } else if (store.mask.defined() || (module_.target.has_masks() && store.buffer->scope == ir::Scope::kGlobal)) {
    llvm::Value* mask = store.mask.defined() ? emit_mask(store.mask) : nullptr;
    builder_.CreateMaskedScatter(value, lane_addresses(store.buffer, access), element_align, mask);
  } else {
    llvm::Value* pointers = access.offsets != nullptr ? lane_addresses(store.buffer, access) : nullptr;
    for (int lane = 0; lane < type.lanes; ++lane) {
      ir::Linear offset = access.offset;
      offset.constant += lane * access.lane_stride;
      llvm::Value* pointer = pointers != nullptr
                                 ? builder_.CreateExtractElement(pointers, static_cast<std::uint64_t>(lane))
                                 : address(store.buffer, offset);
      builder_.CreateAlignedStore(builder_.CreateExtractElement(value, static_cast<std::uint64_t>(lane)), pointer,
                                  element_align);
    }
  }
}

// Non-temporal stores must fill a vector register and be naturally aligned; others would be split, or trap.
bool FunctionEmitter::can_bypass_caches(const llvm::Type* type, llvm::Align align) const {
  const std::uint64_t bytes = type->getPrimitiveSizeInBits().getFixedValue() / 8;
  return bytes >= 16 && bytes <= static_cast<std::uint64_t>(module_.target.vector_bits) / 8 && align.value() >= bytes;
}

void FunctionEmitter::make_non_temporal(llvm::StoreInst* store) {
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(builder_.getInt32(1));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(function_->getContext(), {one}));
  has_non_temporal_stores_ = true;
}

void FunctionEmitter::emit_prefetch(const ir::Prefetch& prefetch) {
  const Access access = decompose(prefetch.buffer, prefetch.indices);
  llvm::Value* pointer = access.offsets != nullptr
                             ? builder_.CreateExtractElement(lane_addresses(prefetch.buffer, access), std::uint64_t{0})
                             : address(prefetch.buffer, access.offset);
  builder_.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                           {pointer, builder_.getInt32(prefetch.for_write ? 1 : 0),
                            builder_.getInt32(static_cast<std::uint32_t>(prefetch.locality)), builder_.getInt32(1)});
}

}  // namespace nestwright::codegen
