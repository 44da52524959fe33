#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/core/fold.h"
#include "text/syntax/expression_error.h"
#include "text/syntax/functions.h"
#include "text/syntax/infix.h"
#include "text/syntax/program.h"

namespace nestwright::text {
namespace {

using ir::BinaryOp;

constexpr ir::Type kRealLiteral = kFloat32, kIntegerLiteral = kInt64;  // of literals that meet no other type

/// The type of a term. A literal takes the type of what it meets.
struct TermType {
  ir::Type type;
  enum class Literal : std::uint8_t { kNone, kInteger, kReal } literal = Literal::kNone;

  bool is_literal() const { return literal != Literal::kNone; }
};

bool fits(double value, ir::Type type) {
  if (type.is_float()) return std::isinf(value) || !std::isinf(ir::round_float(value, type));
  if (type.is_bool() || value != std::floor(value)) return false;
  const bool is_unsigned = type.code == ir::TypeCode::kUInt;
  return value >= (is_unsigned ? 0 : -std::ldexp(1.0, type.bits - 1)) &&
         value < std::ldexp(1.0, is_unsigned ? type.bits : type.bits - 1);
}

class TypeChecker {
 public:
  explicit TypeChecker(Program& program) : program_(program) {}

  void check_stage(Stage& stage, const Definition& definition) {
    const TermType body = type_of(stage.body);
    check_number(stage.body, kRealLiteral);
    if (stage.reduction) check_reduction(*stage.reduction, body, definition.reduction->at);
    program_.tensors[stage.tensor].type = stage.reduction == ReductionKind::kArgmax ? kInt64 : body.type;
  }

  [[noreturn]] void fail(std::size_t at, const std::string& reason) const {
    throw ExpressionError(program_.text, at, reason);
  }

 private:
  void check_reduction(ReductionKind kind, const TermType& body, std::size_t at) const {
    const bool is_logical = kind == ReductionKind::kAny || kind == ReductionKind::kAll;
    if (is_logical == body.type.is_bool()) return;
    fail(at, std::string(reduction_name(kind)) + " takes " + (is_logical ? "conditions" : "numbers") +
                 ", but the value is " + body.type.str() +
                 (is_logical ? ": compare it" : ": convert it, as in int32(...)"));
  }

  TermType type_of(const Term& term) const {
    if (std::holds_alternative<Integer>(term.value)) return {kIntegerLiteral, TermType::Literal::kInteger};
    if (std::holds_alternative<Real>(term.value)) return {kRealLiteral, TermType::Literal::kReal};
    if (std::holds_alternative<IndexValue>(term.value)) return {kIndex};
    if (const auto* access = std::get_if<Access>(&term.value)) return type_of_access(*access);
    if (const auto* negation = std::get_if<Negation>(&term.value)) {
      const TermType type = type_of(negation->operand[0]);
      if (type.type.is_bool()) fail(term.at, "'-' takes a number, not a condition: use '!'");
      return type;
    }
    if (const auto* complement = std::get_if<Complement>(&term.value)) {
      const TermType type = type_of(complement->operand[0]);
      if (!type.type.is_bool()) fail(term.at, "'!' takes a condition, not " + type.type.str() + ": compare it");
      return type;
    }
    if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) return type_of_binary(*binary, term.at);
    return type_of_call(std::get<FunctionCall>(term.value), term.at);
  }

  TermType type_of_access(const Access& access) const {
    const ir::Type type = program_.find_tensor(access.tensor)->type;
    for (const Term& index : access.indices) {
      const TermType index_type = type_of(index);
      if (index_type.type.is_int()) continue;
      fail(index.at, "an index is an integer, not " + index_type.type.str() + ": convert it, as in int64(...)");
    }
    if (access.padding) check_padding(access, type);
    return {type};
  }

  void check_padding(const Access& access, ir::Type type) const {
    const double padding = *access.padding;
    if (!(type.is_bool() ? padding == 0 || padding == 1 : fits(padding, type))) {
      fail(access.padding_at, "the padding of '" + access.tensor + "' is no value of its type, " + type.str());
    }
    if (type.is_int() && padding >= 0x1p63) {  // ir::make_const takes an int64
      fail(access.padding_at,
           "the padding of '" + access.tensor + "' is too large: that of " + type.str() + " is below 2^63");
    }
  }

