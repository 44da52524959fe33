// Rebuilds a node from its fields, with the checks of the make functions of nestwright/expr_nodes.h and
// nestwright/program.h: for generic code that knows nodes by their description alone (ir/core/fields.h), such as
// rewriting and deserialisation. Private to ir/. Thread rule: pure functions.
#pragma once

#include "nestwright/program.h"

namespace nestwright::ir {

// `type` is that of the node before its children were replaced, or the one that was read. The result has as many lanes
// as the children; a type that follows from the fields is computed anew.
Expr make_node(IntImm n, Type type);
Expr make_node(FloatImm n, Type type);
Expr make_node(VarRef n, Type type);
Expr make_node(Binary n, Type type);
Expr make_node(Not n, Type type);
Expr make_node(Select n, Type type);
Expr make_node(Cast n, Type type);
Expr make_node(Load n, Type type);
Expr make_node(Ramp n, Type type);
Expr make_node(Broadcast n, Type type);
Expr make_node(Call n, Type type);
Expr make_node(CallExtern n, Type type);
Expr make_node(Reduce n, Type type);

// Undefined where the statement would do nothing, like the results of the make functions of nestwright/program.h.
Stmt make_node(For n);
Stmt make_node(Block n);
Stmt make_node(Let n);
Stmt make_node(IfThenElse n);
Stmt make_node(Store n);
Stmt make_node(Allocate n);
Stmt make_node(Prefetch n);
Stmt make_node(CommitCopies n);
Stmt make_node(Barrier n);
Stmt make_node(Launch n);
Stmt make_node(TensorInstruction n);

}  // namespace nestwright::ir
