// Reductions of tuples, vectorised over an axis of the output: all members of a step are combined before one is stored.
#include <gtest/gtest.h>

#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

/// `value` is the position of the value in the tuple; the other member is the index. A value that is stored before the
/// index must not be read again.
struct Argmax {
  Argmax(int rows_, int columns_, std::size_t value_) : rows(rows_), columns(columns_), value(value_) {}
  int rows, columns;
  std::size_t value, index = 1 - value;
  Tensor A = placeholder({rows, columns}, kFloat32, "A");
  IterVar k = reduce_axis(rows, "k");
  std::vector<Expr> tuple(const Expr& of_index, const Expr& of_value) const {
    return value == 0 ? std::vector{of_value, of_index} : std::vector{of_index, of_value};
  }
  Reducer argmax{"argmax", tuple(Expr(-1), min_value(kFloat32)),
                 [this](std::span<const Expr> x, std::span<const Expr> y) {
                   return tuple(select(x[value] >= y[value], x[index], y[index]), max(x[value], y[value]));
                 }};
  /// The position of the greatest element of each column, and that element.
  std::vector<Tensor> best =
      compute_tuple({columns}, [&](std::span<const Expr> i) { return argmax(tuple(k, A(k, i[0])), {k}); }, "best");

  /// Compares the interpreter on both forms, and the machine code, with plain loops.
  void expect_right(const Schedule& s, const Target& target) const {
    const ir::Program program = lower(s, {A, best[0], best[1]}, target, "argmax");
    const ir::Program vectors = expand(program, target);
    std::vector<Array> arguments = make_arguments(program, 3);
    const auto check = [&](const char* who) {
      for (int i = 0; i < columns; ++i) {
        const auto at = [&](int row) { return arguments[0].as<float>()[static_cast<std::size_t>(row * columns + i)]; };
        int first = 0;
        for (int row = 1; row < rows; ++row) first = at(row) > at(first) ? row : first;
        ASSERT_EQ(arguments[1 + index].as<std::int64_t>()[static_cast<std::size_t>(i)], first)
            << who << ", column " << i;
        ASSERT_EQ(arguments[1 + value].as<float>()[static_cast<std::size_t>(i)], at(first)) << who << ", column " << i;
      }
    };
    const auto forget = [&] {
      for (std::int64_t& found : arguments[1 + index].as<std::int64_t>()) found = -7;
      for (float& found : arguments[1 + value].as<float>()) found = -7;
    };
    forget();
    run_interpreted(program, arguments);
    check("loop form");
    forget();
    run_interpreted(vectors, arguments);
    check("vector form");
    forget();
    const LinkedProgram kernel = link(compile(program, target), make_pool(PoolKind::kSerial, 1));
    ASSERT_EQ(run_compiled(kernel, arguments), 0);
    check("machine");
  }
};

TEST(TupleReduction, VectorisedOverTheOutput) {
  for (const CpuIsa isa : runnable_isas()) {
    for (const int columns : {16, 37}) {
      const Argmax op(9, columns, columns == 16 ? 1 : 0);
      Schedule s = create_schedule(op.best);
      const auto [outer, inner] = s[op.best[0]].split(s[op.best[0]].axis(0), factor(16), Tail::predicate());
      s[op.best[0]].reorder({outer, s[op.best[0]].reduce_axis(0), inner}).vectorize(inner);
      op.expect_right(s, target_of(isa));
    }
  }
}

TEST(TupleReduction, VectorisedTileInRegisters) {
  for (const CpuIsa isa : runnable_isas()) {
    const Argmax op(9, 40, 0);
    Schedule s = create_schedule(op.best);
    const Tensor tile = s.cache_write(op.best[0], ir::Scope::kRegister);
    const auto [outer, inner] = s[op.best[0]].split(s[op.best[0]].axis(0), factor(8));
    s[op.best[0]].vectorize(inner);
    s[tile].compute_at(s[op.best[0]], outer);
    s[tile].reorder({s[tile].reduce_axis(0), s[tile].axis(0)}).vectorize(s[tile].axis(0));
    op.expect_right(s, target_of(isa));
  }
}

}  // namespace
}  // namespace nestwright::testing