  /// One type for two operands; literals are converted.
  TermType agree(const Term& a, const Term& b, const TermType& x, const TermType& y, std::size_t at,
                 const std::string& what) const {
    if (x.is_literal() && y.is_literal()) {
      check_number(a, kRealLiteral);
      check_number(b, kRealLiteral);
      const bool is_real = x.literal == TermType::Literal::kReal || y.literal == TermType::Literal::kReal;
      return is_real ? TermType{kRealLiteral, TermType::Literal::kReal}
                     : TermType{kIntegerLiteral, TermType::Literal::kInteger};
    }
    if (!x.is_literal() && !y.is_literal()) {
      if (x.type == y.type) return {x.type};
      fail(at, "the operands of " + what + " are " + x.type.str() + " and " + y.type.str() + ": convert one, as in " +
                   (x.type.is_float() ? x.type : y.type).str() + "(...)");
    }
    const Term& literal = x.is_literal() ? a : b;
    const ir::Type type = x.is_literal() ? y.type : x.type;
    check_literal(literal, type, what);
    return {type};
  }

  void check_literal(const Term& literal, ir::Type type, const std::string& what) const {
    const auto* const integer = std::get_if<Integer>(&literal.value);
    const auto* const real = std::get_if<Real>(&literal.value);
    const bool is_of_64_bits = type.is_int() && type.bits == 64;  // a double does not hold all of its values
    if (integer != nullptr && is_of_64_bits && (type.code == ir::TypeCode::kInt || integer->value >= 0)) return;
    if (integer != nullptr && !is_of_64_bits && fits(static_cast<double>(integer->value), type)) return;
    if (real != nullptr && type.is_float() && fits(real->value, type)) return;
    fail(literal.at, "this number is no " + type.str() + ", as the other operand of " + what +
                         " is: convert that, as in float32(...)");
  }

  /// Refuses a literal that meets no other type, or is converted to `type`, if that does not hold it.
  void check_number(const Term& term, ir::Type type) const {
    const auto* const integer = std::get_if<Integer>(&term.value);
    const auto* const real = std::get_if<Real>(&term.value);
    if (integer == nullptr && real == nullptr) return;
    if (fits(real != nullptr ? real->value : static_cast<double>(integer->value), type)) return;
    const std::string number = real != nullptr ? fmt::format("{}", real->value) : std::to_string(integer->value);
    fail(term.at,
         "this number is no " + type.str() + ": convert it to a type that holds it, as in float64(" + number + ")");
  }

  TermType type_of_binary(const BinaryTerm& binary, std::size_t at) const {
    const std::string what = "'" + std::string(ir::binary_op_name(binary.op)) + "'";
    const Term &a = binary.operands[0], &b = binary.operands[1];
    const TermType x = type_of(a), y = type_of(b);
    if (binary.op == BinaryOp::kAnd || binary.op == BinaryOp::kOr) {
      for (const auto& [operand, type] : {std::pair(&a, &x), std::pair(&b, &y)}) {
        if (!type->type.is_bool())
          fail(operand->at, what + " takes conditions, not " + type->type.str() + ": compare it");
      }
      return {kBool};
    }
    const TermType type = agree(a, b, x, y, at, what);
    const bool is_equality = binary.op == BinaryOp::kEq || binary.op == BinaryOp::kNe;
    if (type.type.is_bool() && !is_equality) fail(at, what + " takes numbers, not conditions: use && and ||");
    if (ir::is_comparison(binary.op)) return {kBool};
    if (binary.op == BinaryOp::kMod && !type.type.is_int()) {
      fail(at, "'%' takes integers, not " + type.type.str());
    }
    const auto* divisor = std::get_if<Integer>(&b.value);
    const bool divides = binary.op == BinaryOp::kMod || binary.op == BinaryOp::kDiv;
    if (divides && type.type.is_int() && divisor != nullptr && divisor->value == 0) fail(b.at, "the divisor is 0");
    return type;
  }

