// Parts of random programs (lower/program_part.h) compute elements as the whole does, and leave the others untouched.
#include "lower/program_part.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "tests/property/data.h"
#include "tests/property/draw_schedule.h"

namespace nestwright::property {
namespace {

constexpr std::uint8_t kPoison = 0x5A, kOtherPoison = 0xA5;

std::set<ir::Buffer> outputs_of(const ir::Program& program) {
  std::set<ir::Buffer> outputs;
  for (const ir::Parameter& parameter : program.parameters) {
    if (parameter.role == ir::Role::kOutput) outputs.insert(parameter.buffer);
  }
  return outputs;
}

/// The extents of the loops, in pre-order.
std::vector<ir::Expr> extents_of(const ir::Stmt& body) {
  std::vector<ir::Expr> extents;
  ir::for_each_stmt(body, [&](const ir::Stmt& s) {
    if (const auto* loop = s.as<ir::For>()) extents.push_back(loop->extent);
  });
  return extents;
}

/// Whether each element that the part stores should have its final value: no shortened loop reduces, and no output is
/// computed from another one, whose elements may be missing.
bool has_final_values(const ir::Program& whole, const ir::Program& part) {
  const std::set<ir::Buffer> outputs = outputs_of(whole);
  const std::vector<ir::Expr> extents = extents_of(whole.kernels[0].body);
  std::size_t next = 0;
  bool are_final = true;
  ir::for_each_stmt(part.kernels[0].body, [&](const ir::Stmt& s) {
    if (const auto* store = s.as<ir::Store>()) {
      ir::for_each_expr(store->value, [&](const ir::Expr& e) {
        const auto* load = e.as<ir::Load>();
        are_final = are_final && (load == nullptr || load->buffer == store->buffer || !outputs.contains(load->buffer));
      });
    }
    const auto* loop = s.as<ir::For>();
    if (loop == nullptr || loop->extent.same_as(extents[next++])) return;
    std::set<ir::Buffer> own;
    ir::for_each_stmt(loop->body, [&](const ir::Stmt& inner) {
      if (const auto* allocate = inner.as<ir::Allocate>()) own.insert(allocate->buffer);
      const auto* store = inner.as<ir::Store>();
      if (store == nullptr || own.contains(store->buffer)) return;
      bool is_of_loop = false;
      for (const ir::Expr& index : store->indices) is_of_loop = is_of_loop || ir::mentions(index, loop->var);
      are_final = are_final && is_of_loop;
    });
  });
  return are_final;
}

/// The result of `program` where outputs hold `poison`; nullopt where it reads an element that it did not store.
std::optional<Data> run(const ir::Program& program, std::uint64_t seed, std::uint8_t poison) {
  Data data(program, {}, seed, poison);
  try {
    ir::interpret(program, data.memory());
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("was never written"), std::string::npos) << error.what() << "\n"
                                                                                      << ir::to_string(program);
    return std::nullopt;
  }
  EXPECT_EQ(data.damage(), "");
  return data;
}

/// The number of bytes of outputs that the part stores; each must be that of the whole.
int compare(const ir::Program& whole, const ir::Program& part, std::uint64_t seed) {
  const std::optional<Data> all = run(whole, seed, kPoison), some = run(part, seed, kPoison),
                            again = run(part, seed, kOtherPoison);
  if (!all || !some || !again) return 0;
  int stored = 0;
  for (std::size_t p = 0; p < whole.parameters.size() && p < some->memory().size(); ++p) {
    if (whole.parameters[p].role != ir::Role::kOutput) continue;
    const ir::Memory expected = all->memory()[p], found = some->memory()[p], other = again->memory()[p];
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] != other[i]) continue;  // still poisoned
      ++stored;
      if (found[i] == expected[i]) continue;
      ADD_FAILURE() << "seed " << seed << ": byte " << i << " of parameter " << p << " differs:\n"
                    << ir::to_string(whole) << ir::to_string(part);
      return stored;
    }
  }
  return stored;
}

TEST(ProgramParts, ComputeElementsAsTheWholeDoes) {
  int parts = 0, compared = 0, with_results = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    try {
      ExpressionChoices choices = draw_expression(seed);
      const Goal goal = draw_goal(seed);
      const Expression expression = make_expression(choices, goal.expression);
      if (!expression.symbols.empty()) continue;
      const ir::Program whole =
          lower(draw_schedule(expression, goal, seed).schedule, expression.arguments(), Target(), "program");
      if (count_steps(whole, {}) > 6000) continue;
      const std::optional<ProgramPart> part = part_of(whole, seed % 2 == 0 ? 0.5 : 0.2, 1 + static_cast<int>(seed % 3));
      if (!part) continue;
      ++parts;
      EXPECT_GE(part->ratio, 1.4);
      if (!has_final_values(whole, part->program)) continue;
      ++compared;
      with_results += compare(whole, part->program, seed) > 0;
    } catch (const Error&) {  // a refused expression or schedule
    }
  }
  EXPECT_GT(parts, 100);
  EXPECT_GT(compared, 50);
  EXPECT_GT(with_results, 25);
}

}  // namespace
}  // namespace nestwright::property
