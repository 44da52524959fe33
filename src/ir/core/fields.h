// The description of each node: the list of its fields, in the order in which they are evaluated. Visiting, rewriting,
// equality and serialisation derive from it. A node without a description, or with a member that its description lacks,
// does not compile.
// Thread rule: constants.
//
// A field is a pointer to a member, or one of the marks below that wraps such a pointer. The member's type says what it
// is: an Expr or a Stmt is a child, a vector of them is a list of children, a Var or a Buffer is a reference,
// everything else is a value. A child without a mark is always defined.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ir/core/intrinsic_table.h"
#include "ir/core/one_of.h"
#include "nestwright/program.h"

namespace nestwright::ir {

/// The variable or the buffer that the node defines; it is visible in the fields after this one.
template <class M>
struct Binds {
  M member;
};
/// A child that may be undefined.
template <class M>
struct Optional {
  M member;
};
/// A number in 0 .. `max`; `what` names it in messages: "a kernel number".
template <class M>
struct AtMost {
  M member;
  int max;
  const char* what;
};
/// A member that records how the node was written and does not affect its meaning.
template <class M>
struct Spelling {
  M member;
};

template <class Node>
struct Fields;  // specialised for each node

template <>
struct Fields<IntImm> {
  static constexpr std::tuple list{&IntImm::value};
};
template <>
struct Fields<FloatImm> {
  static constexpr std::tuple list{&FloatImm::value, Spelling{&FloatImm::written}};
};
template <>
struct Fields<VarRef> {
  static constexpr std::tuple list{&VarRef::var};
};
template <>
struct Fields<Binary> {
  static constexpr std::tuple list{&Binary::op, &Binary::a, &Binary::b};
};
template <>
struct Fields<Not> {
  static constexpr std::tuple list{&Not::a};
};
template <>
struct Fields<Select> {
  static constexpr std::tuple list{&Select::condition, &Select::if_true, &Select::if_false};
};
template <>
struct Fields<Cast> {
  static constexpr std::tuple list{&Cast::value};
};
template <>
struct Fields<Load> {
  static constexpr std::tuple list{&Load::buffer, &Load::indices, Optional{&Load::mask}};
};
template <>
struct Fields<Ramp> {
  static constexpr std::tuple list{&Ramp::base, &Ramp::stride};
};
template <>
struct Fields<Broadcast> {
  static constexpr std::tuple list{&Broadcast::value};
};
template <>
struct Fields<Call> {
  static constexpr std::tuple list{&Call::intrinsic, &Call::args};
};
template <>
struct Fields<CallExtern> {
  static constexpr std::tuple list{&CallExtern::function, &CallExtern::args};
};
template <>
struct Fields<ReduceAxis> {
  static constexpr std::tuple list{&ReduceAxis::min, &ReduceAxis::extent, Binds{&ReduceAxis::var},
                                   &ReduceAxis::may_be_part};
};
template <>
struct Fields<Reduce> {
  static constexpr std::tuple list{&Reduce::reducer, &Reduce::combiner, &Reduce::result,
                                   &Reduce::init,    &Reduce::axes,     &Reduce::values};
};

template <>
struct Fields<For> {
  static constexpr std::tuple list{&For::min, &For::extent, Binds{&For::var}, &For::kind, &For::body};
};
template <>
struct Fields<Block> {
  static constexpr std::tuple list{&Block::stmts};
};
template <>
struct Fields<Let> {
  static constexpr std::tuple list{&Let::value, Binds{&Let::var}, &Let::body};
};
template <>
struct Fields<IfThenElse> {
  static constexpr std::tuple list{&IfThenElse::condition, &IfThenElse::then_case, Optional{&IfThenElse::else_case}};
};
template <>
struct Fields<Store> {
  static constexpr std::tuple list{&Store::buffer,         &Store::indices,      &Store::value,
                                   Optional{&Store::mask}, &Store::non_temporal, &Store::asynchronous};
};
template <>
struct Fields<Allocate> {
  static constexpr std::tuple list{&Allocate::offset, &Allocate::per_thread, Optional{&Allocate::symbolic_offset},
                                   Binds{&Allocate::buffer}, &Allocate::body};
};
template <>
struct Fields<Prefetch> {
  static constexpr std::tuple list{&Prefetch::buffer, &Prefetch::indices, &Prefetch::for_write,
                                   AtMost{&Prefetch::locality, 3, "a prefetch locality"}};
};
template <>
struct Fields<CommitCopies> {
  static constexpr std::tuple list{AtMost{&CommitCopies::pending, kMaxPendingGroups, "a number of groups of copies"}};
};
template <>
struct Fields<Barrier> {
  static constexpr std::tuple list{AtMost{&Barrier::pending, kMaxPendingGroups, "a number of groups of copies"}};
};
template <>
struct Fields<Operand> {
  static constexpr std::tuple list{Optional{&Operand::buffer}, &Operand::at};
};
template <>
struct Fields<TensorInstruction> {
  static constexpr std::tuple list{
      &TensorInstruction::op,         &TensorInstruction::operands,     &TensorInstruction::type,
      &TensorInstruction::columns,    &TensorInstruction::transposes_a, &TensorInstruction::transposes_b,
      &TensorInstruction::swizzles_a, &TensorInstruction::swizzles_b,   Optional{&TensorInstruction::body}};
};
template <>
struct Fields<Launch> {
  static constexpr std::tuple list{AtMost{&Launch::kernel, 1 << 20, "a kernel number"}};
};

// Whether the type of an expression does not follow from its fields.
template <class Node>
inline constexpr bool kHasOwnType = false;
template <>
inline constexpr bool kHasOwnType<IntImm> = true;
template <>
inline constexpr bool kHasOwnType<FloatImm> = true;
template <>
inline constexpr bool kHasOwnType<Cast> = true;
template <>
inline constexpr bool kHasOwnType<Ramp> = true;
template <>
inline constexpr bool kHasOwnType<Broadcast> = true;
template <>
inline constexpr bool kHasOwnType<Call> = true;
template <>
inline constexpr bool kHasOwnType<CallExtern> = true;

// The last enumerator of each enumeration that is a member of a node, buffer or parameter.
constexpr TypeCode last_of(TypeCode) { return TypeCode::kBool; }
constexpr Scope last_of(Scope) { return Scope::kFragment; }
constexpr BinaryOp last_of(BinaryOp) { return BinaryOp::kOr; }
constexpr Intrinsic last_of(Intrinsic) { return kLastIntrinsic; }
constexpr ReducerKind last_of(ReducerKind) { return ReducerKind::kCustom; }
constexpr LoopKind last_of(LoopKind) { return LoopKind::kVirtualThread; }
constexpr TensorOp last_of(TensorOp) { return TensorOp::kWarpgroupAwait; }
constexpr Role last_of(Role) { return Role::kPrepared; }

/// Whether a field of type T is a list of parts of the node, which have fields themselves.
template <class T>
inline constexpr bool kHasParts = OneOf<T, std::vector<ReduceAxis>, std::vector<Operand>>;

template <class M>
constexpr auto member_of(M field) {
  if constexpr (std::is_member_object_pointer_v<M>) {
    return field;
  } else {
    return field.member;
  }
}

namespace fields_detail {

/// Converts to the type of any member; never evaluated.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): never called
};

/// The number of members of an aggregate.
template <class Node, class... Members>
constexpr std::size_t count_members() {
  if constexpr (requires { Node{Members{}..., Anything{}}; }) {
    return count_members<Node, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

}  // namespace fields_detail

/// Calls f(field) for each field of Node, in order, until it returns false. Returns whether all returned true.
template <class Node, class F>
constexpr bool all_fields(F&& f) {
  static_assert(fields_detail::count_members<Node>() == std::tuple_size_v<decltype(Fields<Node>::list)>,
                "every member of a node is one of its fields");
  return std::apply([&](const auto&... field) { return (f(field) && ...); }, Fields<Node>::list);
}
/// Calls f(field) for each field of Node, in order.
template <class Node, class F>
constexpr void for_each_field(F&& f) {
  all_fields<Node>([&](const auto& field) {
    f(field);
    return true;
  });
}

/// Calls f(child) for each defined child, an Expr or a Stmt, in order.
template <class Node, class F>
void for_each_child(const Node& node, F&& f) {
  for_each_field<Node>([&](const auto& field) {
    const auto& value = node.*member_of(field);
    using T = std::remove_cvref_t<decltype(value)>;
    if constexpr (OneOf<T, Expr, Stmt>) {
      if (value.defined()) f(value);
    } else if constexpr (OneOf<T, std::vector<Expr>, std::vector<Stmt>>) {
      for (const auto& child : value) f(child);
    } else if constexpr (kHasParts<T>) {
      for (const auto& part : value) for_each_child(part, f);
    }
  });
}

/// Calls f(child) for each defined child, in order, and returns the node with its children replaced by the results, or
/// nullopt if every result is the same handle as the child.
template <class Node, class F>
std::optional<Node> map_children(const Node& node, F&& f) {
  std::optional<Node> changed;
  const auto with_changed = [&](const auto& write) {
    if (!changed) changed = node;
    write(*changed);
  };
  for_each_field<Node>([&](const auto& field) {
    const auto member = member_of(field);
    using T = std::remove_cvref_t<decltype(node.*member)>;
    if constexpr (OneOf<T, Expr, Stmt>) {
      if (!(node.*member).defined()) return;
      T mapped = f(node.*member);
      if (!mapped.same_as(node.*member)) with_changed([&](Node& out) { out.*member = std::move(mapped); });
    } else if constexpr (OneOf<T, std::vector<Expr>, std::vector<Stmt>>) {
      for (std::size_t i = 0; i < (node.*member).size(); ++i) {
        auto mapped = f((node.*member)[i]);
        if (!mapped.same_as((node.*member)[i])) with_changed([&](Node& out) { (out.*member)[i] = std::move(mapped); });
      }
    } else if constexpr (kHasParts<T>) {
      for (std::size_t i = 0; i < (node.*member).size(); ++i) {
        auto mapped = map_children((node.*member)[i], f);
        if (mapped) with_changed([&](Node& out) { (out.*member)[i] = std::move(*mapped); });
      }
    }
  });
  return changed;
}

}  // namespace nestwright::ir
