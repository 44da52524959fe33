#include "exporter/c_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <vector>

#include "ir/linear.h"
#include "ir/rewrite.h"
#include "support/error.h"

namespace nestwright {
namespace {

std::string c_float(double value) {
  if (value == std::numeric_limits<double>::infinity()) return "INFINITY";
  if (value == -std::numeric_limits<double>::infinity()) return "-INFINITY";
  std::string text = fmt::format("{:.17g}", value);
  // Without it, it would be an integer.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string c_variable(const ir::Var& var, const CNames& names) {
  const auto name = names.variables.find(var);
  if (name == names.variables.end()) throw UsageError("the operator reads " + var.name() + ", which is no axis of it");
  return name->second;
}

std::string c_load(const ir::Load& load, const CNames& names) {
  if (const auto function = names.functions.find(load.buffer); function != names.functions.end()) {
    std::vector<std::string> indices;
    for (const Expr& index : load.indices) indices.push_back(c_expression(ir::to_linear(index).expr(), names));
    return fmt::format("{}{})", function->second, fmt::join(indices, ", "));
  }
  const auto array = names.arrays.find(load.buffer);
  if (array == names.arrays.end()) {
    throw UsageError("the operator reads " + load.buffer->name + ", which is not an argument");
  }
  Expr offset = 0;
  for (int d = 0; d < load.buffer->rank(); ++d) offset = offset + load.indices[d] * load.buffer->stride(d);
  const std::string element = fmt::format("{}[{}]", array->second, c_expression(ir::to_linear(offset).expr(), names));
  const ir::Type type = load.buffer->element;
  if (type.is_int()) return fmt::format("(long){}", element);
  if (type == kBFloat16) return fmt::format("exactly(of_bfloat16({}))", element);
  return type == kFloat16 ? fmt::format("exactly(of_float16({}))", element) : fmt::format("exactly({})", element);
}

/// Whether a bool follows from integers alone, so that C's own logic does for it, which evaluates no more than it must:
/// what is read may lie outside a tensor where the condition does not hold.
bool is_certain(const Expr& condition) {
  bool certain = true;
  ir::for_each_expr(condition, [&](const Expr& part) {
    certain = certain && !part.type().is_float() && part.as<ir::Load>() == nullptr;
  });
  return certain;
}

std::string c_logic(const ir::Binary& n, const CNames& names) {
  const std::string b = c_expression(n.b, names);
  const bool is_and = n.op == ir::BinaryOp::kAnd;
  if (is_certain(n.a)) {
    return fmt::format("({} ? {} : {})", c_condition(n.a, names), is_and ? b : "2", is_and ? "0" : b);
  }
  return fmt::format("{}({}, {})", is_and ? "both" : "either", c_expression(n.a, names), b);
}

/// Of numbers.
std::string c_comparison(ir::BinaryOp op, const std::string& a, const std::string& b) {
  switch (op) {
    case ir::BinaryOp::kLt:
      return fmt::format("is_less({}, {})", a, b);
    case ir::BinaryOp::kGt:
      return fmt::format("is_less({}, {})", b, a);
    case ir::BinaryOp::kLe:
      return fmt::format("(2 - is_less({}, {}))", b, a);
    case ir::BinaryOp::kGe:
      return fmt::format("(2 - is_less({}, {}))", a, b);
    case ir::BinaryOp::kEq:
      return fmt::format("is_equal({}, {})", a, b);
    default:
      return fmt::format("(2 - is_equal({}, {}))", a, b);
  }
}

const char* number_function(ir::BinaryOp op) {
  switch (op) {
    case ir::BinaryOp::kAdd:
      return "plus";
    case ir::BinaryOp::kSub:
      return "minus";
    case ir::BinaryOp::kMul:
      return "times";
    case ir::BinaryOp::kDiv:
      return "divided_by";
    case ir::BinaryOp::kMin:
      return "least_of";
    case ir::BinaryOp::kMax:
      return "greatest_of";
    default:
      throw InternalError("internal error: no operator on numbers");
  }
}

std::string c_binary(const ir::Binary& n, const Expr& e, const CNames& names) {
  if (n.op == ir::BinaryOp::kAnd || n.op == ir::BinaryOp::kOr) return c_logic(n, names);
  const ir::Type type = n.a.type();
  const std::string a = c_expression(n.a, names), b = c_expression(n.b, names);
  if (type.is_float()) {
    return ir::is_comparison(n.op) ? c_comparison(n.op, a, b) : fmt::format("{}({}, {})", number_function(n.op), a, b);
  }
  if (ir::is_comparison(n.op)) return fmt::format("({} ? 2 : 0)", c_condition(e, names));
  switch (n.op) {
    case ir::BinaryOp::kMin:
      return fmt::format("({0} < {1} ? {0} : {1})", a, b);
    case ir::BinaryOp::kMax:
      return fmt::format("({0} > {1} ? {0} : {1})", a, b);
    case ir::BinaryOp::kDiv:
      return fmt::format("floor_div({}, {})", a, b);
    case ir::BinaryOp::kMod:
      return fmt::format("floor_mod({}, {})", a, b);
    default:
      return fmt::format("({} {} {})", a, ir::binary_op_name(n.op), b);
  }
}

std::string c_select(const ir::Select& n, const Expr& e, const CNames& names) {
  const std::string a = c_expression(n.if_true, names), b = c_expression(n.if_false, names);
  if (is_certain(n.condition)) return fmt::format("({} ? {} : {})", c_condition(n.condition, names), a, b);
  const std::string condition = c_expression(n.condition, names);
  if (e.type().is_float()) return fmt::format("choose({}, {}, {})", condition, a, b);
  return fmt::format("({} == 2 ? {} : {})", condition, a, b);
}

std::string c_cast(const ir::Cast& n, const Expr& e, const CNames& names) {
  const ir::Type from = n.value.type(), to = e.type();
  const std::string value = c_expression(n.value, names);
  if (from == to || (from.is_float() && to.is_float())) return value;
  if (to.is_float()) {
    return from.is_bool() ? fmt::format("choose({}, exactly(1.0), exactly(0.0))", value)
                          : fmt::format("exactly((double){})", value);
  }
  if (to.is_bool()) {
    return from.is_float() ? c_comparison(ir::BinaryOp::kNe, value, "exactly(0.0)")
                           : fmt::format("({} != 0 ? 2 : 0)", value);
  }
  if (from.is_float()) return fmt::format("(long)({}).value", value);
  return from.is_bool() ? fmt::format("({} == 2)", value) : fmt::format("({})", value);
}

std::string c_call(const ir::Call& n, const Expr& e, const CNames& names) {
  std::vector<std::string> args;
  for (const Expr& arg : n.args) args.push_back(c_expression(arg, names));
  const bool is_float = e.type().is_float();
  switch (n.intrinsic) {
    case ir::Intrinsic::kFma:
      return is_float ? fmt::format("plus(times({}, {}), {})", args[0], args[1], args[2])
                      : fmt::format("({} * {} + {})", args[0], args[1], args[2]);
    case ir::Intrinsic::kExp:
    case ir::Intrinsic::kLog:
    case ir::Intrinsic::kLog2:
    case ir::Intrinsic::kSqrt:
    case ir::Intrinsic::kTanh:
    case ir::Intrinsic::kErf:
    case ir::Intrinsic::kFloor:
    case ir::Intrinsic::kCeil:
      return fmt::format("monotone({}, {})", ir::intrinsic_name(n.intrinsic), args[0]);
    case ir::Intrinsic::kRsqrt:
      return fmt::format("monotone(reciprocal_root, {})", args[0]);
    case ir::Intrinsic::kSigmoid:
      return fmt::format("monotone(logistic, {})", args[0]);
    case ir::Intrinsic::kRound:
      return fmt::format("monotone(nearbyint, {})", args[0]);
    case ir::Intrinsic::kRoundTf32:
      return fmt::format("monotone(round_tf32, {})", args[0]);
    case ir::Intrinsic::kPow:
      return fmt::format("power({}, {})", args[0], args[1]);
    case ir::Intrinsic::kAbs:
      return fmt::format("{}({})", is_float ? "magnitude" : "labs", args[0]);
    case ir::Intrinsic::kLikely:
      return args[0];
    case ir::Intrinsic::kScale:
    case ir::Intrinsic::kReinterpret:
    case ir::Intrinsic::kJoinBytes:
    case ir::Intrinsic::kJoinHalves:
    case ir::Intrinsic::kDotU8S8:
    case ir::Intrinsic::kDotS8S8:
    case ir::Intrinsic::kDotS16:
    case ir::Intrinsic::kDotBF16:
    case ir::Intrinsic::kShuffleXor:
      break;
  }
  throw UsageError(fmt::format("the self-test cannot express {} in C", ir::intrinsic_name(n.intrinsic)));
}

std::string c_node(const Expr& e, const CNames& names) {
  return std::visit(
      ir::overloaded{
          [&](const ir::IntImm& n) { return std::to_string(e.type().is_bool() ? n.value * 2 : n.value); },
          [](const ir::FloatImm& n) { return fmt::format("exactly({})", c_float(n.value)); },
          [&](const ir::VarRef& n) { return c_variable(n.var, names); },
          [&](const ir::Binary& n) { return c_binary(n, e, names); },
          [&](const ir::Not& n) { return fmt::format("(2 - {})", c_expression(n.a, names)); },
          [&](const ir::Select& n) { return c_select(n, e, names); },
          [&](const ir::Cast& n) { return c_cast(n, e, names); },
          [&](const ir::Load& n) { return c_load(n, names); },
          [&](const ir::Call& n) { return c_call(n, e, names); },
          [](const auto&) -> std::string {
            throw UsageError("the operator's expression has a part that the self-test cannot express in C");
          },
      },
      e.node().value);
}

}  // namespace

std::string c_condition(const Expr& e, const CNames& names) {
  if (const auto* n = e.as<ir::Not>()) return fmt::format("!{}", c_condition(n->a, names));
  if (const auto* n = e.as<ir::Call>(); n != nullptr && n->intrinsic == ir::Intrinsic::kLikely) {
    return c_condition(n->args[0], names);
  }
  if (const auto* n = e.as<ir::Binary>()) {
    const bool is_logic = n->a.type().is_bool();
    const auto text = [&](const Expr& part) { return is_logic ? c_condition(part, names) : c_expression(part, names); };
    if (n->op != ir::BinaryOp::kMin && n->op != ir::BinaryOp::kMax) {
      return fmt::format("({} {} {})", text(n->a), ir::binary_op_name(n->op), text(n->b));
    }
  }
  return fmt::format("({} == 2)", c_expression(e, names));
}

std::string c_epsilon(ir::Type type, const CNames& names) {
  if (type == names.type) return "kEpsilon";
  if (type == kFloat16) return "0x1p-10";
  if (type == kBFloat16) return "0x1p-7";
  return type == kFloat32 ? "FLT_EPSILON" : "DBL_EPSILON";
}

std::string c_expression(const Expr& e, const CNames& names) {
  const std::string text = c_node(e, names);
  if (!e.type().is_float() || e.as<ir::FloatImm>() != nullptr || e.as<ir::Load>() != nullptr) return text;
  // The functions of numbers round as the output's type does.
  if (e.type() == names.type && e.as<ir::Cast>() == nullptr) return text;
  return fmt::format("rounded({}, {})", text, c_epsilon(e.type(), names));
}

}  // namespace nestwright
