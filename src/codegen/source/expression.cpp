#include "codegen/source/expression.h"

#include <fmt/format.h>

#include "ir/analysis/interval.h"
#include "ir/core/intrinsic_table.h"
#include "ir/core/one_of.h"
#include "ir/simplify/vector_access.h"
#include "ir/traversal/linear.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright::codegen {
namespace {

using namespace ir;

/// Whether a 16-bit float is the result of an operation, and needs rounding.
bool is_rounded(const Expr& e) {
  if (const auto* n = e.as<Binary>()) return n->op != BinaryOp::kMin && n->op != BinaryOp::kMax;
  if (const auto* n = e.as<Cast>()) return n->value.type() != e.type();
  const auto* call = e.as<Call>();
  return call != nullptr && call->intrinsic != Intrinsic::kReinterpret && call->intrinsic != Intrinsic::kAbs;
}

}  // namespace

std::string ExpressionWriter::element(const Buffer& buffer, const std::vector<Expr>& indices) {
  const Expr at = buffer->scope == Scope::kFragment ? fragments_.own_register(buffer, indices, ranges_)
                                                    : element_offset(buffer, indices);
  const std::string index = value(at).text;
  if (!swizzled_.contains(buffer)) return fmt::format("{}[{}]", name(buffer), index);
  return fmt::format("{}[{}({})]", name(buffer), prelude_.swizzle(buffer->element), index);
}

Text ExpressionWriter::converted(const Text& from, Type to) const {
  return {fmt::format("({}){}", dialect_.value_type(to), from.in(Precedence::kUnary)), Precedence::kUnary,
          to.bits == 64};
}

Text ExpressionWriter::value(const Expr& e) {
  if (!e.type().is_scalar()) throw InternalError("internal error: a vector where a scalar is to be written");
  if (!e.type().is_narrow_float() || !is_rounded(e)) return unrounded(e);
  return {fmt::format("{}({}({}))", prelude_.widen(e.type()), prelude_.narrow(e.type()), unrounded(e).text)};
}

std::string ExpressionWriter::stored(const Expr& e) {
  const Type type = e.type();
  if (!type.is_narrow_float()) return value(e).text;
  if (const auto* n = e.as<Load>()) {
    const std::string bits = element(n->buffer, n->indices);
    return n->mask.defined() ? fmt::format("{} ? {} : 0", value(n->mask).in(Precedence::kOr), bits) : bits;
  }
  if (const auto* n = e.as<VarRef>()) {
    const auto bound = bindings_.find(n->var);
    if (bound != bindings_.end() && bound->second.is_stored) return bound->second.text;
  }
  return fmt::format("{}({})", prelude_.narrow(type), unrounded(e).text);
}

Text ExpressionWriter::of_stored(std::string text, Type type) {
  if (type.is_bool()) return {text + " != 0", Precedence::kEquality};
  if (type.is_narrow_float()) return {fmt::format("{}({})", prelude_.widen(type), text)};
  return {std::move(text), Precedence::kAtom, type.bits == 64};
}

Text ExpressionWriter::unrounded(const Expr& e) {
  return std::visit(
      overloaded{[&](const IntImm&) { return literal(e); }, [&](const FloatImm&) { return literal(e); },
                 [&](const VarRef& n) { return variable(n, e.type()); }, [&](const Binary& n) { return binary(n, e); },
                 [&](const Not& n) { return Text{"!" + value(n.a).in(Precedence::kUnary), Precedence::kUnary}; },
                 [&](const Select& n) { return select(n); }, [&](const Cast& n) { return cast(n, e.type()); },
                 [&](const Load& n) { return load(n, e.type()); }, [&](const Call& n) { return call(n, e); },
                 [&](const CallExtern& n) -> Text {
                   throw CompileError(fmt::format(
                       "the C function {} cannot be called on a device: compute the tensor that calls it on "
                       "a CPU, or write the function as an expression",
                       n.function));
                 },
                 [&](const OneOf<Ramp, Broadcast, Reduce> auto&) -> Text {
                   throw InternalError("internal error: no scalar expression: " + to_string(e));
                 }},
      e.node().value);
}

Text ExpressionWriter::literal(const Expr& e) const {
  std::string text;
  bool wide = false;
  if (const auto* n = e.as<IntImm>()) {
    text = dialect_.integer_literal(n->value, e.type());
    wide = e.type().bits == 64 && !within({n->value, n->value}, type_range(kInt32));
  } else {
    text = dialect_.float_literal(e.as<FloatImm>()->value, e.type().bits == 64 ? kFloat64 : kFloat32);
  }
  return {text, text[0] == '-' ? Precedence::kUnary : Precedence::kAtom, wide};
}

Text ExpressionWriter::variable(const VarRef& n, Type type) {
  const auto bound = bindings_.find(n.var);
  if (bound == bindings_.end()) {
    throw InternalError("internal error: variable " + n.var.name() + " is not defined in the kernel");
  }
  if (bound->second.is_stored) return of_stored(bound->second.text, type);
  return {bound->second.text, Precedence::kAtom, bound->second.wide};
}

Text ExpressionWriter::select(const Select& n) {
  const Text condition = value(n.condition), a = value(n.if_true), b = value(n.if_false);
  return {fmt::format("{} ? {} : {}", condition.in(Precedence::kOr), a.in(Precedence::kOr), b.in(Precedence::kOr)),
          Precedence::kTernary, a.wide || b.wide};
}

