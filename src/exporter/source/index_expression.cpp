#include "exporter/source/index_expression.h"

#include <fmt/format.h>

#include <string_view>

#include "exporter/source/c_text.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using ir::BinaryOp;
using ir::Expr;

std::string c_binary(const ir::Binary& n, const CVariables& names) {
  const std::string a = c_index(n.a, names), b = c_index(n.b, names);
  switch (n.op) {
    case BinaryOp::kMin:
      return fmt::format("({0} < {1} ? {0} : {1})", a, b);
    case BinaryOp::kMax:
      return fmt::format("({0} > {1} ? {0} : {1})", a, b);
    case BinaryOp::kDiv:
      return fmt::format("floor_div({}, {})", a, b);
    case BinaryOp::kMod:
      return fmt::format("floor_mod({}, {})", a, b);
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      return fmt::format("({} {} {})", a, ir::binary_op_name(n.op), b);
  }
  throw InternalError("internal error: an unknown operator");
}

}  // namespace

std::string c_index(const Expr& e, const CVariables& names) {
  if (const auto* n = e.as<ir::IntImm>()) return std::to_string(n->value);
  if (const auto* n = e.as<ir::VarRef>()) {
    const auto name = names.find(n->var);
    check(name != names.end(), "a host statement reads a variable that it does not define");
    return name->second;
  }
  if (const auto* n = e.as<ir::Binary>()) return c_binary(*n, names);
  if (const auto* n = e.as<ir::Not>()) return fmt::format("!{}", c_index(n->a, names));
  if (const auto* n = e.as<ir::Select>()) {
    return fmt::format("({} ? {} : {})", c_index(n->condition, names), c_index(n->if_true, names),
                       c_index(n->if_false, names));
  }
  if (const auto* n = e.as<ir::Call>(); n != nullptr && n->intrinsic == ir::Intrinsic::kLikely) {
    return c_index(n->args[0], names);
  }
  throw InternalError("internal error: a host statement computes more than indices");
}

std::string c_division_for(const std::string& text) {
  std::string source;
  if (text.find("floor_div(") != std::string::npos) {
    source += "\n" + c_text("device/floor_div");
  }
  if (text.find("floor_mod(") != std::string::npos) {
    source += "\n" + c_text("device/floor_mod");
  }
  return source;
}

}  // namespace nestwright
