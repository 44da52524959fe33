// Rows of the reports of bench/figures.
#include "bench/figures/report/report.h"

#include <gtest/gtest.h>

namespace nestwright::bench {
namespace {

TEST(FigureReport, RowsAreHeldAgainstTheirBar) {
  EXPECT_EQ(row_at_most("a", 0.05, 0.05, "%").met, true);
  EXPECT_EQ(row_at_most("a", 0.051, 0.05, "%").met, false);
  EXPECT_EQ(row_at_least("a", 20, 20).met, true);
  EXPECT_EQ(row_at_least("a", 19.9, 20).met, false);
  EXPECT_EQ(row_of("a", 1).met, std::nullopt);
}

TEST(FigureReport, TableShowsTheBarBesideTheFigure) {
  EXPECT_EQ(to_text({row_at_most("told apart", 0.035, 0.05, "%"), row_of("b", 1.5), row_at_most("c", 7, 5, "s")}),
            "told apart    3.5%  at most 5%   met\n"
            "b             1.50\n"
            "c           7.00 s  at most 5 s  MISSED\n");
}

TEST(FigureReport, DocumentHasEverything) {
  const FigureReport report{"equal", {{"races", 4}}, {row_at_most("a", 1, 2), row_of("b", 3)}, {{"none", {1, 2}}}};
  EXPECT_EQ(to_json(report), nlohmann::json::parse(R"({"figure": "equal", "conditions": {"races": 4},
      "rows": [{"what": "a", "value": "1.00", "bar": "at most 2", "met": true}, {"what": "b", "value": "3.00"}],
      "details": {"none": [1, 2]}})"));
}

}  // namespace
}  // namespace nestwright::bench
