#include "nestwright/expr_nodes.h"

#include <algorithm>
#include <array>
#include <limits>

#include "ir/core/fold.h"
#include "ir/core/intrinsic_table.h"
#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

template <class T>
Expr node(Type type, T value) {
  return Expr(std::make_shared<const ExprNode>(type, std::move(value)));
}

// Most literals are small indices: each thread shares one node for each of these values.
constexpr std::int64_t kMinShared = -16, kMaxShared = 256;
Expr shared_index(std::int64_t value) {
  thread_local std::array<Expr, kMaxShared - kMinShared + 1> literals;
  Expr& literal = literals[static_cast<std::size_t>(value - kMinShared)];
  if (!literal.defined()) literal = node(kIndex, IntImm{value});
  return literal;
}

[[noreturn]] void refuse(const std::string& what) { throw InternalError("internal error: " + what); }

void require_bool(const Expr& e, const char* where) {
  if (!e.defined() || !e.type().is_bool()) refuse(std::string(where) + " needs a bool operand");
}

// Whether `op` is defined on operands of `type`.
bool accepts(BinaryOp op, Type type) {
  switch (op) {
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      return type.is_bool();
    case BinaryOp::kEq:
    case BinaryOp::kNe:
      return true;
    case BinaryOp::kMod:
      return type.is_int();
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
      return !type.is_bool();
  }
  return false;
}

}  // namespace

Expr::Expr(int value) : Expr(make_int(value, kIndex)) {}
Expr::Expr(unsigned value) : Expr(std::int64_t{value}) {}
Expr::Expr(std::int64_t value) : Expr(make_int(value, kIndex)) {}
Expr::Expr(std::uint64_t value) : Expr(static_cast<std::int64_t>(value)) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return;
  throw UsageError("the literal " + std::to_string(value) + " is above the largest int64: an index has this type");
}
Expr::Expr(double value) : Expr(make_float(value, kFloat32)) {}
Type Expr::type() const {
  if (!node_) throw UsageError("an undefined expression has no type: give it a value first");
  return node_->type;
}

Var::Var(std::string name, Type type) : node_(std::make_shared<const VarNode>(VarNode{std::move(name), type})) {}
const std::string& Var::name() const { return node_->name; }
Type Var::type() const { return node_->type; }
Var::operator Expr() const {
  if (!node_) throw UsageError("an undefined variable is used as an expression: make it by var(\"n\")");
  return node(node_->type, VarRef{*this});
}

const char* scope_name(Scope scope) {
  switch (scope) {
    case Scope::kGlobal:
      return "global";
    case Scope::kShared:
      return "shared";
    case Scope::kLocal:
      return "local";
    case Scope::kRegister:
      return "register";
    case Scope::kTile:
      return "tile";
    case Scope::kFragment:
      return "fragment";
  }
  return "?";
}

Buffer::Buffer(std::string name, Type element, std::vector<Expr> shape, Scope scope, std::vector<Expr> strides,
               int alignment) {
  if (!element.is_scalar()) refuse("buffer " + name + " has vector elements");
  if (!strides.empty() && strides.size() != shape.size()) refuse("buffer " + name + " needs one stride a dimension");
  for (const auto* list : {&shape, &strides}) {
    for (const Expr& e : *list) {
      if (!e.defined() || e.type() != kIndex) refuse("shape and strides of buffer " + name + " must be of type int64");
    }
  }
  node_ = std::make_shared<const BufferNode>(
      BufferNode{std::move(name), element, std::move(shape), std::move(strides), scope, alignment});
}

Expr BufferNode::stride(int dimension) const {
  check(dimension >= 0 && dimension < rank(), "the dimension of a stride is out of range");
  if (!strides.empty()) return strides[static_cast<std::size_t>(dimension)];
  Expr product = 1;
  for (std::size_t d = static_cast<std::size_t>(dimension) + 1; d < shape.size(); ++d) product = product * shape[d];
  return product;
}

