#include "bench/figures/machine/delayed_program.h"

#include <algorithm>
#include <cmath>

#include "nestwright/error.h"
#include "nestwright/expr.h"

namespace nestwright::bench {
namespace {

using ir::Expr;
using ir::Stmt;

const ir::Buffer& first_of(const ir::Program& program, ir::Role role) {
  const auto found = std::find_if(program.parameters.begin(), program.parameters.end(),
                                  [&](const ir::Parameter& p) { return p.role == role; });
  check(found != program.parameters.end(), "a program is delayed by way of its first input and output");
  return found->buffer;
}

std::vector<Expr> origin_of(const ir::Buffer& buffer) {
  return std::vector<Expr>(static_cast<std::size_t>(buffer->rank()), Expr(0));
}

/// x <- 1 / (1.5 + x), starting from an element of the input. It converges to 0.5, which no compiler knows, so that a
/// store to the output that is never executed keeps the chain alive.
Stmt delay(const ir::Program& program, std::int64_t steps) {
  const ir::Buffer& input = first_of(program, ir::Role::kInput);
  const ir::Buffer& output = first_of(program, ir::Role::kOutput);
  const ir::Buffer chain("delay", kFloat32, {Expr(1)}, ir::Scope::kLocal);
  const Expr value = make_load(chain, {Expr(0)});
  const Stmt start = make_store(chain, {Expr(0)}, ir::abs(ir::cast(kFloat32, make_load(input, origin_of(input)))));
  const Stmt step = make_store(chain, {Expr(0)}, Expr(1.0) / (value + Expr(1.5)));
  const Stmt loop = make_for(ir::Var("step"), 0, Expr(steps), ir::LoopKind::kSerial, step);
  const Stmt use = make_if(value < Expr(0.0), make_store(output, origin_of(output), ir::cast(output->element, value)));
  return make_allocate(chain, ir::block({start, loop, use}));
}

}  // namespace

ir::Program with_delay(ir::Program program, std::int64_t steps) {
  check(steps >= 1, "a delay has one step or more");
  const int number = static_cast<int>(program.kernels.size());
  program.kernels.push_back({program.name + "_delay", delay(program, steps)});
  program.host = ir::block({program.host, ir::make_launch(number)});
  return program;
}

std::int64_t steps_for(double slowdown, std::int64_t steps, double ratio) {
  check(ratio > 1, "a delay that takes no time cannot be scaled");
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(steps) * slowdown / (ratio - 1)));
}

}  // namespace nestwright::bench