  TermType type_of_call(const FunctionCall& call, std::size_t at) const {
    std::vector<TermType> types;
    for (const Term& argument : call.arguments) types.push_back(type_of(argument));
    if (const std::optional<ir::Type> type = find_type(call.name)) {
      check_number(call.arguments[0], type->is_float() ? *type : kRealLiteral);
      return {*type};
    }
    const NamedFunction& function = *find_function(call.name);
    const bool is_select = function.domain == NamedFunction::Domain::kSelect;
    if (is_select && !types[0].type.is_bool()) {
      fail(call.arguments[0].at,
           "the first argument of select is a condition, not " + types[0].type.str() + ": compare it");
    }
    if (function.domain == NamedFunction::Domain::kInteger) check_bits(call, types);
    const std::size_t first = is_select ? 1 : 0;
    TermType type = types[first];
    // Literals take the type of an argument that is not one.
    for (std::size_t i = first; i < types.size(); ++i) {
      const bool is_wider = type.is_literal() && types[i].literal != TermType::Literal::kInteger;
      if (is_wider || !types[i].is_literal()) type = types[i];
    }
    for (std::size_t i = first; i < types.size(); ++i) {
      if (types[i].is_literal() && !type.is_literal()) {
        check_literal(call.arguments[i], type.type, shown_name(function));
      } else {
        check_number(call.arguments[i], kRealLiteral);
      }
      if (types[i].is_literal() || types[i].type == type.type) continue;
      fail(call.arguments[i].at, "the arguments of " + shown_name(function) + " are " + type.type.str() + " and " +
                                     types[i].type.str() + ": convert one");
    }
    check_domain(function, type, at);
    return {type.type};
  }

  void check_domain(const NamedFunction& function, const TermType& type, std::size_t at) const {
    const auto refuse = [&](const std::string& takes) {
      fail(at, std::string(function.name) + " takes " + takes + ", not " + type.type.str() +
                   ": convert it, as in float32(...)");
    };
    switch (function.domain) {
      case NamedFunction::Domain::kNumbers:
        if (type.type.is_bool()) refuse("numbers");
        return;
      case NamedFunction::Domain::kFloats:
        if (!type.type.is_float()) refuse("floating-point numbers");
        return;
      case NamedFunction::Domain::kOnlyFloat32:
        if (type.type != kFloat32) refuse("float32");
        return;
      case NamedFunction::Domain::kSelect:
      case NamedFunction::Domain::kInteger:
        return;
    }
  }

  static std::string shown_name(const NamedFunction& function) {
    const std::string name = function.name;
    return find_infix(name) != nullptr ? "'" + name + "'" : name;
  }

  /// Checks the operand types of an operator on bits.
  void check_bits(const FunctionCall& call, const std::vector<TermType>& types) const {
    for (std::size_t i = 0; i < types.size(); ++i) {
      const ir::Type type = types[i].type;
      if (type.is_int()) continue;
      fail(first_character(call.arguments[i]),
           "'" + call.name + "' takes integers, not " + type.str() +
               (type.is_bool() ? ": write && and ||, and brackets around its operands, as it "
                                 "binds less tightly than comparisons"
                               : ": convert it, as in int32(...)"));
    }
  }

  Program& program_;
};

}  // namespace

void check_types(const Source& source, Program& program) {
  TypeChecker checker(program);
  for (std::size_t s = 0; s < program.stages.size(); ++s) {
    checker.check_stage(program.stages[s], source.definitions[s]);
  }
  for (const Declaration& declaration : source.declarations) {
    const TensorInfo& tensor = *program.find_tensor(declaration.tensor.text);
    if (declaration.type && *declaration.type != tensor.type) {
      checker.fail(declaration.tensor.at, "'" + tensor.name + "' is " + tensor.type.str() + " by its statement, not " +
                                              declaration.type->str() + ": convert the value, as in " +
                                              declaration.type->str() + "(...)");
    }
    if (tensor.range && tensor.type.is_int() && std::ceil(tensor.range->low) > std::floor(tensor.range->high)) {
      checker.fail(declaration.tensor.at, "the range of '" + tensor.name + "' has no integer");
    }
    for (const double end : {tensor.range.value_or(Range{}).low, tensor.range.value_or(Range{}).high}) {
      const double whole = tensor.type.is_int() ? (end < 0 ? std::ceil(end) : std::floor(end)) : end;
      const bool is_legal = tensor.type.is_bool() ? end == 0 || end == 1 : fits(whole, tensor.type);
      if (!is_legal) {
        checker.fail(declaration.tensor.at,
                     "the range of '" + tensor.name + "' is not one of its type, " + tensor.type.str());
      }
    }
  }
}

}  // namespace nestwright::text
