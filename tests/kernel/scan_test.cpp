// Compiled recurrent cells: a product as a stage of the step, two states, under many schedules, compared with plain
// loops. Extents and strides of the results are symbols or constants.
#include "nestwright/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "nestwright/build.h"
#include "nestwright/expr.h"
#include "tests/kernel/matrix.h"

namespace nestwright {
namespace {

struct Sizes {
  std::int64_t steps, width, depth;
};

/// Small numbers that keep tanh away from saturation.
void fill(Matrix& matrix, std::int64_t seed) {
  matrix.fill(
      [&](std::int64_t i, std::int64_t j) { return static_cast<float>((i * 7 + j * 5 + i * j + seed) % 17 - 8) / 32; });
}

/// h[t] = tanh(W h[t-1] + U x[t]) and c[t] = c[t-1]/2 - c[t-2]/4 + h[t]; the first two rows of both are given.
struct Cell {
  explicit Cell(const Sizes* sizes = nullptr)
      : T(sizes ? Expr(sizes->steps) : Expr(var("T"))),
        n(sizes ? Expr(sizes->width) : Expr(var("n"))),
        d(sizes ? Expr(sizes->depth) : Expr(var("d"))),
        is_symbolic(sizes == nullptr) {}

  Expr T, n, d;
  bool is_symbolic;
  Tensor X = placeholder({T, d}, kFloat32, "X"), W = placeholder({n, n}, kFloat32, "W");
  Tensor U = placeholder({n, d}, kFloat32, "U");
  Tensor H = placeholder({T, n}, kFloat32, "H"), C = placeholder({T, n}, kFloat32, "C");
  IterVar k = reduce_axis(n, "k"), l = reduce_axis(d, "l");
  Tensor h_first = compute({2, n}, [&](Expr t, Expr) { return X(t, 0) * 0.5; }, "h_first");
  Tensor c_first = compute({2, n}, [&](Expr t, Expr i) { return cast(kFloat32, t * 2 + i % 3); }, "c_first");
  Tensor Wh = compute({T, n}, [&](Expr t, Expr i) { return sum(W(i, k) * H(t - 1, k), k); }, "Wh");
  Tensor Ux = compute({T, n}, [&](Expr t, Expr i) { return sum(U(i, l) * X(t, l), l); }, "Ux");
  Tensor h = compute({T, n}, [&](Expr t, Expr i) { return ir::tanh(Wh(t, i) + Ux(t, i)); }, "h");
  Tensor c = compute({T, n}, [&](Expr t, Expr i) { return C(t - 1, i) * 0.5 - C(t - 2, i) * 0.25 + h(t, i); }, "c");
  std::vector<Tensor> Y = scan(std::vector{h_first, c_first}, {h, c}, {H, C}, {X, W, U}, "Y");
  Schedule s = create_schedule(Y);

