#include "reference/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "tests/reference/text_with_reference.h"

namespace nestwright {
namespace {

using ::testing::AnyOf;

std::vector<double> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values;
  for (std::size_t n = 0; n < count; ++n) values.push_back(std::uniform_real_distribution<double>(-1, 1)(random));
  return values;
}

/// Computes C[i, j] = sum(k, A[i, k] * B) for 5 rows and 33 terms, where `read_b` reads B at k and j. Expects that each
/// element is the sum of its terms in their order.
void expect_order(std::size_t columns, const Tensor& b, const std::function<Expr(Expr k, Expr j)>& read_b,
                  const std::function<std::size_t(std::size_t k, std::size_t j)>& offset_in_b) {
  const auto n = static_cast<std::int64_t>(columns);
  const Tensor a = placeholder({5, 33}, kFloat64, "A");
  const IterVar k = reduce_axis(33, "k");
  const Tensor c = compute({5, n}, [&](Expr i, Expr j) { return sum(a(i, k) * read_b(k, j), k); }, "C");
  const std::vector<double> of_a = random_values(5 * 33, 1), of_b = random_values(33 * columns, 2);
  for (const Parts parts : {Parts::kValues, Parts::kValuesAndBounds}) {
    Evaluation evaluation({{a, b, c}, 2}, {of_a, of_b}, Rounding::kWritten, parts);
    evaluation.run(1);
    ASSERT_TRUE(evaluation.is_whole(c.op()));
    const std::vector<double> computed = doubles_of(evaluation[c].value);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        double fused = 0, rounded = 0;  // with FMA instructions and without
        for (std::size_t term = 0; term < 33; ++term) {
          const double factor = of_b[offset_in_b(term, j)];
          fused = std::fma(of_a[i * 33 + term], factor, fused);
          const double product = of_a[i * 33 + term] * factor;
          rounded += product;
        }
        EXPECT_THAT(computed[i * columns + j], AnyOf(fused, rounded)) << i << ", " << j << ": terms in another order";
      }
    }
  }
}

// Neighbouring columns are read side by side. 150 are two runs and a part of a third, and 3 are fewer than a vector has
// lanes.
TEST(Evaluation, AddsTheTermsOfEachElementInOrder) {
  for (const std::size_t columns : {150, 64, 13, 3}) {
    const Tensor b = placeholder({33, static_cast<std::int64_t>(columns)}, kFloat64, "B");
    expect_order(
        columns, b, [&](const Expr& k, const Expr& j) { return b(k, j); },
        [&](std::size_t k, std::size_t j) { return k * columns + j; });
  }
}

// The terms of a column lie side by side: a vector has one of each column.
TEST(Evaluation, AddsTheTermsInOrderWhereColumnsAreDistant) {
  for (const std::size_t columns : {150, 16, 3}) {
    const Tensor b = placeholder({static_cast<std::int64_t>(columns), 33}, kFloat64, "B");
    expect_order(
        columns, b, [&](const Expr& k, const Expr& j) { return b(j, k); },
        [](std::size_t k, std::size_t j) { return j * 33 + k; });
  }
}

/// The definition of a text, evaluated for so many seconds.
struct Evaluated {
  TextWithReference text;
  Evaluation evaluation;

  Evaluated(const std::string& expression, double seconds)
      : text(expression), evaluation(text.definition, text.inputs, Rounding::kWritten, Parts::kValuesAndBounds) {
    evaluation.run(seconds);
  }
  /// For each run of a result's operation whether it is computed.
  const std::vector<char>& computed(const Tensor& tensor) const { return evaluation.computed_runs(tensor.op()); }
};

constexpr const char* kLongSums = "C[i, j] = sum(k, X[k, i] * W[k, j]) i=70 j=50 k=20000";

TEST(Evaluation, ComputesCornersFirstAndOthersAsLongAsTimeLasts) {
  const Evaluated none(kLongSums, 0);
  const Tensor c = none.text.definition.args.back();
  const Runs& runs = none.evaluation.runs(c.op());
  std::int64_t computed = 0;
  for (const char is_computed : none.computed(c)) computed += is_computed;
  EXPECT_GE(computed * runs.length(), 16);
  EXPECT_LT(computed, runs.count() / 2);
  for (const std::int64_t i : {0, 69}) {
    for (const std::int64_t j : {0, 49}) {
      const std::vector<std::int64_t> corner{i, j};
      EXPECT_EQ(none.computed(c)[static_cast<std::size_t>(runs.run_of(corner))], 1) << i << ", " << j;
    }
  }
  const Evaluated whole(kLongSums, 60);
  EXPECT_TRUE(whole.evaluation.is_whole(whole.text.definition.args.back().op()));
}

