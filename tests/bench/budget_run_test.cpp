#include "bench/figures/tunings/budget_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "nestwright/registry.h"

namespace nestwright::bench {
namespace {

TEST(BudgetRun, DrawsLegalWorkloads) {
  std::set<std::string> operators;
  for (std::uint64_t i = 0; i < 120; ++i) {
    const BudgetRun run = draw_budget_run(i);
    EXPECT_EQ(run.busy, static_cast<int>(i % 3));
    EXPECT_GE(run.seconds, 2);
    EXPECT_LE(run.seconds, 30);
    operators.insert(parse_workload(fmt::format("{}", fmt::join(run.workload, " "))).op->name);
    EXPECT_EQ(draw_budget_run(i).workload, run.workload) << "a run can be resumed";
  }
  EXPECT_EQ(operators.size(), 7u);
}

TEST(BudgetRun, DrawsEachFormOfExpressions) {
  std::set<std::string> texts;
  for (std::uint64_t i = 0; i < 24; ++i) texts.insert(draw_expression(i)[1]);
  EXPECT_EQ(texts.size(), 12u);
}

TEST(BudgetRun, ShortRunsMayExceedTheirBudgetByThreeSeconds) {
  EXPECT_DOUBLE_EQ(allowed_seconds(2), 5);
  EXPECT_DOUBLE_EQ(allowed_seconds(5), 7.4);
  EXPECT_DOUBLE_EQ(allowed_seconds(100), 110);
}

TEST(BudgetRun, PercentilesAreOrderStatistics) {
  EXPECT_EQ(percentile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(percentile({3, 1, 2}, 0.95), 3);
  EXPECT_EQ(percentile({7}, 0.5), 7);
}

}  // namespace
}  // namespace nestwright::bench