std::int64_t BufferNode::elements() const {
  std::int64_t last = 0;
  for (int d = 0; d < rank(); ++d) {
    const std::int64_t* extent = as_const_int(shape[static_cast<std::size_t>(d)]);
    const Expr distance = stride(d);
    const std::int64_t* step = as_const_int(distance);
    if (!extent || !step) refuse("buffer " + name + " has no constant shape");
    if (*extent == 0) return 0;
    last += (*extent - 1) * *step;
  }
  return last + 1;
}

const char* binary_op_name(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
      return "+";
    case BinaryOp::kSub:
      return "-";
    case BinaryOp::kMul:
      return "*";
    case BinaryOp::kDiv:
      return "/";
    case BinaryOp::kMod:
      return "%";
    case BinaryOp::kMin:
      return "min";
    case BinaryOp::kMax:
      return "max";
    case BinaryOp::kEq:
      return "==";
    case BinaryOp::kNe:
      return "!=";
    case BinaryOp::kLt:
      return "<";
    case BinaryOp::kLe:
      return "<=";
    case BinaryOp::kGt:
      return ">";
    case BinaryOp::kGe:
      return ">=";
    case BinaryOp::kAnd:
      return "&&";
    case BinaryOp::kOr:
      return "||";
  }
  return "?";
}

const char* reducer_name(ReducerKind kind) {
  switch (kind) {
    case ReducerKind::kSum:
      return "sum";
    case ReducerKind::kProd:
      return "prod";
    case ReducerKind::kMin:
      return "min";
    case ReducerKind::kMax:
      return "max";
    case ReducerKind::kAny:
      return "any";
    case ReducerKind::kAll:
      return "all";
    case ReducerKind::kCustom:
      return "custom";
  }
  return "?";
}

Expr make_int(std::int64_t value, Type type) {
  if (type == kIndex && value >= kMinShared && value <= kMaxShared) return shared_index(value);
  if (type.is_float()) refuse("an integer literal of type " + type.str());
  return make_broadcast(node(type.element(), IntImm{wrap_int(value, type)}), type.lanes);
}

Expr make_float(double value, Type type) {
  if (!type.is_float()) refuse("a floating literal of type " + type.str());
  return make_broadcast(node(type.element(), FloatImm{round_float(value, type), value}), type.lanes);
}

Expr make_const(double value, Type type) {
  return type.is_float() ? make_float(value, type) : make_int(static_cast<std::int64_t>(value), type);
}

Expr make_bool(bool value, int lanes) { return make_int(value ? 1 : 0, kBool.with_lanes(lanes)); }

Expr make_binary(BinaryOp op, Expr a, Expr b) {
  if (!a.defined() || !b.defined()) refuse(std::string("an operand of ") + binary_op_name(op) + " is undefined");
  const Type type = a.type();
  if (type != b.type() || !accepts(op, type)) {
    refuse(std::string("operator ") + binary_op_name(op) + " on " + type.str() + " and " + b.type().str());
  }
  return node(is_comparison(op) ? kBool.with_lanes(type.lanes) : type, Binary{op, std::move(a), std::move(b)});
}

Expr make_not(Expr a) {
  require_bool(a, "operator !");
  const Type type = a.type();
  return node(type, Not{std::move(a)});
}

Expr make_select(Expr condition, Expr if_true, Expr if_false) {
  require_bool(condition, "select");
  const Type type = if_true.type();
  if (type != if_false.type()) refuse("select between " + type.str() + " and " + if_false.type().str());
  if (condition.lanes() != 1 && condition.lanes() != type.lanes) refuse("select mixes lanes");
  return node(type, Select{std::move(condition), std::move(if_true), std::move(if_false)});
}

Expr make_cast(Type type, Expr value) {
  if (type.lanes != value.lanes()) refuse("cast from " + value.type().str() + " to " + type.str());
  return node(type, Cast{std::move(value)});
}

