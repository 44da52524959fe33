// What comparing handles of variables and axes gives: as a bool, whether they are the same; as an Expr, whether their
// values are equal.
//
//   if (k == l && m == n)                      the same axes
//   select(k == l && m == n, A(k, l), 0.0)     elements where the values are equal
//
// Thread rule: values.
#pragma once

#include <concepts>
#include <utility>

namespace nestwright::ir {

class Expr;

/// A conversion to any other type, such as an integer, would make an Expr of that integer.
template <class T>
concept BoolOrExpr = std::same_as<T, bool> || std::same_as<T, Expr>;

/// What && and || below join.
struct HandleCondition {};

/// What == and != of two handles give. A Handle has an id() and converts to an Expr.
template <class Handle>
class HandleEquality : public HandleCondition {
 public:
  HandleEquality(Handle a, Handle b, bool equal) : a_(std::move(a)), b_(std::move(b)), equal_(equal) {}
  template <BoolOrExpr T>
  operator T() const {  // NOLINT(google-explicit-constructor): containers compare handles, and expressions their values
    if constexpr (std::same_as<T, bool>) {
      return (a_.id() == b_.id()) == equal_;
    } else {
      return equal_ ? T(a_) == T(b_) : T(a_) != T(b_);
    }
  }
  HandleEquality operator!() const { return {a_, b_, !equal_}; }

 private:
  Handle a_, b_;
  bool equal_;
};

/// What && and || of such conditions give. Both operands are evaluated.
template <class A, class B>
class JoinedCondition : public HandleCondition {
 public:
  JoinedCondition(const A& a, const B& b, bool is_conjunction) : a_(a), b_(b), is_conjunction_(is_conjunction) {}
  template <BoolOrExpr T>
  operator T() const {  // NOLINT(google-explicit-constructor)
    const T a = a_, b = b_;
    return is_conjunction_ ? a && b : a || b;
  }
  JoinedCondition operator!() const { return {!a_, !b_, !is_conjunction_}; }

 private:
  A a_;
  B b_;
  bool is_conjunction_;
};

template <std::derived_from<HandleCondition> A, std::derived_from<HandleCondition> B>
JoinedCondition<A, B> operator&&(const A& a, const B& b) {
  return {a, b, true};
}
template <std::derived_from<HandleCondition> A, std::derived_from<HandleCondition> B>
JoinedCondition<A, B> operator||(const A& a, const B& b) {
  return {a, b, false};
}

}  // namespace nestwright::ir
