// The interface through which a template defines its knobs, and symbolic arithmetic over them.
//
// Each call of a Tuning defines a knob and returns its handle, which has a concrete value: the first candidate during
// discovery and the configuration's value when one is applied. choose() is for choices that change which primitives
// run. A handle also remembers its knob: arithmetic on handles builds an expression that can be evaluated at other
// points of the space, and that knows which knobs it reads. Constraints refuse points by formula, before anything is
// lowered:
//
//   const KnobExpr rows = t.define_knob("rows", {1, 2, 4, 8}), columns = t.define_knob("columns", {8, 16});
//   const OptionKnob order = t.define_annotate("order", {"rows", "columns"});
//   t.require(rows * columns <= 64, "the tile does not fit into the registers");    // for all points of the space
//   t.require(order == "rows" || rows % 4 == 0, "columns come in fours");
//   t.require(values_of(rows, columns), [=](std::int64_t m, std::int64_t n) { return fits(m, n, target); },
//             "the tile does not fit into the target's registers");
//   stage.split(loop, factor(rows));                                                // in this run
//
// Operators mean what they mean in C++: division truncates, comparisons give 0 or 1, && and || evaluate their right
// side only where it counts.
// Thread rule: handles are immutable values; one Tuning belongs to one run of one template.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nestwright/config_space.h"

#pragma GCC visibility push(default)

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

/// Candidates of a split of an extent into `parts` nested loops.
struct SplitOptions {
  int parts = 2;
  enum class Policy : std::uint8_t {
    kFactors,  ///< inner extents divide the extent
    kPowerOfTwo,
    kAll,  ///< any inner extent up to max_factor; the split gets a tail
  } policy = Policy::kFactors;
  std::int64_t max_factor = 1 << 30;                          ///< of the innermost part
  std::function<bool(std::span<const std::int64_t>)> filter;  ///< over the parts, outermost first
};

/// The handles whose values a constraint's function receives: std::int64_t for a KnobExpr, const KnobValue& for a
/// PartsKnob.
template <class... Handles>
struct KnobArguments {
  std::tuple<Handles...> handles;
};
template <class... Handles>
KnobArguments<Handles...> values_of(const Handles&... handles) {
  return {{handles...}};
}

class Tuning {
 public:
  virtual ~Tuning() = default;
  /// Extents of the nested loops, outermost first; the first one covers what the others leave (rounded up).
  virtual PartsKnob define_split(const std::string& name, std::int64_t extent, const SplitOptions& options) = 0;
  /// One of the given permutations of 0 .. n-1.
  virtual PartsKnob define_reorder(const std::string& name, const std::vector<std::vector<int>>& candidates) = 0;
  virtual OptionKnob define_annotate(const std::string& name, const std::vector<std::string>& candidates) = 0;
  virtual KnobExpr define_knob(const std::string& name, const std::vector<std::int64_t>& candidates) = 0;
  /// A choice of what is applied; knobs defined afterwards may depend on it.
  virtual OptionKnob choose(const std::string& name, const std::vector<std::string>& options) = 0;

  /// Refuses points for which `condition` is 0, for the reason given, e.g. "register tile larger than the register
  /// file".
  void require(const KnobExpr& condition, std::string reason);
  /// The same for conditions that no expression states: `holds` receives the values of `arguments`, in their order, as
  /// std::int64_t or const KnobValue&. It is called after this run, too, so that it must not refer to the run's
  /// objects.
  template <class... Handles, class Holds>
  void require(const KnobArguments<Handles...>& arguments, Holds holds, std::string reason);

 protected:
  virtual void add(Constraint constraint) = 0;
  /// For a Tuning that forwards to another one.
  static void add_to(Tuning& other, Constraint constraint) { other.add(std::move(constraint)); }

 private:
  using Knobs = std::vector<std::shared_ptr<const KnobInRun>>;
  static void collect(const KnobExpr& expr, Knobs& knobs);
  static void collect(const PartsKnob& parts, Knobs& knobs);
  static auto reader(const KnobExpr& expr, const Knobs& knobs) {
    return [in_place = expr.over(knobs)](std::span<const KnobValue> values) { return in_place.evaluate(values); };
  }
  static auto reader(const PartsKnob& parts, const Knobs& knobs) {
    return
        [at = position_of(parts, knobs)](std::span<const KnobValue> values) -> const KnobValue& { return values[at]; };
  }
  static std::size_t position_of(const PartsKnob& parts, const Knobs& knobs);
  static std::vector<std::string> names_of(const Knobs& knobs);
};

template <class... Handles, class Holds>
void Tuning::require(const KnobArguments<Handles...>& arguments, Holds holds, std::string reason) {
  const auto add_over = [&](const Handles&... handles) {
    Knobs read;
    (collect(handles, read), ...);
    add({names_of(read),
         [readers = std::tuple(reader(handles, read)...), holds = std::move(holds)](std::span<const KnobValue> values) {
           return std::apply([&](const auto&... each) -> bool { return holds(each(values)...); }, readers);
         },
         std::move(reason)});
  };
  std::apply(add_over, arguments.handles);
}

}  // namespace nestwright

#pragma GCC visibility pop
