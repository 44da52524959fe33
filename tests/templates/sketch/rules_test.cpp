// What each rule of a generated space makes: the example of its header as printed loops, held against the file of its
// name under rules/. A file opens with the configuration.
#include "templates/sketch/rules.h"

#include <gtest/gtest.h>

#include "nestwright/reduction.h"
#include "tests/support/cpu_target.h"
#include "tests/templates/sketch/rule_example.h"

namespace nestwright {
namespace {

using testing_sketch::centred_rows;
using testing_sketch::expect_examples_on_file;
using testing_sketch::RuleExample;
using testing_sketch::running_sums;
using testing_sketch::sums_of_rows;
using testing_sketch::transposed;

std::vector<Tensor> inlined() {
  const Tensor a = placeholder({40}, kFloat32, "A");
  const Tensor t = compute({40}, [&](Expr i) { return a(i) + 1.0; }, "T");
  return {a, compute({40}, [&](Expr i) { return t(i) * 2.0; }, "C")};
}

std::vector<Tensor> product() {
  const Tensor a = placeholder({28, 40}, kFloat32, "A"), b = placeholder({40, 64}, kFloat32, "B");
  const IterVar k = reduce_axis(40, "k");
  const Tensor c = compute({28, 64}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  return {a, b, compute({28, 64}, [&](Expr i, Expr j) { return max(c(i, j), 0.0); }, "D")};
}

/// Attention of 3 heads of 16 elements, 24 tokens.
std::vector<Tensor> attention() {
  const Tensor q = placeholder({3, 24, 16}, kFloat32, "Q"), k = placeholder({3, 24, 16}, kFloat32, "K"),
               v = placeholder({3, 24, 16}, kFloat32, "V");
  const IterVar d = reduce_axis(16, "d"), j = reduce_axis(24, "j"), n = reduce_axis(24, "n"), m = reduce_axis(24, "m");
  const Tensor s = compute({3, 24, 24}, [&](Expr h, Expr i, Expr t) { return sum(q(h, i, d) * k(h, t, d), d); }, "S");
  const Tensor largest = compute({3, 24}, [&](Expr h, Expr i) { return max(s(h, i, n), n); }, "M");
  const Tensor e = compute({3, 24, 24}, [&](Expr h, Expr i, Expr t) { return exp(s(h, i, t) - largest(h, i)); }, "E");
  const Tensor total = compute({3, 24}, [&](Expr h, Expr i) { return sum(e(h, i, m), m); }, "T");
  const Tensor p = compute({3, 24, 24}, [&](Expr h, Expr i, Expr t) { return e(h, i, t) / total(h, i); }, "P");
  return {q, k, v, compute({3, 24, 16}, [&](Expr h, Expr i, Expr c) { return sum(p(h, i, j) * v(h, j, c), j); }, "O")};
}

std::vector<Tensor> padded() {
  const Tensor a = placeholder({8, 30}, kFloat32, "A"), w = placeholder({16, 8, 3}, kFloat32, "W");
  const Tensor p = compute({8, 32}, [&](Expr c, Expr x) { return select(x >= 1 && x < 31, a(c, x - 1), 0.0); }, "P");
  const IterVar c = reduce_axis(8, "c"), r = reduce_axis(3, "r");
  return {a, w, compute({16, 30}, [&](Expr f, Expr x) { return sum(p(c, x + r) * w(f, c, r), {c, r}); }, "C")};
}

std::vector<Tensor> filters() {
  const Tensor a = placeholder({16, 12}, kFloat32, "A"), w = placeholder({24, 16, 3}, kFloat32, "W");
  const IterVar c = reduce_axis(16, "c"), r = reduce_axis(3, "r");
  return {a, w, compute({24, 10}, [&](Expr f, Expr x) { return sum(a(c, x + r) * w(f, c, r), {c, r}); }, "C")};
}

std::vector<Tensor> padded_filters() {
  const Tensor a = placeholder({16, 10}, kFloat32, "A"), w = placeholder({24, 16, 3}, kFloat32, "W");
  const Tensor p = compute({16, 12}, [&](Expr c, Expr x) { return select(x >= 1 && x < 11, a(c, x - 1), 0.0); }, "P");
  const IterVar c = reduce_axis(16, "c"), r = reduce_axis(3, "r");
  return {a, w, compute({24, 10}, [&](Expr f, Expr x) { return sum(p(c, x + r) * w(f, c, r), {c, r}); }, "C")};
}

std::vector<Tensor> total() {
  const Tensor a = placeholder({512}, kFloat32, "A");
  const IterVar k = reduce_axis(512, "k");
  return {a, compute({}, [&] { return sum(a(k), k); }, "y")};
}

std::vector<Tensor> column_sums() {
  const Tensor a = placeholder({24, 96}, kFloat32, "A");
  const IterVar k = reduce_axis(24, "k");
  return {a, compute({96}, [&](Expr j) { return sum(a(k, j), k); }, "y")};
}

/// More than the second-level cache holds.
std::vector<Tensor> long_rows() {
  const Tensor a = placeholder({2048, 1024}, kFloat32, "A");
  const IterVar k = reduce_axis(1024, "k");
  return {a, compute({2048}, [&](Expr i) { return sum(a(i, k), k); }, "y")};
}

/// Few results of long sums, which are no products.
std::vector<Tensor> distances() {
  const Tensor a = placeholder({2048, 4}, kFloat32, "A"), b = placeholder({2048, 16}, kFloat32, "B");
  const IterVar k = reduce_axis(2048, "k");
  return {a, b, compute({4, 16}, [&](Expr i, Expr j) { return sum(abs(a(k, i) - b(k, j)), k); }, "D")};
}

/// A row of numbers of four bits, two in a byte.
std::vector<Tensor> packed_numbers() {
  const Tensor x = placeholder({128}, kFloat32, "X"), q = placeholder({6, 64}, kUInt8, "Q");
  const IterVar k = reduce_axis(128, "k");
  const auto number = [&](Expr i) { return cast(kFloat32, (q(i, k / 2) >> cast(kUInt8, k % 2 * 4)) & 15); };
  return {x, q, compute({6}, [&](Expr i) { return sum(x(k) * number(i), k); }, "y")};
}

std::vector<Tensor> few_exponentials() {
  const Tensor x = placeholder({32}, kFloat32, "X");
  return {x, compute({32}, [&](Expr i) { return exp(x(i)); }, "Y")};
}

/// The index of the largest element; of equal ones the first.
Tensor largest_of(const Tensor& a, std::int64_t columns, const std::vector<Expr>& shape) {
  const IterVar k = reduce_axis(columns, "k");
  const Reducer argmax("argmax", {Expr(columns - 1), min_value(kFloat32)},
                       [](std::span<const Expr> x, std::span<const Expr> y) {
                         const Expr takes_x = x[1] > y[1] || (x[1] == y[1] && x[0] < y[0]);
                         return std::vector<Expr>{select(takes_x, x[0], y[0]), select(takes_x, x[1], y[1])};
                       });
  const std::vector<Tensor> best = compute_tuple(
      shape,
      [&](std::span<const Expr> i) {
        std::vector<Expr> at(i.begin(), i.end());
        at.emplace_back(k);
        return argmax({k, a.at(at)}, {k});
      },
      "best");
  return compute(shape, [&](std::span<const Expr> i) { return best[0](i); }, "C");
}

std::vector<Tensor> weighted_rows() {
  const Tensor a = placeholder({6, 64}, kFloat32, "A"), w = placeholder({64}, kFloat32, "W");
  const IterVar k = reduce_axis(64, "k");
  return {a, w, compute({6}, [&](Expr i) { return sum(a(i, k) * w(k), k); }, "y")};
}

std::vector<Tensor> tuple_rows() {
  const Tensor a = placeholder({6, 64}, kFloat32, "A");
  return {a, largest_of(a, 64, {6})};
}

std::vector<Tensor> tuple_value() {
  const Tensor a = placeholder({512}, kFloat32, "A");
  return {a, largest_of(a, 512, {})};
}

std::vector<Tensor> centred_columns() {
  const Tensor a = placeholder({20, 96}, kFloat32, "A");
  const IterVar k = reduce_axis(20, "k");
  const Tensor m = compute({96}, [&](Expr j) { return max(a(k, j), k); }, "m");
  return {a, compute({20, 96}, [&](Expr i, Expr j) { return a(i, j) - m(j); }, "C")};
}

/// A convolution with filters of one point, on planes of 7 x 7.
std::vector<Tensor> pointwise_filters() {
  const Tensor x = placeholder({16, 7, 7}, kFloat32, "X"), w = placeholder({8, 16}, kFloat32, "W");
  const IterVar c = reduce_axis(16, "c");
  return {x, w, compute({8, 7, 7}, [&](Expr o, Expr i, Expr j) { return sum(w(o, c) * x(c, i, j), c); }, "O")};
}

class GeneratedRules : public ::testing::TestWithParam<RuleExample> {};

TEST_P(GeneratedRules, MakeTheLoopsOnFile) {
  expect_loops_on_file(sketch_cpu_template(), GetParam(), cpu_target(CpuIsa::kAvx512, 2),
                       "tests/templates/sketch/rules/");
}

INSTANTIATE_TEST_SUITE_P(
    Rules, GeneratedRules,
    ::testing::Values(
        RuleExample{"inline_cheap", "parallel=none C.vectors=2", inlined},
        RuleExample{"column_sums", "parallel=loops y.share=columns y.reduction=blocked y.vectors=1 y.rows_together=8",
                    column_sums},
        RuleExample{"column_blocks", "parallel=loops C.order=columns C.vectors=2 C.blocks=2 m.rows_together=4",
                    centred_columns},
        RuleExample{"join_columns", "parallel=none C.order=columns C.vectors=1 m.rows_together=1", centred_columns},
        RuleExample{"register_tile",
                    "parallel=loops C.register_rows=14 "
                    "C.register_vectors=2 C.row_blocks=2 C.unroll_k=4 C.pack_vectors=no",
                    product},
        RuleExample{"register_tile_of_filters",
                    "parallel=none C.vectors_along=axis0 C.vector_lanes=16 C.register_rows=10 "
                    "C.register_vectors=1 C.pack_vectors=block",
                    filters},
        RuleExample{"transposed_tile", "parallel=loops C.share=rows C.tile=16 C.row_tiles=1 C.column_tiles=2",
                    transposed},
        RuleExample{"inline_padding",
                    "parallel=none P.values=again C.vectors_along=axis0 C.vector_lanes=16 C.register_rows=10 "
                    "C.register_vectors=1 C.pack_vectors=block",
                    padded_filters},
        RuleExample{"prepare_constants", "parallel=none y.vectors=2", weighted_rows, {1}},
        RuleExample{"join_rows", "parallel=loops C.vectors=2 m.vectors=2", centred_rows},
        RuleExample{
            "join_blocks",
            "parallel=loops P.at=chain O.register_rows=6 O.row_blocks=2 O.register_vectors=1 "
            "S.register_rows=6 S.register_vectors=2 M.vectors=1 E.vectors=1 T.vectors=1 P.vectors=1 S.unroll_k=1 "
            "O.unroll_k=1",
            attention},
        RuleExample{"join_tiles",
                    "parallel=none P.values=stored P.at=block C.register_rows=6 "
                    "C.unroll_k=3",
                    padded},
        RuleExample{"single_value", "parallel=loops y.blocks=4 y.vectors=2", total},
        RuleExample{"scan_part", "parallel=loops update.vectors=2 update.blocks=2", running_sums},
        RuleExample{"rows_of_tuples", "parallel=loops best.share=results best.vectors=1", tuple_rows},
        RuleExample{"single_tuple", "parallel=loops best.vectors=1 best.blocks=2", tuple_value},
        RuleExample{"merge_axes", "parallel=none O.register_rows=4 O.register_vectors=1", pointwise_filters},
        RuleExample{"unroll_phases", "parallel=none y.vectors=1", packed_numbers},
        RuleExample{"divide_sums", "parallel=loops D.parts=2 D.rf.register_rows=4", distances},
        RuleExample{"polynomials", "parallel=none Y.vectors=1 Y.polynomials=estrin", few_exponentials},
        RuleExample{"row_streams", "streams=four parallel=loops y.far.vectors=2 y.far.blocks=4", long_rows},
        RuleExample{"rows", "parallel=loops y.vectors=2 y.blocks=4", sums_of_rows}),
    [](const auto& p) { return std::string(p.param.rule); });

TEST(GeneratedRulesTable, HasAnExampleOfEachRule) {
  expect_examples_on_file(cpu_rules().names(), "tests/templates/sketch/rules/");
}

}  // namespace
}  // namespace nestwright
