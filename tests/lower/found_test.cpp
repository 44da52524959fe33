// Schedules that random testing (tests/property) found to be lowered wrongly, each as small as it gets.
#include <gtest/gtest.h>

#include "lower/lower.h"
#include "run_program.h"

namespace nestwright {
namespace {

/// What the scheduled program gives, and what the unscheduled one does.
void expect_unchanged(const Schedule& schedule, const std::vector<Tensor>& arguments, const Tensor& output) {
  LowerOptions options;
  options.verify = true;
  const Target target = Target::parse("cpu,isa=avx2");
  const ir::Program scheduled = lower(schedule, arguments, target, "scheduled", options);
  const ir::Program plain = lower(create_schedule(output), arguments, target, "plain", options);
  EXPECT_EQ(testing::run_program(scheduled), testing::run_program(plain));
}

std::vector<Expr> tiles_of(std::span<const Expr> axes, std::size_t axis, int factor) {
  std::vector<Expr> indices(axes.begin(), axes.end());
  indices[axis] = axes[axis] % Expr(factor);
  indices.push_back(axes[axis] / Expr(factor));
  return indices;
}

TEST(Found, ATileThatIsCutKeepsWhatTheLanesOfOthersHold) {
  const Tensor a = placeholder({1, 5}, kFloat32, "A");
  const Tensor c = compute({1, 5}, [&](Expr i, Expr j) { return a(i, j); }, "C");
  Schedule s = create_schedule(c);
  const Tensor cache = s.cache_read(a, ir::Scope::kLocal, {c});
  const auto loops = s.transform_layout(cache, [](std::span<const Expr> axes) { return tiles_of(axes, 1, 2); });
  s[cache].compute_at(s[c], s[c].axis(0));
  s[cache].reorder({loops[2], loops[1]});
  s[cache].vectorize(loops[2]);
  expect_unchanged(s, {a, c}, c);
}

TEST(Found, AProducerCoversTheTilesThatItsReaderStores) {
  const Tensor a = placeholder({4}, kFloat32, "A");
  const Tensor c = compute({4}, [&](Expr i) { return a(i) + Expr(1.0); }, "C");
  Schedule s = create_schedule(c);
  const Tensor tile = s.cache_write(c, ir::Scope::kGlobal);
  const Tensor cache = s.cache_read(tile, ir::Scope::kGlobal, {c});
  s.transform_layout(cache, [](std::span<const Expr> axes) { return tiles_of(axes, 0, 3); });
  s[tile].compute_at(s[c], s[c].axis(0));
  s[cache].compute_at(s[c], s[c].axis(0));
  expect_unchanged(s, {a, c}, c);
}

TEST(Found, AProducerInsideALayoutIsReadWhereTheTileIs) {
  const Tensor b = placeholder({2, 1}, kFloat32, "B");
  const Tensor c = compute({2, 1}, [&](Expr i, Expr j) { return b(i, j); }, "C");
  Schedule s = create_schedule(c);
  const Tensor cache = s.cache_read(b, ir::Scope::kGlobal, {c});
  const Tensor inner = s.cache_read(b, ir::Scope::kGlobal, {cache});
  const auto loops = s.transform_layout(cache, [](std::span<const Expr> axes) { return tiles_of(axes, 0, 2); });
  s[cache].compute_at(s[c], s[c].axis(0));
  s[inner].compute_at(s[cache], loops[0]);
  expect_unchanged(s, {b, c}, c);
}

}  // namespace
}  // namespace nestwright
