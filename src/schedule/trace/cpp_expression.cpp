#include <fmt/format.h>

#include <cmath>

#include "nestwright/error.h"
#include "schedule/trace/cpp_names.h"

namespace nestwright {
namespace {

// Levels of C++ operators, the tightest first.
enum Level : int { kAtom = 0, kUnary, kProduct, kSum, kOrder, kEquality, kConjunction, kDisjunction };

struct Text {
  std::string text;
  Level level = kAtom;
};

bool is_literal(const Expr& e) { return e.as<ir::IntImm>() != nullptr || e.as<ir::FloatImm>() != nullptr; }

/// The operator or, for a minimum and a maximum, the function.
struct Spelling {
  const char* sign;
  Level level;
};

Spelling spelling_of(ir::BinaryOp op) {
  switch (op) {
    case ir::BinaryOp::kAdd:
      return {"+", kSum};
    case ir::BinaryOp::kSub:
      return {"-", kSum};
    case ir::BinaryOp::kMul:
      return {"*", kProduct};
    case ir::BinaryOp::kDiv:
      return {"/", kProduct};
    case ir::BinaryOp::kMod:
      return {"%", kProduct};
    case ir::BinaryOp::kMin:
      return {"min", kAtom};
    case ir::BinaryOp::kMax:
      return {"max", kAtom};
    case ir::BinaryOp::kEq:
      return {"==", kEquality};
    case ir::BinaryOp::kNe:
      return {"!=", kEquality};
    case ir::BinaryOp::kLt:
      return {"<", kOrder};
    case ir::BinaryOp::kLe:
      return {"<=", kOrder};
    case ir::BinaryOp::kGt:
      return {">", kOrder};
    case ir::BinaryOp::kGe:
      return {">=", kOrder};
    case ir::BinaryOp::kAnd:
      return {"&&", kConjunction};
    case ir::BinaryOp::kOr:
      return {"||", kDisjunction};
  }
  throw InternalError("internal error: unknown binary operator");
}

/// The enumerator of an intrinsic for which users have no function of their own; nullptr for others.
const char* word_intrinsic(ir::Intrinsic intrinsic) {
  switch (intrinsic) {
    case ir::Intrinsic::kJoinBytes:
      return "kJoinBytes";
    case ir::Intrinsic::kJoinHalves:
      return "kJoinHalves";
    case ir::Intrinsic::kDotU8S8:
      return "kDotU8S8";
    case ir::Intrinsic::kDotS8S8:
      return "kDotS8S8";
    case ir::Intrinsic::kDotS16:
      return "kDotS16";
    case ir::Intrinsic::kDotBF16:
      return "kDotBF16";
    case ir::Intrinsic::kFma:
    case ir::Intrinsic::kExp:
    case ir::Intrinsic::kLog:
    case ir::Intrinsic::kLog2:
    case ir::Intrinsic::kSqrt:
    case ir::Intrinsic::kRsqrt:
    case ir::Intrinsic::kTanh:
    case ir::Intrinsic::kSigmoid:
    case ir::Intrinsic::kErf:
    case ir::Intrinsic::kSin:
    case ir::Intrinsic::kCos:
    case ir::Intrinsic::kPow:
    case ir::Intrinsic::kFloor:
    case ir::Intrinsic::kCeil:
    case ir::Intrinsic::kRound:
    case ir::Intrinsic::kTrunc:
    case ir::Intrinsic::kAbs:
    case ir::Intrinsic::kScale:
    case ir::Intrinsic::kBitAnd:
    case ir::Intrinsic::kBitOr:
    case ir::Intrinsic::kBitXor:
    case ir::Intrinsic::kShiftLeft:
    case ir::Intrinsic::kShiftRight:
    case ir::Intrinsic::kLikely:
    case ir::Intrinsic::kEstrin:
    case ir::Intrinsic::kReinterpret:
    case ir::Intrinsic::kShuffleXor:
    case ir::Intrinsic::kRoundTf32:
    case ir::Intrinsic::kLoadBytes:
    case ir::Intrinsic::kLoadHalves:
    case ir::Intrinsic::kVpdpbusd:
    case ir::Intrinsic::kVpdpwssd:
    case ir::Intrinsic::kPmaddwd:
    case ir::Intrinsic::kVdpbf16ps:
      return nullptr;
  }
  throw InternalError("internal error: unknown intrinsic");
}

/// The operator that makes a call of an intrinsic on bits; nullptr for other intrinsics.
const char* bit_operator(ir::Intrinsic intrinsic) {
  if (intrinsic == ir::Intrinsic::kBitAnd) return "&";
  if (intrinsic == ir::Intrinsic::kBitOr) return "|";
  if (intrinsic == ir::Intrinsic::kBitXor) return "^";
  if (intrinsic == ir::Intrinsic::kShiftLeft) return "<<";
  return intrinsic == ir::Intrinsic::kShiftRight ? ">>" : nullptr;
}

class Printer {
 public:
  explicit Printer(const CppNames& names) : names_(names) {}