Text ExpressionWriter::load(const Load& n, Type type) {
  Text loaded = of_stored(element(n.buffer, n.indices), type);
  if (!n.mask.defined()) return loaded;
  return {fmt::format("{} ? {} : 0", value(n.mask).in(Precedence::kOr), loaded.in(Precedence::kOr)),
          Precedence::kTernary, loaded.wide};
}

Text ExpressionWriter::cast(const Cast& n, Type to) {
  const Type from = n.value.type();
  Text value = this->value(n.value);
  if (to == from) return value;
  if (to.is_bool()) return {value.in(next_higher(Precedence::kEquality)) + " != 0", Precedence::kEquality};
  if (from.is_float() && to.is_int()) {
    const Type wide = from == kFloat64 ? kFloat64 : kFloat32;
    return {fmt::format("{}({})", prelude_.saturate(to, wide), value.text), Precedence::kAtom, to.bits == 64};
  }
  if (to.is_float()) {
    const Type rounds_to = to == kFloat64 ? kFloat64 : kFloat32;
    const Type comes_as = from.is_narrow_float() ? kFloat32 : from;
    return comes_as == rounds_to ? value : converted(value, rounds_to);
  }
  // C promotes integers to at least 32 bits without a cast.
  const bool is_signed = to.code == TypeCode::kInt;
  const bool keeps_value = is_signed && to.bits >= 32 && within(bounds(n.value, ranges_), type_range(kInt32));
  // C would go on with unsigned numbers of this width.
  if (!keeps_value || from == kUInt32 || from == kUInt64) return converted(value, to);
  return to == kInt32 && value.wide ? converted(value, to) : value;
}

Text ExpressionWriter::reinterpret(const Expr& from, Type to) {
  if (from.type() == to) return value(from);
  std::string bits = stored(from);
  if (from.type().is_float() && !from.type().is_narrow_float()) bits = dialect_.bits_of(bits, from.type());
  if (to.is_float()) return to.is_narrow_float() ? of_stored(bits, to) : Text{dialect_.of_bits(bits, to)};
  return converted({bits, Precedence::kTernary}, to);
}

Text ExpressionWriter::call(const Call& n, const Expr& e) {
  const Type type = e.type();
  if (ir::is_hint(n.intrinsic)) return value(n.args[0]);
  if (n.intrinsic == Intrinsic::kReinterpret) return reinterpret(n.args[0], type);
  std::vector<Text> args;
  for (const Expr& arg : n.args) args.push_back(value(arg));
  const auto called = [&](const std::string& function) {
    std::string text = function + "(";
    for (std::size_t i = 0; i < args.size(); ++i) text += (i > 0 ? ", " : "") + args[i].text;
    return Text{text + ")", Precedence::kAtom, type.bits == 64};
  };
  if (is_packed_word_op(n.intrinsic)) return called(prelude_.word_function(n.intrinsic));
  if (n.intrinsic == Intrinsic::kShuffleXor) {
    return {fmt::format("{}{}, {})", dialect_.shuffle_xor(), args[0].text, args[1].text), Precedence::kAtom,
            type.bits == 64};
  }
  if (!type.is_float()) {
    if (n.intrinsic == Intrinsic::kFma)
      return value(make_binary(BinaryOp::kAdd, make_binary(BinaryOp::kMul, n.args[0], n.args[1]), n.args[2]));
    if (n.intrinsic == Intrinsic::kAbs) {
      if (type.code == TypeCode::kUInt) return args[0];
      Text magnitude = called(prelude_.abs(type.bits == 64 ? kInt64 : kInt32));
      return type.bits < 32 ? converted(magnitude, type) : magnitude;
    }
    if (n.intrinsic == Intrinsic::kShiftLeft || n.intrinsic == Intrinsic::kShiftRight) {
      return called(prelude_.shift(n.intrinsic, type));
    }
    // C promotes both operands alike, so that the bits above those of a narrow type stay copies of its sign.
    const auto of_bits = [&](const char* op) {
      return Text{fmt::format("({} {} {})", args[0].in(Precedence::kUnary), op, args[1].in(Precedence::kUnary)),
                  Precedence::kAtom, args[0].wide || args[1].wide};
    };
    if (n.intrinsic == Intrinsic::kBitAnd) return of_bits("&");
    if (n.intrinsic == Intrinsic::kBitOr) return of_bits("|");
    if (n.intrinsic == Intrinsic::kBitXor) return of_bits("^");
    throw InternalError("internal error: no function on integers: " + to_string(e));
  }
  const Type in = type == kFloat64 ? kFloat64 : kFloat32;
  const std::string one = dialect_.float_literal(1.0, in);
  if (n.intrinsic == Intrinsic::kRsqrt) {
    return {fmt::format("{} / {}", one, called(dialect_.function("sqrt", in)).text), Precedence::kProduct};
  }
  if (n.intrinsic == Intrinsic::kSigmoid) {
    return {fmt::format("{0} / ({0} + {1}(-{2}))", one, dialect_.function("exp", in), args[0].in(Precedence::kAtom)),
            Precedence::kProduct};
  }
  if (n.intrinsic == Intrinsic::kScale) return called(prelude_.scale(in));
  if (n.intrinsic == Intrinsic::kRoundTf32) return called(prelude_.round_tf32());
  const char* function = intrinsic_info(n.intrinsic).device;
  check(function != nullptr, "an intrinsic without a spelling for devices");
  return called(dialect_.function(function, in));
}

}  // namespace nestwright::codegen