Expr make_load(Buffer buffer, std::vector<Expr> indices, Expr mask) {
  if (!buffer.defined() || indices.size() != buffer->shape.size()) refuse("a load needs one index a dimension");
  int lanes = 1;
  for (const Expr& index : indices) {
    if (!index.defined() || !index.type().is_int()) refuse("an index of " + buffer->name + " is no integer");
    if (index.lanes() == 1) continue;
    if (lanes != 1 && lanes != index.lanes()) refuse("indices of " + buffer->name + " mix lanes");
    lanes = index.lanes();
  }
  if (mask.defined()) {
    require_bool(mask, "a mask");
    if (mask.lanes() != 1 && mask.lanes() != lanes) refuse("the mask of " + buffer->name + " differs in lanes");
  }
  const Type type = buffer->element.with_lanes(lanes);
  return node(type, Load{std::move(buffer), std::move(indices), std::move(mask)});
}

Expr make_ramp(Expr base, Expr stride, int lanes) {
  if (base.type() != stride.type() || !base.type().is_scalar()) refuse("a ramp's base and stride differ in type");
  if (lanes == 1) return base;
  const Type type = base.type().with_lanes(lanes);
  return node(type, Ramp{std::move(base), std::move(stride)});
}

Expr make_broadcast(Expr value, int lanes) {
  if (lanes == 1) return value;
  if (!value.type().is_scalar()) refuse("a broadcast of a vector");
  const Type type = value.type().with_lanes(lanes);
  return node(type, Broadcast{std::move(value)});
}

Expr make_call(Intrinsic intrinsic, std::vector<Expr> args, Type type) {
  if (args.size() != static_cast<std::size_t>(intrinsic_arity(intrinsic))) {
    refuse(std::string(intrinsic_name(intrinsic)) + " has the wrong number of arguments");
  }
  if (const Type own = only_element(intrinsic, type); type.element() != own) {
    refuse(std::string(intrinsic_name(intrinsic)) + " is not of type " + own.str());
  }
  const bool retypes = intrinsic == Intrinsic::kReinterpret;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Expr& arg = args[i];
    const Type wanted = argument_type(intrinsic, i, type);
    const bool fits = arg.defined() &&
                      (arg.type() == wanted || (retypes && arg.type().bits == type.bits && arg.lanes() == type.lanes));
    if (!fits) {
      refuse(std::string("an argument of ") + intrinsic_name(intrinsic) + " is not of type " + wanted.str());
    }
  }
  return node(type, Call{intrinsic, std::move(args)});
}

Expr make_call_extern(std::string function, std::vector<Expr> args, Type type) {
  const auto is_letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  if (function.empty() || !is_letter(function[0]) || !std::all_of(function.begin(), function.end(), is_part)) {
    refuse("'" + function + "' names no C function");
  }
  if (type.is_narrow_float()) refuse(function + " gives " + type.str() + ", which C does not have");
  for (const Expr& arg : args) {
    if (!arg.defined() || arg.type().is_narrow_float() || arg.lanes() != type.lanes) {
      refuse("an argument of " + function + " is undefined, has other lanes or is a 16-bit float");
    }
  }
  return node(type, CallExtern{std::move(function), std::move(args)});
}

Expr make_reduce(ReducerKind reducer, Expr value, std::vector<ReduceAxis> axes) {
  const Type type = value.type();
  const bool logical = reducer == ReducerKind::kAny || reducer == ReducerKind::kAll;
  if (type.is_bool() != logical) refuse(std::string(reducer_name(reducer)) + " reduces no " + type.str());
  return node(type, Reduce{reducer, {std::move(value)}, std::move(axes), nullptr, 0});
}

