#include "nestwright/knobs.h"

#include <gmock/gmock.h>

#include <limits>

#include "nestwright/error.h"
#include "nestwright/template.h"
#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/recording.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names(const KnobExpr& expr) {
  std::vector<std::string> result;
  for (const auto& knob : expr.knobs()) result.push_back(knob->name);
  return result;
}

struct Handles {
  PartsKnob tile{"tile", {4, 3, 2}};
  KnobExpr n = PartsKnob("n", {5})[0];
};

TEST(KnobExpr, HasTheValueOfThisRunAndThatOfOtherPoints) {
  const Handles h;
  const KnobExpr sum = h.tile[1] * h.tile[2] + h.n;
  EXPECT_EQ(std::int64_t{sum}, 11);
  EXPECT_THAT(names(sum), ElementsAre("tile", "n"));
  EXPECT_EQ(sum.evaluate(std::vector<KnobValue>{{1, 7, 10}, {100}}), 170);
}

TEST(KnobExpr, MeansWhatItMeansInCpp) {
  const Handles h;
  const auto value = [](const KnobExpr& expr) { return std::int64_t{expr}; };
  EXPECT_EQ(value(7 - h.n), 2);
  EXPECT_EQ(value((7 - h.n) / 2 * 3 % 2), 1);
  EXPECT_EQ(value(ceil_div(h.n, 2)), 3);
  EXPECT_EQ(value(min(h.n, 2) + max(h.n, 9)), 11);
  EXPECT_EQ(value(select(h.n > 4, h.tile[0], 0)), 4);
  EXPECT_TRUE(h.n >= 5 && h.n <= 5 && h.n == 5 && h.n != 4 && !(h.n < 5) && !(h.n > 5));
  EXPECT_EQ(value(h.n && h.tile[0]), 1) << "not the right side's value";
  const KnobExpr zero = h.n - 5;
  EXPECT_EQ(value(zero == 0 || h.n / zero == 1), 1) << "the right side is not evaluated";
  EXPECT_EQ(value(zero != 0 && h.n / zero == 1), 0);
}

TEST(KnobExpr, RefusesDivisionsWithoutAQuotient) {
  const Handles h;
  const KnobExpr zero = h.n - 5, lowest = zero + std::numeric_limits<std::int64_t>::min();
  for (const KnobExpr& quotient : {h.n / zero, h.n % zero, ceil_div(h.n, zero), lowest / (zero - 1)}) {
    EXPECT_THAT([&] { (void)std::int64_t{quotient}; },
                ::testing::ThrowsMessage<UsageError>(::testing::HasSubstr("divides a knob by 0")));
  }
}

TEST(FirstCandidates, AreThoseOfADiscovery) {
  const std::unique_ptr<Tuning> tuning = first_candidates();
  EXPECT_EQ(std::int64_t{tuning->define_knob("a", {3, 1})}, 3);
  EXPECT_EQ(std::string{tuning->choose("b", {"x", "y"})}, "x");
  EXPECT_THROW(tuning->define_knob("a", {1}), InternalError) << "defined twice";
  EXPECT_THROW(tuning->define_knob("c", {}), InternalError);
}

TEST(KnobExpr, NamesEachKnobOnceInTheOrderOfReading) {
  const Handles h;
  EXPECT_THAT(names(h.n * h.tile.back() < h.tile[0] + h.n), ElementsAre("n", "tile"));
  EXPECT_THAT(names(KnobExpr(1) + 2), ElementsAre());
}

TEST(OptionKnob, IsComparedByName) {
  const OptionKnob order("order", {"rows", "columns"}, 1);
  EXPECT_EQ(std::string(order), "columns");
  EXPECT_TRUE(order == "columns" && order != "rows");
  EXPECT_FALSE(order == "diagonals");
  EXPECT_THAT(names(order == "diagonals"), ElementsAre("order"));
}

TEST(Require, MakesConstraintsOfExpressionsAndOfFunctions) {
  RecordingTuning t([](const std::string&, const std::vector<std::string>&) { return std::size_t{0}; });
  const KnobExpr rows = t.define_knob("rows", {1, 2, 4}), columns = t.define_knob("columns", {8, 16});
  const PartsKnob order = t.define_reorder("order", {{0, 1}, {1, 0}});
  t.require(rows * columns <= 32, "too large");
  t.require(
      values_of(order, columns / rows), [](const KnobValue& o, std::int64_t n) { return o[0] == 1 || n > 4; }, "odd");
  const Branch branch = t.branch();
  ASSERT_EQ(branch.constraints.size(), 2u);
  EXPECT_EQ(branch.constraints[0].reason, "too large");
  EXPECT_THAT(branch.constraints[0].knobs, ElementsAre("rows", "columns"));
  EXPECT_TRUE(branch.constraints[0].holds(std::vector<KnobValue>{{2}, {16}}));
  EXPECT_FALSE(branch.constraints[0].holds(std::vector<KnobValue>{{4}, {16}}));
  EXPECT_THAT(branch.constraints[1].knobs, ElementsAre("order", "columns", "rows"));
  EXPECT_TRUE(branch.constraints[1].holds(std::vector<KnobValue>{{1, 0}, {8}, {4}}));
  EXPECT_FALSE(branch.constraints[1].holds(std::vector<KnobValue>{{0, 1}, {8}, {4}}));
}

TEST(SeedTable, CombinesValues) {
  std::vector<std::string> texts;
  for (const Config& seed : seed_product({{"parallel", {"rows", "none"}}, {"vectors", {4, 2}}})) {
    texts.push_back(seed.str());
  }
  for (const Config& seed : seed_rows({"tile", "lanes"}, {{KnobValue{2, 3}, 1}, {KnobValue{6, 1}, 4}})) {
    texts.push_back(seed.str());
  }
  EXPECT_THAT(texts, ElementsAre("parallel=rows vectors=4", "parallel=rows vectors=2", "parallel=none vectors=4",
                                 "parallel=none vectors=2", "tile=[2,3] lanes=1", "tile=[6,1] lanes=4"));
}

}  // namespace
}  // namespace nestwright
