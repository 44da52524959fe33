#include "ir/core/make_node.h"

#include <utility>

namespace nestwright::ir {

Expr make_node(IntImm n, Type type) { return make_int(n.value, type); }
Expr make_node(FloatImm n, Type type) { return make_float(n.value, type); }
Expr make_node(VarRef n, Type) { return Expr(n.var); }
Expr make_node(Binary n, Type) { return make_binary(n.op, std::move(n.a), std::move(n.b)); }
Expr make_node(Not n, Type) { return make_not(std::move(n.a)); }
Expr make_node(Select n, Type) {
  return make_select(std::move(n.condition), std::move(n.if_true), std::move(n.if_false));
}
Expr make_node(Cast n, Type type) {
  const Type to = type.with_lanes(n.value.lanes());
  return make_cast(to, std::move(n.value));
}
Expr make_node(Load n, Type) { return make_load(std::move(n.buffer), std::move(n.indices), std::move(n.mask)); }
Expr make_node(Ramp n, Type type) { return make_ramp(std::move(n.base), std::move(n.stride), type.lanes); }
Expr make_node(Broadcast n, Type type) { return make_broadcast(std::move(n.value), type.lanes); }
Expr make_node(Call n, Type type) {
  const Type result = n.args.empty() ? type : type.with_lanes(n.args.front().lanes());
  return make_call(n.intrinsic, std::move(n.args), result);
}
Expr make_node(CallExtern n, Type type) {
  const Type result = n.args.empty() ? type : type.with_lanes(n.args.front().lanes());
  return make_call_extern(std::move(n.function), std::move(n.args), result);
}
Expr make_node(Reduce n, Type) { return make_reduce(std::move(n)); }

Stmt make_node(For n) {
  return make_for(std::move(n.var), std::move(n.min), std::move(n.extent), n.kind, std::move(n.body));
}
Stmt make_node(Block n) { return block(std::move(n.stmts)); }
Stmt make_node(Let n) { return make_let(std::move(n.var), std::move(n.value), std::move(n.body)); }
Stmt make_node(IfThenElse n) { return make_if(std::move(n.condition), std::move(n.then_case), std::move(n.else_case)); }
Stmt make_node(Store n) { return make_store(std::move(n)); }
Stmt make_node(Allocate n) {
  return make_allocate(std::move(n.buffer), std::move(n.body), n.offset, n.per_thread, std::move(n.symbolic_offset));
}
Stmt make_node(Prefetch n) { return make_prefetch(std::move(n.buffer), std::move(n.indices), n.for_write, n.locality); }
Stmt make_node(CommitCopies n) { return make_commit_copies(n.pending); }
Stmt make_node(Barrier n) { return make_barrier(n.pending); }
Stmt make_node(Launch n) { return make_launch(n.kernel); }
Stmt make_node(TensorInstruction n) { return make_tensor_instruction(std::move(n)); }

}  // namespace nestwright::ir
