#include "run_program.h"

#include <gtest/gtest.h>

#include <limits>

#include "ir/simplify/simplify.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing {

std::vector<std::vector<float>> run_program(const ir::Program& program, std::uint64_t seed,
                                            const std::vector<std::int64_t>& symbols) {
  ir::Substitution values_of;
  for (std::size_t s = 0; s < symbols.size(); ++s) values_of[program.symbols[s]] = Expr(symbols[s]);
  std::vector<std::vector<float>> data;
  for (const ir::Parameter& parameter : program.parameters) {
    std::int64_t elements = 1;
    for (const Expr& extent : parameter.buffer->shape) {
      elements *= *ir::as_const_int(ir::simplify(ir::substitute(extent, values_of)));
    }
    std::vector<float>& values =
        data.emplace_back(static_cast<std::size_t>(elements), std::numeric_limits<float>::quiet_NaN());
    if (parameter.role == ir::Role::kOutput) continue;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = input_value(data.size() - 1, i);
  }
  std::vector<ir::Memory> memory;
  for (std::vector<float>& values : data) memory.push_back(std::as_writable_bytes(std::span(values)));
  ir::InterpretOptions options;
  options.seed = seed;
  ir::interpret(program, memory, symbols, options);
  std::vector<std::vector<float>> outputs;
  for (std::size_t p = 0; p < data.size(); ++p) {
    if (program.parameters[p].role == ir::Role::kOutput) outputs.push_back(std::move(data[p]));
  }
  return outputs;
}

std::vector<std::vector<float>> run_unscheduled(const Tensor& output, const Args& args,
                                                const std::vector<std::int64_t>& symbols) {
  return run_program(lower(create_schedule(output), args, Target(), "f"), 1, symbols);
}

void expect_same_results(const Schedule& schedule, const std::vector<Tensor>& outputs, const Args& args) {
  const Target target = cpu_target(CpuIsa::kAvx512);
  const auto expected = run_program(lower(create_schedule(outputs), args, target, "f"));
  const ir::Program loops = lower(schedule, args, target, "f"), vectors = expand(loops, target);
  EXPECT_EQ(run_program(loops, 3), expected) << ir::to_string(loops);
  EXPECT_EQ(run_program(vectors, 4), expected) << ir::to_string(vectors);
}

}  // namespace nestwright::testing