  Text print(const Expr& e) const {
    return std::visit([&](const auto& node) { return print(e, node); }, e.node().value);
  }

  /// `e` as an argument of a function: an axis is wrapped in Expr, since functions have overloads for axes.
  std::string argument(const Expr& e) const {
    const auto* ref = e.as<ir::VarRef>();
    const std::string text = print(e).text;
    return ref != nullptr && names_.axes.contains(ref->var) ? "Expr(" + text + ")" : text;
  }

  std::string list(const std::vector<Expr>& arguments) const {
    std::string text;
    for (const Expr& each : arguments) text += (text.empty() ? "" : ", ") + argument(each);
    return text;
  }

  /// The call of a user-defined reducer, which returns all members of the tuple.
  std::string members(const ir::Reduce& reduce) const {
    const std::string init = reduce.init.empty() ? "" : ", {}, {" + list(reduce.init) + "}";
    return fmt::format("{}({{{}}}, {{{}}}{})", names_.reducers.at(reduce.combiner.get()), list(reduce.values),
                       axes_of(reduce), init);
  }

 private:
  /// A literal beside another operand, whose type it takes.
  static std::string untyped(const Expr& e) {
    if (const auto* imm = e.as<ir::FloatImm>()) {
      if (std::isfinite(imm->written)) return with_point(imm->written);
    } else if (!e.type().is_bool()) {
      const std::int64_t value = e.as<ir::IntImm>()->value;
      const bool is_above_int64 = value < 0 && e.type().code == ir::TypeCode::kUInt;
      if (value == static_cast<int>(value) && !is_above_int64) return std::to_string(value);
    }
    return typed(e);
  }

  static std::string typed(const Expr& e) {
    if (const auto* imm = e.as<ir::FloatImm>()) {
      std::string value = std::isfinite(imm->written) ? with_point(imm->written) : "INFINITY";
      if (std::isnan(imm->written)) value = "NAN";
      if (imm->written == -INFINITY) value = "-INFINITY";
      return fmt::format("ir::make_float({}, {})", value, cpp_type(e.type()));
    }
    const std::int64_t value = e.as<ir::IntImm>()->value;
    if (e.type().is_bool()) return value != 0 ? "ir::make_bool(true)" : "ir::make_bool(false)";
    if (e.type() == kIndex && value == static_cast<int>(value)) return fmt::format("Expr({})", value);
    if (value == INT64_MIN) return fmt::format("ir::make_int(INT64_MIN, {})", cpp_type(e.type()));
    return fmt::format("ir::make_int({}, {})", value, cpp_type(e.type()));
  }

  static std::string with_point(double value) {
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }

  std::string operand(const Expr& e, bool is_untyped, Level level, bool is_right) const {
    if (is_literal(e)) return is_untyped ? untyped(e) : typed(e);
    const bool is_arithmetic = level == kProduct || level == kSum;
    Text inner = is_arithmetic ? print(e) : Text{argument(e), print(e).level};
    const bool mixes_logic = level == kDisjunction && inner.level == kConjunction;
    if (inner.level > level || (inner.level == level && is_right) || mixes_logic) inner.text = "(" + inner.text + ")";
    return inner.text;
  }

  Text print(const Expr& e, const ir::IntImm&) const { return {typed(e)}; }
  Text print(const Expr& e, const ir::FloatImm&) const { return {typed(e)}; }

  Text print(const Expr&, const ir::VarRef& ref) const {
    if (const auto index = names_.indices.find(ref.var); index != names_.indices.end()) return {index->second};
    if (const auto axis = names_.axes.find(ref.var); axis != names_.axes.end()) return {axis->second};
    throw UsageError(fmt::format("'{}' is symbolic, and only constant extents are printed as C++", ref.var.name()));
  }

  Text print(const Expr&, const ir::Binary& binary) const {
    const Spelling spelling = spelling_of(binary.op);
    const bool both = is_literal(binary.a) && is_literal(binary.b);
    if (spelling.level == kAtom) {
      const auto text = [&](const Expr& e) { return is_literal(e) && !both ? untyped(e) : argument(e); };
      return {fmt::format("{}({}, {})", spelling.sign, text(binary.a), text(binary.b))};
    }
    return {fmt::format("{} {} {}", operand(binary.a, !both, spelling.level, false), spelling.sign,
                        operand(binary.b, !both, spelling.level, true)),
            spelling.level};
  }

