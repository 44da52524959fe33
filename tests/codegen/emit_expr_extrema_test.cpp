// The least and the greatest of numbers and NaN, by the interpreter and compiled: NaN loses in every order and place.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "nestwright/lower.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kRows = 40, kColumns = 37;  // neither is a multiple of a vector

/// Where a row has its NaNs: at the ends and the middle of vectors, in tails, at several places, nowhere, everywhere.
std::vector<std::int64_t> places_of_nan(std::int64_t row) {
  if (row == kRows - 1) {
    std::vector<std::int64_t> all(kColumns);
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return all;
  }
  constexpr std::int64_t kPlaces[] = {0, 1, 7, 8, 15, 16, 31, 32, 35, 36};
  if (row % 4 == 3) return {};
  const std::int64_t place = kPlaces[row % 10];
  return row % 4 == 2 ? std::vector<std::int64_t>{place, (place + 5) % kColumns} : std::vector<std::int64_t>{place};
}

double element(std::int64_t row, std::int64_t column) {
  for (const std::int64_t place : places_of_nan(row)) {
    if (place == column) return kNaN;
  }
  return static_cast<double>((row * 29 + column * 17) % 53) - 26;
}

void set(Array& array, std::int64_t i, double value) {
  ir::write_element(array.type(), ir::float_scalar(value),
                    static_cast<std::byte*>(array.data()) + i * array.type().bytes());
}

double get(const Array& array, std::int64_t i) {
  return ir::read_element(array.type(), static_cast<const std::byte*>(array.data()) + i * array.type().bytes()).f;
}

Array matrix(Type type) {
  Array a = Array::empty(type, {kRows, kColumns});
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) set(a, i, element(i / kColumns, i % kColumns));
  return a;
}

/// Runs the program of `schedule` with the interpreter and on every instruction set, and expects `values` each time.
void expect_results(const Schedule& schedule, const Tensor& input, const Tensor& output,
                    const std::vector<double>& values, const std::string& what) {
  const auto expect = [&](const Array& result, const std::string& by) {
    for (std::int64_t i = 0; i < result.elements(); ++i) {
      const double got = get(result, i), expected = values[static_cast<std::size_t>(i)];
      ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)))
          << what << " of " << input.dtype().str() << " by " << by << ": element " << i << " is " << got << ", not "
          << expected;
    }
  };
  for (const CpuIsa isa : runnable_isas()) {
    const ir::Program program = lower(schedule, {input, output}, target_of(isa), "f");
    std::vector<Array> arrays;
    arrays.push_back(matrix(input.dtype()));
    arrays.push_back(Array::empty(output.dtype(), ir::constants_of(output.shape())));
    std::vector<Array> compiled = copies(arrays);
    run_interpreted(program, arrays);
    expect(arrays[1], "the interpreter");
    for (const Pipeline pipeline : {Pipeline::kSearch, Pipeline::kFinal}) {
      CompileOptions options;
      options.pipeline = pipeline;
      compiled[1].fill_bytes(0);
      ASSERT_EQ(
          run_compiled(link(compile(program, target_of(isa), options), make_pool(PoolKind::kSerial, 1)), compiled), 0);
      expect(compiled[1], "instruction set " + std::to_string(static_cast<int>(isa)));
    }
  }
}

class Extrema : public ::testing::TestWithParam<Type> {
 protected:
  const Tensor a_ = placeholder({kRows, kColumns}, GetParam(), "A");
};

TEST_P(Extrema, AreTheOtherOperandWhereOneIsNaN) {
  const Expr zero = ir::make_const(0, GetParam()), low = ir::make_const(-3, GetParam());
  const Expr high = ir::make_const(5, GetParam());
  struct Case {
    std::string name;
    std::function<Expr(Expr x, Expr y)> f;  // y is the last element of the row
    std::function<double(double x, double y)> expected;
  };
  const std::vector<Case> cases{
      {"max(x, 0)", [&](Expr x, Expr) { return max(x, zero); }, [](double x, double) { return std::fmax(x, 0); }},
      {"max(0, x)", [&](Expr x, Expr) { return max(zero, x); }, [](double x, double) { return std::fmax(x, 0); }},
      {"min(x, -3)", [&](Expr x, Expr) { return min(x, low); }, [](double x, double) { return std::fmin(x, -3); }},
      {"min(-3, x)", [&](Expr x, Expr) { return min(low, x); }, [](double x, double) { return std::fmin(x, -3); }},
      {"clamp(x, -3, 5)", [&](Expr x, Expr) { return clamp(x, low, high); },
       [](double x, double) { return std::fmin(5, std::fmax(-3, x)); }},
      {"max(x, y)", [](Expr x, Expr y) { return max(x, y); }, [](double x, double y) { return std::fmax(x, y); }},
      {"min(y, x)", [](Expr x, Expr y) { return min(y, x); }, [](double x, double y) { return std::fmin(x, y); }},
      {"max(x, y) + min(x, y)", [](Expr x, Expr y) { return max(x, y) + min(x, y); },
       [](double x, double y) { return std::fmax(x, y) + std::fmin(x, y); }},
  };
  for (const Case& c : cases) {
    const Tensor b =
        compute({kRows, kColumns}, [&](Expr i, Expr j) { return c.f(a_(i, j), a_(i, kColumns - 1)); }, "B");
    std::vector<double> expected;
    for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
      expected.push_back(c.expected(element(i / kColumns, i % kColumns), element(i / kColumns, kColumns - 1)));
    }
    const Schedule scalar = create_schedule(b);
    expect_results(scalar, a_, b, expected, c.name);
    Schedule vectors = create_schedule(b);
    vectors[b].vectorize(vectors[b].split(vectors[b].axis(1), factor(16)).second);
    expect_results(vectors, a_, b, expected, c.name + " in vectors");
  }
}

TEST_P(Extrema, OfRowsPassOverNaNWhereverItIs) {
  for (const bool is_max : {true, false}) {
    const IterVar k = reduce_axis(kColumns, "k");
    const Tensor b = compute({kRows}, [&](Expr i) { return is_max ? max(a_(i, k), k) : min(a_(i, k), k); }, "B");
    std::vector<double> expected;
    for (std::int64_t i = 0; i < kRows; ++i) {
      double extremum = is_max ? -kInfinity : kInfinity;
      for (std::int64_t j = 0; j < kColumns; ++j) {
        extremum = is_max ? std::fmax(extremum, element(i, j)) : std::fmin(extremum, element(i, j));
      }
      expected.push_back(extremum);
    }
    const std::string what = is_max ? "the greatest" : "the least";
    expect_results(create_schedule(b), a_, b, expected, what);
    Schedule columns = create_schedule(b);
    columns[b].vectorize(columns[b].split(columns[b].axis(0), factor(16)).second);
    expect_results(columns, a_, b, expected, what + " of rows side by side");
    Schedule partial = create_schedule(b);
    const Tensor p = partial.rfactor(b, partial[b].split(k, factor(8)).second, 1);
    partial[p].reorder({partial[p].axis(0), partial[p].reduce_axis(0), partial[p].axis(1)});
    partial[p].vectorize(partial[p].axis(1));
    expect_results(partial, a_, b, expected, what + " of partial results in vectors");
    Schedule blocks = create_schedule(b);
    blocks.rfactor(b, blocks[b].split(k, nparts(4)).first, 0);
    expect_results(blocks, a_, b, expected, what + " of blocks");
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Extrema, ::testing::Values(kFloat32, kFloat64, kFloat16, kBFloat16),
                         [](const auto& test) { return test.param.str(); });

}  // namespace
}  // namespace nestwright::testing
