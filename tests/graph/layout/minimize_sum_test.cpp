// Sums are minimized exactly, or at least no worse than a start.
#include "graph/layout/minimize_sum.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace nestwright {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double sum_of(const std::vector<std::size_t>& values, const std::vector<CostTerm>& terms,
              const std::vector<std::size_t>& assignment) {
  double sum = 0;
  for (const CostTerm& term : terms) {
    std::size_t entry = 0;
    for (const std::size_t v : term.variables) entry = entry * values[v] + assignment[v];
    sum += term.costs[entry];
  }
  return sum;
}

double least_by_trying_all(const std::vector<std::size_t>& values, const std::vector<CostTerm>& terms) {
  double least = kInfinity;
  std::vector<std::size_t> assignment(values.size());
  for (bool has_more = true; has_more;) {
    least = std::min(least, sum_of(values, terms, assignment));
    has_more = false;
    for (std::size_t v = 0; v < values.size() && !has_more; ++v) {
      has_more = ++assignment[v] < values[v];
      if (!has_more) assignment[v] = 0;
    }
  }
  return least;
}

struct RandomSum {
  std::vector<std::size_t> values;
  std::vector<CostTerm> terms;
};

/// Terms of up to three of `count` variables.
RandomSum random_sum(std::mt19937& generator, std::size_t count, std::size_t terms) {
  RandomSum sum;
  std::uniform_real_distribution<double> costs(0, 1);
  for (std::size_t v = 0; v < count; ++v) sum.values.push_back(1 + generator() % 3);
  for (std::size_t t = 0; t < terms; ++t) {
    CostTerm term;
    std::size_t size = 1;
    for (std::size_t v = generator() % count; v < count && term.variables.size() < 3; v += 1 + generator() % 3) {
      term.variables.push_back(v);
      size *= sum.values[v];
    }
    for (std::size_t i = 0; i < size; ++i) term.costs.push_back(generator() % 8 == 0 ? kInfinity : costs(generator));
    sum.terms.push_back(std::move(term));
  }
  return sum;
}

TEST(MinimizeSum, IsExact) {
  std::mt19937 generator(1);
  for (int sample = 0; sample < 200; ++sample) {
    const auto [values, terms] = random_sum(generator, 1 + generator() % 9, generator() % 16);
    const Minimum minimum = minimize_sum(values, terms, std::vector<std::size_t>(values.size()));
    EXPECT_TRUE(minimum.is_exact);
    const double least = least_by_trying_all(values, terms);
    if (least == kInfinity) {
      EXPECT_EQ(minimum.cost, kInfinity);
      continue;
    }
    EXPECT_NEAR(minimum.cost, least, 1e-9);
    EXPECT_NEAR(sum_of(values, terms, minimum.values), least, 1e-9);
  }
}

TEST(MinimizeSum, SmallTablesAreNoWorseThanTheStart) {
  std::mt19937 generator(2);
  bool was_approximate = false;
  for (int sample = 0; sample < 50; ++sample) {
    const auto [values, terms] = random_sum(generator, 9, 24);
    std::vector<std::size_t> start;
    for (const std::size_t count : values) start.push_back(generator() % count);
    const Minimum minimum = minimize_sum(values, terms, start, 6);
    was_approximate = was_approximate || !minimum.is_exact;
    EXPECT_LE(minimum.cost, sum_of(values, terms, start) + 1e-9);
    EXPECT_GE(minimum.cost, least_by_trying_all(values, terms) - 1e-9);
    if (minimum.cost < kInfinity) EXPECT_NEAR(sum_of(values, terms, minimum.values), minimum.cost, 1e-9);
  }
  EXPECT_TRUE(was_approximate);
}

TEST(MinimizeSum, OfEqualCostsTheSmallValuesAreTaken) {
  const Minimum minimum = minimize_sum({3, 2}, {{{0, 1}, std::vector<double>(6, 1)}}, {2, 1});
  EXPECT_EQ(minimum.values, (std::vector<std::size_t>{0, 0}));
}

TEST(MinimizeSum, ALongLadderTakesSmallTables) {
  // Each variable shares terms with the two before it: tables of 3^3 entries, where trying all would take 3^2000.
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> costs(0, 1);
  std::vector<CostTerm> terms;
  for (std::size_t v = 2; v < 2000; ++v) {
    CostTerm term{.variables = {v - 2, v - 1, v}, .costs = {}};
    for (int i = 0; i < 27; ++i) term.costs.push_back(costs(generator));
    terms.push_back(std::move(term));
  }
  EXPECT_TRUE(minimize_sum(std::vector<std::size_t>(2000, 3), terms, std::vector<std::size_t>(2000), 27).is_exact);
}

}  // namespace
}  // namespace nestwright