  Text print(const Expr&, const ir::Not& node) const {
    const Text inner{argument(node.a), print(node.a).level};
    return {inner.level > kUnary ? "!(" + inner.text + ")" : "!" + inner.text, kUnary};
  }

  Text print(const Expr&, const ir::Select& node) const {
    const bool both = is_literal(node.if_true) && is_literal(node.if_false);
    const auto text = [&](const Expr& e) { return is_literal(e) && !both ? untyped(e) : argument(e); };
    return {fmt::format("select({}, {}, {})", argument(node.condition), text(node.if_true), text(node.if_false))};
  }

  Text print(const Expr& e, const ir::Cast& node) const {
    return {fmt::format("cast({}, {})", cpp_type(e.type()), argument(node.value))};
  }

  Text print(const Expr&, const ir::Load& load) const {
    check(!load.mask.defined(), "an expression of tensors has a mask");
    std::string indices;
    for (const Expr& index : load.indices) {
      indices += (indices.empty() ? "" : ", ") + (is_literal(index) ? untyped(index) : print(index).text);
    }
    return {fmt::format("{}({})", names_.tensors.at(load.buffer), indices)};
  }

  std::string axes_of(const ir::Reduce& reduce) const {
    std::string axes;
    for (const ir::ReduceAxis& axis : reduce.axes) axes += (axes.empty() ? "" : ", ") + names_.axes.at(axis.var);
    return axes;
  }

  Text print(const Expr& e, const ir::CallExtern& call) const {
    return {fmt::format("call_extern({}, \"{}\", {{{}}})", cpp_type(e.type()), call.function, list(call.args))};
  }

  Text print(const Expr& e, const ir::Call& call) const {
    if (const char* sign = bit_operator(call.intrinsic)) {
      return {fmt::format("({} {} {})", argument(call.args[0]), sign, argument(call.args[1]))};
    }
    const std::string args = list(call.args);
    if (const char* enumerator = word_intrinsic(call.intrinsic)) {
      return {fmt::format("ir::make_call(ir::Intrinsic::{}, {{{}}}, {})", enumerator, args, cpp_type(e.type()))};
    }
    if (call.intrinsic == ir::Intrinsic::kReinterpret) {
      return {fmt::format("reinterpret({}, {})", cpp_type(e.type()), args)};
    }
    // scale() is qualified, because a tensor or an axis may have this name (CppNames does not reserve it).
    const char* const space = call.intrinsic == ir::Intrinsic::kScale ? "ir::" : "";
    return {fmt::format("{}{}({})", space, ir::intrinsic_name(call.intrinsic), args)};
  }

  Text print(const Expr&, const ir::Reduce& reduce) const {
    if (reduce.reducer == ir::ReducerKind::kCustom) return {fmt::format("{}[{}]", members(reduce), reduce.result)};
    std::string axes = axes_of(reduce);
    if (reduce.axes.size() > 1) axes = "std::vector<IterVar>{" + axes + "}";
    const std::string init = reduce.init.empty() ? "" : ", {.init = " + argument(reduce.init.front()) + "}";
    return {fmt::format("{}({}, {}{})", ir::reducer_name(reduce.reducer), argument(reduce.values.front()), axes, init)};
  }

  [[noreturn]] Text print(const Expr&, const ir::Ramp&) const { refuse_vector(); }
  [[noreturn]] Text print(const Expr&, const ir::Broadcast&) const { refuse_vector(); }
  [[noreturn]] static void refuse_vector() {
    throw InternalError("internal error: an expression of tensors has vectors");
  }

  const CppNames& names_;
};

}  // namespace

std::string cpp_type(ir::Type type) {
  const std::string bits = std::to_string(type.bits);
  switch (type.code) {
    case ir::TypeCode::kInt:
      return "kInt" + bits;
    case ir::TypeCode::kUInt:
      return "kUInt" + bits;
    case ir::TypeCode::kFloat:
      return "kFloat" + bits;
    case ir::TypeCode::kBFloat:
      return "kBFloat" + bits;
    case ir::TypeCode::kBool:
      return "kBool";
  }
  throw InternalError("internal error: unknown type");
}

std::string cpp_expression(const Expr& e, const CppNames& names) { return Printer(names).argument(e); }

std::string cpp_expressions(const std::vector<Expr>& list, const CppNames& names) { return Printer(names).list(list); }

std::string cpp_members(const ir::Reduce& reduce, const CppNames& names) { return Printer(names).members(reduce); }

}  // namespace nestwright