Expr make_reduce(Reduce reduce) {
  if (!reduce.init.empty() && reduce.init.size() != reduce.values.size())
    refuse("a reduction starts from other values");
  for (std::size_t m = 0; m < reduce.init.size(); ++m) {
    if (reduce.init[m].type() != reduce.values[m].type()) refuse("a reduction starts from a value of another type");
  }
  if (reduce.reducer != ReducerKind::kCustom) {
    if (reduce.values.size() != 1) refuse(std::string(reducer_name(reduce.reducer)) + " reduces one value");
    const Expr plain = make_reduce(reduce.reducer, reduce.values[0], reduce.axes);
    if (reduce.init.empty()) return plain;
    const Type type = plain.type();
    return node(type, std::move(reduce));
  }
  const std::size_t members = reduce.values.size();
  if (reduce.combiner == nullptr || reduce.combiner->combined.size() != members) {
    refuse("a reduction of " + std::to_string(members) + " values has no combiner of as many");
  }
  for (std::size_t m = 0; m < members; ++m) {
    if (reduce.values[m].type() != reduce.combiner->combined[m].type()) {
      refuse("value " + std::to_string(m) + " of " + reduce.combiner->name + " has another type than its combination");
    }
  }
  const Type type = reduce.values.at(static_cast<std::size_t>(reduce.result)).type();
  return node(type, std::move(reduce));
}

Expr reducer_start(const Reduce& reduce, std::size_t member) {
  return reduce.init.empty() ? reducer_identity(reduce, member) : reduce.init[member];
}

Expr reducer_identity(const Reduce& reduce, std::size_t member) {
  return reduce.combiner != nullptr ? reduce.combiner->identity[member]
                                    : reducer_identity(reduce.reducer, reduce.values[member].type());
}

Expr reducer_identity(ReducerKind kind, Type type) {
  const bool highest = kind == ReducerKind::kMin;
  switch (kind) {
    case ReducerKind::kSum:
      return make_const(0, type);
    case ReducerKind::kProd:
      return make_const(1, type);
    case ReducerKind::kAny:
      return make_bool(false, type.lanes);
    case ReducerKind::kAll:
      return make_bool(true, type.lanes);
    case ReducerKind::kCustom:
      refuse("a user-made reducer has an identity of its own");
    case ReducerKind::kMin:
    case ReducerKind::kMax:
      break;
  }
  if (type.is_float()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return make_float(highest ? infinity : -infinity, type);
  }
  if (type.code == TypeCode::kUInt) return make_int(highest ? -1 : 0, type);
  const std::int64_t top = std::numeric_limits<std::int64_t>::max() >> (64 - type.bits);
  return make_int(highest ? top : -top - 1, type);
}

Expr reducer_combine(ReducerKind kind, const Expr& a, const Expr& b) {
  switch (kind) {
    case ReducerKind::kSum:
      return a + b;
    case ReducerKind::kProd:
      return a * b;
    case ReducerKind::kMin:
      return min(a, b);
    case ReducerKind::kMax:
      return max(a, b);
    case ReducerKind::kAny:
      return a || b;
    case ReducerKind::kAll:
      return a && b;
    case ReducerKind::kCustom:
      break;
  }
  refuse("an unknown reducer");
}

const std::int64_t* as_const_int(const Expr& e) {
  const auto* imm = e.as<IntImm>();
  return imm ? &imm->value : nullptr;
}

std::vector<std::int64_t> constants_of(std::span<const Expr> literals) {
  std::vector<std::int64_t> values;
  for (const Expr& literal : literals) {
    const std::int64_t* const value = as_const_int(literal);
    check(value != nullptr, "an extent or a stride is no literal");
    values.push_back(*value);
  }
  return values;
}

bool is_const_int(const Expr& e, std::int64_t value) {
  const std::int64_t* constant = as_const_int(e);
  return constant && *constant == value;
}

namespace {

bool is_bool_const(const Expr& e, std::int64_t value) {
  if (!e.type().is_bool()) return false;
  const auto* broadcast = e.as<Broadcast>();
  return is_const_int(broadcast ? broadcast->value : e, value);
}

}  // namespace

bool is_true(const Expr& e) { return is_bool_const(e, 1); }
bool is_false(const Expr& e) { return is_bool_const(e, 0); }

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));  // the one quotient that wraps
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace nestwright::ir
