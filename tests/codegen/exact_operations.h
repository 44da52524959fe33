// Operations that every device computes exactly, on elements of every type. Thread rule: pure functions.
#pragma once

#include "nestwright/expr.h"

namespace nestwright::testing {

/// Adds arithmetic, comparisons, selections, and division of integers, each by `program.add(name, f)` with a function
/// of two elements.
template <class P>
void add_exact_operations(P& program, ir::Type type) {
  using ir::Expr;
  program.add("copy", [](Expr a, Expr) { return a; });
  program.add("equal", [](Expr a, Expr c) { return a == c; });
  program.add("differ", [](Expr a, Expr c) { return a != c; });
  program.add("chosen", [](Expr a, Expr c) { return select(a == c, a, c); });
  if (type.is_bool()) {
    program.add("both", [](Expr a, Expr c) { return a && c; });
    program.add("either", [](Expr a, Expr c) { return a || c; });
    program.add("negation", [](Expr a, Expr) { return !a; });
    return;
  }
  program.add("sum", [](Expr a, Expr c) { return a + c; });
  program.add("difference", [](Expr a, Expr c) { return a - c; });
  program.add("product", [](Expr a, Expr c) { return a * c; });
  program.add("negative", [](Expr a, Expr) { return -a; });
  program.add("less", [](Expr a, Expr c) { return a < c; });
  program.add("less_equal", [](Expr a, Expr c) { return a <= c; });
  program.add("greater", [](Expr a, Expr c) { return a > c; });
  program.add("greater_equal", [](Expr a, Expr c) { return a >= c; });
  // Which of two zeros an extremum gives is unspecified: the sum is 0.
  const Expr zero = ir::make_const(0, type);
  program.add("least", [zero](Expr a, Expr c) { return min(a, c) + zero; });
  program.add("greatest", [zero](Expr a, Expr c) { return max(a, c) + zero; });
  program.add("magnitude", [](Expr a, Expr) { return abs(a); });
  program.add("clamped", [](Expr a, Expr) { return clamp(a, 1, 3); });
  program.add("at_least_2", [type](Expr a, Expr) { return max(a, ir::make_const(2, type)); });
  program.add("two_or_more", [type](Expr a, Expr) { return max(ir::make_const(2, type), a); });
  if (type.is_float()) return;
  program.add("and_bits", [](Expr a, Expr c) { return a & c; });
  program.add("or_bits", [](Expr a, Expr c) { return a | c; });
  program.add("xor_bits", [](Expr a, Expr c) { return a ^ c; });
  program.add("left", [](Expr a, Expr c) { return a << c; });
  program.add("right", [](Expr a, Expr c) { return a >> c; });
  program.add("left_by_3", [](Expr a, Expr) { return a << 3; });
  program.add("right_by_3", [](Expr a, Expr) { return a >> 3; });
  // Half of these divide by 0 in elements whose quotient is not used; some divide the lowest integer by -1.
  program.add("quotient", [](Expr a, Expr c) { return select(c != 0, a / c, a); });
  program.add("remainder", [](Expr a, Expr c) { return select(c != 0, a % c, a); });
  program.add("by_7", [](Expr a, Expr) { return a / 7; });
  program.add("modulo_7", [](Expr a, Expr) { return a % 7; });
  program.add("by_16", [](Expr a, Expr) { return a / 16; });
  program.add("modulo_16", [](Expr a, Expr) { return a % 16; });
  if (type.code != ir::TypeCode::kInt) return;
  program.add("by_minus_1", [](Expr a, Expr) { return a / -1; });
  program.add("by_minus_4", [](Expr a, Expr) { return a / -4; });
  program.add("modulo_minus_3", [](Expr a, Expr) { return a % -3; });
}

}  // namespace nestwright::testing