TEST(Evaluation, ComputesOfOtherTensorsWhatIsRead) {
  // Rows of scores, their maxima and their sums: each element of O reads one row of each.
  const std::string attention =
      "S[i, j] = sum(k, Q[i, k] * K[j, k]); M[i] = max(j, S[i, j]); E[i, j] = exp(S[i, j] - M[i]);"
      "D[i] = sum(j, E[i, j]); O[i, d] = sum(j, E[i, j] / D[i] * V[j, d]) i=400 j=400 k=80 d=80";
  const Evaluated some(attention, 0), all(attention, 60);
  const Tensor o = some.text.definition.args.back(), whole_o = all.text.definition.args.back();
  ASSERT_TRUE(all.evaluation.is_whole(whole_o.op()));
  const std::vector<double> value = doubles_of(some.evaluation[o].value), bound = doubles_of(*some.evaluation[o].bound),
                            whole_value = doubles_of(all.evaluation[whole_o].value),
                            integer_bound = doubles_of(*all.evaluation[whole_o].bound);
  int known = 0;
  for (std::size_t e = 0; e < value.size(); ++e) {
    if (std::isnan(value[e])) continue;
    ++known;
    EXPECT_EQ(value[e], whole_value[e]) << e;
    EXPECT_EQ(bound[e], integer_bound[e]) << e;
  }
  EXPECT_GE(known, 16);
  EXPECT_LT(known, 400 * 80 / 2);
  const Operation scores = some.evaluation.operations().front();
  EXPECT_FALSE(some.evaluation.is_whole(scores));
  EXPECT_EQ(scores->results.front()->name, "S");
}

TEST(Evaluation, OfPaddedReadsIsThatOfTheWhole) {
  const std::string gradient =
      "G[o, c, r, s] = sum(n, y, x, D[n, o, y, x] * X[n, c, y + r - 1, x + s - 1]?0);"
      "D: float32[5, 12, 40, 40]; X: float32[5, 20, 40, 40] r=3 s=3";
  const Evaluated some(gradient, 0), all(gradient, 60);
  const std::vector<double> value = doubles_of(some.evaluation[some.text.definition.args.back()].value),
                            whole = doubles_of(all.evaluation[all.text.definition.args.back()].value);
  std::size_t known = 0;
  for (std::size_t e = 0; e < value.size(); ++e) {
    EXPECT_FALSE(std::isnan(whole[e])) << e;
    if (std::isnan(value[e])) continue;
    ++known;
    EXPECT_EQ(value[e], whole[e]) << e;
  }
  EXPECT_GE(known, 16U);
}

TEST(Runs, CoverATensor) {
  for (const auto& [dimension, length] : {std::pair<std::size_t, std::int64_t>{0, 2}, {1, 4}, {2, 3}}) {
    const Runs runs({5, 10, 3}, dimension, length);
    std::vector<int> covered(150);
    for (std::int64_t run = 0; run < runs.count(); ++run) {
      std::vector<std::int64_t> first(3);
      runs.first_of(run, first);
      EXPECT_EQ(runs.offset_of(run), (first[0] * 10 + first[1]) * 3 + first[2]);
      for (std::int64_t e = 0; e < length; ++e)
        ++covered.at(static_cast<std::size_t>(runs.offset_of(run) + e * runs.stride()));
    }
    EXPECT_EQ(std::count(covered.begin(), covered.end(), 0), 0) << dimension;
  }
}

TEST(Runs, OfABoxAreMarked) {
  const Runs runs({5, 10}, 1, 4);  // columns 0..3 of five rows, 4..7, and 6..9
  std::vector<char> marks(static_cast<std::size_t>(runs.count()));
  const std::vector<ir::Interval> box{{1, 2}, {3, 4}};
  runs.mark_box(box, marks);
  EXPECT_EQ(marks, (std::vector<char>{0, 1, 1, 0, 0, /**/ 0, 1, 1, 0, 0, /**/ 0, 0, 0, 0, 0}));
  const std::vector<ir::Interval> corner{{4, 4}, {9, 9}};
  runs.mark_box(corner, marks);
  EXPECT_EQ(marks.back(), 1);
}

}  // namespace
}  // namespace nestwright
