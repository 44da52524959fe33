// Completion of partial configurations, with templates made up for it.
#include "templates/framework/space/completion.h"

#include <gtest/gtest.h>

#include "nestwright/registry.h"

namespace nestwright {
namespace {

const Workload& workload() {
  static const Workload it = parse_workload("matmul m=48 n=48 k=48");
  return it;
}

/// x * y >= 32: one knob alone does not suffice.
Schedule product_of_knobs(Tuning& t, const Workload&, const Definition& d, const Target&) {
  const KnobExpr x = t.define_knob("x", {1, 2, 4, 8}), y = t.define_knob("y", {1, 2, 4, 8});
  t.require(x * y >= 32, "the product is below 32");
  return create_schedule(d.args[2]);
}

/// Only the last of many choices has a valid point.
Schedule last_of_choices(Tuning& t, const Workload&, const Definition& d, const Target&) {
  std::vector<std::string> options;
  for (int i = 0; i < 100; ++i) options.push_back("number" + std::to_string(i));
  const bool is_last = t.choose("which", options) == options.back();
  const KnobExpr x = t.define_knob("x", {1, 2, 4, 8});
  t.require(x > (is_last ? 2 : 8), "it is too small");
  return create_schedule(d.args[2]);
}

TEST(Completion, MovesSeveralKnobsWhereOneIsNotEnough) {
  const Template t{"test.product", 1, {DeviceKind::kCpu}, product_of_knobs, {}};
  for (const char* partial : {"", "x=1", "x=1 y=1", "y=2"}) {
    const auto config = complete_config(t, workload(), Target(), Config::parse(partial));
    ASSERT_TRUE(config) << partial;
    EXPECT_GE(config->find("x")->value[0] * config->find("y")->value[0], 32) << config->str();
  }
}

TEST(Completion, ASeedIsFoundWhereAnyPointIsValid) {
  const Template t{"test.last", 1, {DeviceKind::kCpu}, last_of_choices, {}};
  const std::vector<Config> seeds = seeds_of(t, workload(), Target());
  ASSERT_FALSE(seeds.empty());
  EXPECT_EQ(seeds.front().find("which")->label, "number99");
}

}  // namespace
}  // namespace nestwright
