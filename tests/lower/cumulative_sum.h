// A scan whose columns are bound to threads, so that each step is a launch. Thread rule: Schedule's.
#pragma once

#include <utility>

#include "nestwright/schedule.h"
#include "nestwright/tensor.h"

namespace nestwright::testing {

/// Y[t, j] = X[0, j] + ... + X[t, j], with symbolic extents.
struct CumulativeSum {
  Tensor X, Y;
  Schedule s;
};

inline CumulativeSum bound_cumulative_sum() {
  const Var m = var("m"), n = var("n");
  const Tensor X = placeholder({m, n}, kFloat32, "X"), state = placeholder({m, n}, kFloat32, "S");
  const Tensor init = compute({1, n}, [&](Expr, Expr j) { return X(0, j); }, "init");
  const Tensor update = compute({m, n}, [&](Expr t, Expr j) { return state(t - 1, j) + X(t, j); }, "update");
  const Tensor Y = scan(init, update, state, {X}, "Y");
  Schedule s = create_schedule(Y);
  for (const Tensor& part : {init, update}) {
    const auto [bx, tx] = s[part].split(s[part].axis(1), factor(256));
    s[part].bind(bx, kBlockIdxX).bind(tx, kThreadIdxX);
  }
  return {X, Y, std::move(s)};
}

}  // namespace nestwright::testing