  Function function(std::int64_t h_pitch = 0, std::int64_t c_pitch = 0) const {
    const Expr h_row = is_symbolic ? Expr(var("h_row")) : Expr(h_pitch);
    const Expr c_row = is_symbolic ? Expr(var("c_row")) : Expr(c_pitch);
    Target target = Target::host();
    target.threads = 2;
    return build(s, {X, W, U, strided(Y[0], {h_row, 1}), strided(Y[1], {c_row, 1})}, target, "cell");
  }
};

void expect_cell(const Function& cell, const Sizes& sizes, std::int64_t h_pitch, std::int64_t c_pitch,
                 const std::string& what) {
  const auto [steps, width, depth] = sizes;
  Matrix x(steps, depth, depth), w(width, width, width), u(width, depth, depth);
  fill(x, 1), fill(w, 2), fill(u, 3);
  Matrix h(steps, width, h_pitch), c(steps, width, c_pitch);
  cell(x.view(), w.view(), u.view(), h.view(), c.view());
  std::vector<std::vector<double>> hs, cs;
  for (std::int64_t t = 0; t < steps; ++t) {
    std::vector<double> next_h, next_c;
    for (std::int64_t i = 0; i < width; ++i) {
      double value = x.at(t, 0) * 0.5, other = static_cast<double>(t * 2 + i % 3);
      if (t >= 2) {
        double total = 0;
        for (std::int64_t j = 0; j < width; ++j) total += double{w.at(i, j)} * hs.back()[static_cast<std::size_t>(j)];
        for (std::int64_t j = 0; j < depth; ++j) total += double{u.at(i, j)} * x.at(t, j);
        value = std::tanh(total);
        const auto at = static_cast<std::size_t>(i);
        other = cs[cs.size() - 1][at] * 0.5 - cs[cs.size() - 2][at] * 0.25 + value;
      }
      ASSERT_NEAR(h.at(t, i), value, 2e-6) << what << ": h " << t << ", " << i << " of " << steps << "x" << width;
      ASSERT_NEAR(c.at(t, i), other, 1e-5) << what << ": c " << t << ", " << i << " of " << steps << "x" << width;
      next_h.push_back(value);
      next_c.push_back(other);
    }
    hs.push_back(std::move(next_h));
    cs.push_back(std::move(next_c));
  }
  ASSERT_TRUE(h.gaps_intact()) << what << ": between the rows of h";
  ASSERT_TRUE(c.gaps_intact()) << what << ": between the rows of c";
}

using Scheduling = std::function<void(Cell&)>;
struct Case {
  const char* name;
  Scheduling schedule;
  bool is_for_constants = false;  ///< required by its tail strategy
};

void vectorize_columns(Cell& r, const Tensor& t, const Tail& tail) {
  const auto [outer, inner] = r.s[t].split(r.s[t].axis(1), factor(16), tail);
  r.s[t].vectorize(inner);
}

/// Computes the product as a tile of its own inside a block of the update's columns.
IterVar block_of_columns(Cell& r) {
  const auto [block, column] = r.s[r.h].split(r.s[r.h].axis(1), factor(8));
  r.s[r.Wh].compute_at(r.s[r.h], block);
  return block;
}

IterVar split_time(Cell& r, const SplitSize& size, const Tail& tail = Tail::guard()) {
  return r.s[r.Y[0]].split(r.s[r.Y[0]].axis(0), size, tail).second;
}

const std::vector<Case> kCases{
    {"plain", [](Cell&) {}},
    {"vectorized_guarded",
     [](Cell& r) {
       for (const Tensor& t : {r.h, r.c, r.h_first, r.c_first, r.Wh}) {
         const auto [outer, inner] = r.s[t].split(r.s[t].axis(1), factor(16));
         if (t == r.Wh) r.s[t].reorder({outer, r.s[t].reduce_axis(0), inner});
         r.s[t].vectorize(inner);
       }
     }},
    {"vectorized_partitioned",
     [](Cell& r) {
       for (const Tensor& t : {r.h, r.c, r.c_first}) vectorize_columns(r, t, Tail::partition());
     },
     true},
    {"vectorized_masked",
     [](Cell& r) {
       for (const Tensor& t : {r.h, r.c, r.h_first}) vectorize_columns(r, t, Tail::predicate());
     }},
    {"parallel_columns",
     [](Cell& r) {
       r.s[r.h].parallel(block_of_columns(r));
       const auto [block, column] = r.s[r.c].split(r.s[r.c].axis(1), factor(4));
       r.s[r.c].parallel(block);
     }},
    {"parallel_rows_of_the_product", [](Cell& r) { r.s[r.Wh].parallel(r.s[r.Wh].axis(1)); }},
    {"rfactor_of_the_inner_part",
     [](Cell& r) {
       const auto [outer, inner] = r.s[r.Wh].split(r.k, factor(8));
       const Tensor partial = r.s.rfactor(r.Wh, inner);
       r.s[partial].reorder({r.s[partial].axis(2), r.s[partial].reduce_axis(0), r.s[partial].axis(0)});
       r.s[partial].vectorize(r.s[partial].axis(0));
     }},
    {"rfactor_of_the_outer_part_in_parallel",
     [](Cell& r) {
       const auto [outer, inner] = r.s[r.Wh].split(r.k, factor(4));
       const Tensor partial = r.s.rfactor(r.Wh, outer);
       r.s[partial].parallel(r.s[partial].axis(0));
     }},
    {"aligned_rows_of_a_tile",
     [](Cell& r) {
       const IterVar block = block_of_columns(r);
       const auto [outer, inner] = r.s[r.Wh].split(r.k, factor(4));
       const Tensor partial = r.s.rfactor(r.Wh, inner, 1);
       r.s[partial].compute_at(r.s[r.h], block);
       r.s[partial].storage_align(r.s[partial].axis(1), 16, 5);
       r.s[r.Wh].storage_align(r.s[r.Wh].axis(0), 32, 8);
     }},
    {"input_part_inside_the_step",
     [](Cell& r) {
       const auto [block, column] = r.s[r.h].split(r.s[r.h].axis(1), factor(4));
       r.s[r.Ux].compute_at(r.s[r.h], block);
       r.s[r.Wh].compute_at(r.s[r.h], column);
     }},
    {"caches_of_a_step",
     [](Cell& r) {
       r.s.cache_read(r.H, ir::Scope::kGlobal, {r.Wh});
       const Tensor row = r.s.cache_read(r.W, ir::Scope::kGlobal, {r.Wh});
       r.s[row].compute_at(r.s[r.Wh], r.s[r.Wh].axis(1));
       const Tensor tile = r.s.cache_write(r.h, ir::Scope::kGlobal);
       r.s[tile].compute_at(r.s[r.h], r.s[r.h].axis(1));
     }},
    {"accumulators_in_registers",
     [](Cell& r) {
       const auto [block, lane] = r.s[r.h].split(r.s[r.h].axis(1), factor(16));
       r.s[r.h].vectorize(lane);
       r.s[r.Wh].set_scope(ir::Scope::kRegister).compute_at(r.s[r.h], block);
       const auto [vector, tile_lane] = r.s[r.Wh].split(r.s[r.Wh].axis(1), factor(16));
       r.s[r.Wh].reorder({r.s[r.Wh].reduce_axis(0), vector, tile_lane}).vectorize(tile_lane);
     }},
    {"steps_in_fours", [](Cell& r) { split_time(r, factor(4)); }},
    {"steps_in_two_parts", [](Cell& r) { split_time(r, nparts(2)); }, true},
    {"steps_in_fours_partitioned", [](Cell& r) { split_time(r, factor(4), Tail::partition()); }, true},
    {"steps_in_segments", [](Cell& r) { split_time(r, factor(4), Tail::compose({4, 3})); }, true},
    {"steps_split_twice_and_unrolled",
     [](Cell& r) {
       const IterVar inner = split_time(r, factor(6)), innermost = r.s[r.Y[0]].split(inner, factor(4)).second;
       r.s[r.Y[0]].unroll(innermost);
     }},
    {"input_part_of_several_steps_at_once",
     [](Cell& r) {
       split_time(r, factor(4));
       r.s[r.Ux].compute_at(r.s[r.Y[0]], r.s[r.Y[0]].loops().front());
       r.s[r.Ux].parallel(r.s[r.Ux].axis(0));
       r.s[r.h].parallel(block_of_columns(r));
     }},
};

const std::vector<Sizes> kSizes{{1, 5, 3}, {2, 16, 1}, {3, 1, 4}, {7, 16, 8}, {9, 37, 5}, {5, 31, 2}};

class RecurrentCell : public ::testing::TestWithParam<Case> {};

TEST_P(RecurrentCell, WithSymbolicExtentsAndStrides) {
  if (GetParam().is_for_constants) return;
  Cell r;
  GetParam().schedule(r);
  const Function cell = r.function();
  for (const Sizes& sizes : kSizes) {
    expect_cell(cell, sizes, sizes.width, sizes.width, GetParam().name);
    expect_cell(cell, sizes, sizes.width + 3, sizes.width * 2 + 1, GetParam().name);
  }
}

TEST_P(RecurrentCell, OfConstantSizes) {
  for (const Sizes& sizes : {Sizes{13, 37, 5}, Sizes{5, 32, 8}}) {
    Cell r(&sizes);
    GetParam().schedule(r);
    expect_cell(r.function(40, 48), sizes, 40, 48, GetParam().name);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernel, RecurrentCell, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace nestwright
