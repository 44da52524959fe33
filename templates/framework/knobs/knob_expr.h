// Symbolic arithmetic over the knobs of a template. Tuning returns handles of knobs: a handle converts to its value in
// this run of the template and remembers its knob. Arithmetic on handles therefore builds an expression that can be
// evaluated at other points of the space, and that knows which knobs it reads:
//
//   const KnobExpr rows = t.define_knob("rows", {1, 2, 4}), columns = t.define_knob("columns", {8, 16});
//   t.require(rows * columns <= 32, "the tile has more than 32 elements");     // for all points of the space
//   stage.split(loop, factor(rows));                                           // in this run
//
// Operators mean what they mean in C++: division truncates, comparisons give 0 or 1, && and || evaluate their right
// side only where it counts. Thread rule: immutable values.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "space/config.h"

namespace nestwright {

/// A knob, and its value in this run of the template.
struct KnobInRun {
  std::string name;
  KnobValue value;
};

class KnobExpr {
 public:
  enum class Op : std::uint8_t {
    kConstant,
    kPart,  ///< of a knob's value
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kModulo,
    kCeilDivide,
    kMin,
    kMax,
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kSelect,
    kNot,
    kIsTrue,
    kSkipIfFalse,  ///< the right side of &&
    kSkipIfTrue,   ///< the right side of ||
  };

  KnobExpr(std::int64_t constant);
  /// Part `part` of the value of `knob`.
  KnobExpr(std::shared_ptr<const KnobInRun> knob, std::size_t part);
  static KnobExpr binary(Op op, const KnobExpr& a, const KnobExpr& b);
  static KnobExpr select(const KnobExpr& condition, const KnobExpr& a, const KnobExpr& b);
  KnobExpr operator!() const;

  /// The value in this run.
  operator std::int64_t() const;
  /// The value for other values of the knobs, which are in the order of knobs().
  std::int64_t evaluate(std::span<const KnobValue> values) const;
  /// The knobs that are read, each once, in the order of their first use.
  const std::vector<std::shared_ptr<const KnobInRun>>& knobs() const { return knobs_; }
  /// The same expression, whose knobs() are `knobs`: those that it reads, in any order, and possibly others.
  KnobExpr over(const std::vector<std::shared_ptr<const KnobInRun>>& knobs) const;

 private:
  /// In postfix order.
  struct Instruction {
    Op op;
    std::uint32_t operand = 0;  ///< kPart: the position of the knob; kSkip...: the number of instructions to skip
    std::int64_t constant = 0;  ///< kPart: the number of the part
  };

  void append(const KnobExpr& other);
  template <class ValueAt>
  std::int64_t run(const ValueAt& value_at) const;

  std::vector<std::shared_ptr<const KnobInRun>> knobs_;
  std::vector<Instruction> code_;
  int depth_ = 1;  ///< of the stack that evaluation needs
};

template <class T>
concept IsKnobOperand =
    std::same_as<T, KnobExpr> || std::integral<T> || (std::is_enum_v<T> && std::convertible_to<T, std::int64_t>);
/// At least one operand is a KnobExpr; the other one is converted to it.
template <class A, class B>
concept AreKnobOperands =
    IsKnobOperand<A> && IsKnobOperand<B> && (std::same_as<A, KnobExpr> || std::same_as<B, KnobExpr>);

template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator+(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kAdd, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator-(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kSubtract, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator*(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kMultiply, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator/(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kDivide, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator%(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kModulo, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator==(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kEqual, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator!=(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kNotEqual, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator<(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kLess, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator<=(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kLessOrEqual, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator>(const A& a, const B& b) {
  return !(a <= b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator>=(const A& a, const B& b) {
  return !(a < b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator&&(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kSkipIfFalse, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr operator||(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kSkipIfTrue, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr ceil_div(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kCeilDivide, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr min(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kMin, a, b);
}
template <class A, class B>
  requires AreKnobOperands<A, B>
KnobExpr max(const A& a, const B& b) {
  return KnobExpr::binary(KnobExpr::Op::kMax, a, b);
}

/// condition ? a : b, except that both are evaluated.
template <class A, class B>
  requires IsKnobOperand<A> && IsKnobOperand<B>
KnobExpr select(const KnobExpr& condition, const A& a, const B& b) {
  return KnobExpr::select(condition, a, b);
}

/// The handle of a knob whose value has several parts: extents of a split, outermost first, or a permutation.
class PartsKnob {
 public:
  PartsKnob(std::string name, KnobValue value);
  KnobExpr operator[](std::size_t part) const { return {knob_, part}; }
  KnobExpr back() const { return {knob_, knob_->value.size() - 1}; }
  /// In this run.
  operator KnobValue() const { return knob_->value; }
  const std::shared_ptr<const KnobInRun>& knob() const { return knob_; }

 private:
  std::shared_ptr<const KnobInRun> knob_;
};

/// The handle of a choice or an annotation, one of several options.
class OptionKnob {
 public:
  /// Requires taken < options.size().
  OptionKnob(std::string name, std::vector<std::string> options, std::size_t taken);
  /// Whether the option is `label`; always false if there is no such option.
  KnobExpr operator==(std::string_view label) const;
  KnobExpr operator!=(std::string_view label) const { return !(*this == label); }
  /// The option of this run.
  operator std::string() const;

 private:
  std::shared_ptr<const KnobInRun> knob_;  ///< its value is the position of the option
  std::vector<std::string> options_;
};

}  // namespace nestwright
