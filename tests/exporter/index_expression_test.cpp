// Index expressions of host statements as C, evaluated by a C compiler and by the interpreter.
#include "exporter/source/index_expression.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "export_fixture.h"
#include "nestwright/expr_nodes.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ir::Expr;
using ::testing::HasSubstr;
using ::testing::Not;

class IndexExpression : public ExportTest {
 protected:
  std::string text(const Expr& e) const { return c_index(e, {{x_, "x"}, {y_, "y"}}); }
  ir::Var x_{"anything"}, y_{"else"};
};

TEST_F(IndexExpression, ReadsLikeTheExpression) {
  const Expr x(x_), y(y_);
  EXPECT_EQ(text(x * 4 + y - 1), "(((x * 4) + y) - 1)");
  EXPECT_EQ(text(min(x, y)), "(x < y ? x : y)");
  EXPECT_EQ(text(select(!(x < y) && likely(y >= 3), x, 7)), "((!(x < y) && (y >= 3)) ? x : 7)");
}

TEST_F(IndexExpression, DividesTowardsMinusInfinity) {
  const Expr x(x_), y(y_);
  const std::string quotient = text(x / y), rest = text(x % y);
  EXPECT_EQ(c_division_for(text(x + y)), "");
  EXPECT_THAT(c_division_for(rest), Not(HasSubstr("floor_div")));
  write_text(file("d.c"),
             fmt::format("#include <stdio.h>\n{}\nint main(void) {{\n  for (long x = -7; x <= 7; ++x)\n"
                         "    for (long y = -3; y <= 3; y += 2) printf(\"%ld %ld \", {}, {});\n  return 0;\n}}\n",
                         c_division_for(quotient + rest), quotient, rest));
  const CommandResult result = run("cc -std=c11 -Wall -Wextra -Werror d.c -o d && ./d");
  std::string expected;
  for (std::int64_t a = -7; a <= 7; ++a) {
    for (std::int64_t b = -3; b <= 3; b += 2) {
      const std::int64_t floor = a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
      expected += fmt::format("{} {} ", floor, a - floor * b);
    }
  }
  EXPECT_EQ(result.output, expected);
}

TEST_F(IndexExpression, WhatNoHostStatementHasIsAnInternalError) {
  EXPECT_THAT(message<InternalError>([&] { text(Expr(1.5)); }), HasSubstr("more than indices"));
  EXPECT_THAT(message<InternalError>([&] { text(Expr(ir::Var("unknown"))); }), HasSubstr("does not define"));
}

}  // namespace
}  // namespace nestwright
