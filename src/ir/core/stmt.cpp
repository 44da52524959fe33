#include "nestwright/program.h"

#include <array>

#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

template <class T>
Stmt node(T value) {
  return Stmt(std::make_shared<const StmtNode>(std::move(value)));
}

void check_indices(const Buffer& buffer, const std::vector<Expr>& indices) {
  check(buffer.defined() && indices.size() == buffer->shape.size(), "a store or prefetch needs one index a dimension");
  for (const Expr& index : indices) check(index.defined() && index.type().is_int(), "an index is no integer");
}

}  // namespace

const char* loop_kind_name(LoopKind kind) {
  switch (kind) {
    case LoopKind::kSerial:
      return "for";
    case LoopKind::kParallel:
      return "parallel";
    case LoopKind::kVectorized:
      return "vectorized";
    case LoopKind::kUnrolled:
      return "unrolled";
    case LoopKind::kBlockX:
      return "blockIdx.x";
    case LoopKind::kBlockY:
      return "blockIdx.y";
    case LoopKind::kBlockZ:
      return "blockIdx.z";
    case LoopKind::kThreadX:
      return "threadIdx.x";
    case LoopKind::kThreadY:
      return "threadIdx.y";
    case LoopKind::kThreadZ:
      return "threadIdx.z";
    case LoopKind::kVirtualThread:
      return "vthread";
  }
  return "?";
}

const char* tensor_op_name(TensorOp op) {
  switch (op) {
    case TensorOp::kTileConfigure:
      return "tile_configure";
    case TensorOp::kTileRelease:
      return "tile_release";
    case TensorOp::kTileZero:
      return "tile_zero";
    case TensorOp::kTileLoad:
      return "tile_load";
    case TensorOp::kTileStore:
      return "tile_store";
    case TensorOp::kTileMultiply:
      return "tile_multiply";
    case TensorOp::kFragmentFill:
      return "fragment_fill";
    case TensorOp::kFragmentLoad:
      return "fragment_load";
    case TensorOp::kFragmentLoadTransposed:
      return "fragment_load_transposed";
    case TensorOp::kFragmentMultiply:
      return "fragment_multiply";
    case TensorOp::kWarpgroupFill:
      return "warpgroup_fill";
    case TensorOp::kWarpgroupMultiply:
      return "warpgroup_multiply";
    case TensorOp::kWarpgroupAwait:
      return "warpgroup_await";
  }
  return "?";
}

const For* as_bound(const Stmt& s) {
  const auto* loop = s.defined() ? s.as<For>() : nullptr;
  return loop != nullptr && is_bound(loop->kind) ? loop : nullptr;
}

Stmt make_for(Var var, Expr min, Expr extent, LoopKind kind, Stmt body) {
  if (!body.defined()) return {};
  check(var.defined() && min.defined() && extent.defined(), "a loop lacks its variable, minimum or extent");
  check(min.type() == var.type() && extent.type() == var.type(), "a loop's bounds differ in type from its variable");
  return node(For{std::move(var), std::move(min), std::move(extent), kind, std::move(body)});
}

Stmt block(std::vector<Stmt> stmts) {
  std::vector<Stmt> flat;
  flat.reserve(stmts.size());
  for (Stmt& s : stmts) {
    if (!s.defined()) continue;
    if (const auto* inner = s.as<Block>()) {
      flat.insert(flat.end(), inner->stmts.begin(), inner->stmts.end());
    } else {
      flat.push_back(std::move(s));
    }
  }
  if (flat.empty()) return {};
  if (flat.size() == 1) return flat.front();
  return node(Block{std::move(flat)});
}

Stmt make_let(Var var, Expr value, Stmt body) {
  if (!body.defined()) return {};
  check(var.defined() && value.defined() && var.type() == value.type(),
        "a let's value differs in type from its variable");
  return node(Let{std::move(var), std::move(value), std::move(body)});
}

Stmt make_if(Expr condition, Stmt then_case, Stmt else_case) {
  if (!then_case.defined() && !else_case.defined()) return {};
  check(condition.defined() && condition.type().is_bool(), "the condition of an if is no bool");
  if (!then_case.defined()) return node(IfThenElse{!condition, std::move(else_case), {}});
  return node(IfThenElse{std::move(condition), std::move(then_case), std::move(else_case)});
}

Stmt make_store(Buffer buffer, std::vector<Expr> indices, Expr value, Expr mask, bool non_temporal) {
  return make_store(Store{std::move(buffer), std::move(indices), std::move(value), std::move(mask), non_temporal});
}

Stmt make_store(Store store) {
  if (store.asynchronous) return make_asynchronous(std::move(store));
  check_indices(store.buffer, store.indices);
  check(store.value.defined() && store.value.type().element() == store.buffer->element,
        "a store's value differs in type from its buffer");
  check(!store.mask.defined() || store.mask.type().is_bool(), "a store's mask is no bool");
  return node(std::move(store));
}

Stmt make_asynchronous(Store store) {
  check_indices(store.buffer, store.indices);
  const auto* load = store.value.as<Load>();
  check(load != nullptr && load->buffer->scope == Scope::kGlobal && store.buffer->scope == Scope::kShared &&
            load->buffer->element == store.buffer->element && !store.mask.defined(),
        "an asynchronous copy is no copy from global to shared memory");
  store.asynchronous = true;
  return node(std::move(store));
}

Stmt make_allocate(Buffer buffer, Stmt body, std::int64_t offset, bool per_thread, Expr symbolic_offset) {
  if (!body.defined()) return {};
  check(buffer.defined(), "an allocation lacks its buffer");
  check(!symbolic_offset.defined() || symbolic_offset.type() == Type{kIndex}, "an allocation's offset is no index");
  return node(Allocate{std::move(buffer), std::move(body), offset, per_thread, std::move(symbolic_offset)});
}

Stmt with_body(const Allocate& allocate, Buffer buffer, Stmt body) {
  return make_allocate(std::move(buffer), std::move(body), allocate.offset, allocate.per_thread,
                       allocate.symbolic_offset);
}

Stmt make_prefetch(Buffer buffer, std::vector<Expr> indices, bool for_write, int locality) {
  check_indices(buffer, indices);
  check(locality >= 0 && locality <= 3, "the locality of a prefetch is not within 0..3");
  return node(Prefetch{std::move(buffer), std::move(indices), for_write, locality});
}

Stmt make_commit_copies(int pending) {
  check(pending >= 0 && pending <= kMaxPendingGroups, "too many groups of copies are to be in flight");
  return node(CommitCopies{pending});
}

Stmt make_barrier(int pending) {
  check(pending >= 0 && pending <= kMaxPendingGroups, "too many groups of copies are to be in flight");
  return node(Barrier{pending});
}

Stmt make_launch(int kernel) { return node(Launch{kernel}); }

Stmt make_tensor_instruction(TensorInstruction instruction) {
  for (const Operand& operand : instruction.operands) {
    check(operand.at.defined(), "an operand of a tensor instruction lacks its place");
  }
  return node(std::move(instruction));
}

}  // namespace nestwright::ir
