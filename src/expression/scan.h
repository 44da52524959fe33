// Recurrences over the leading axis, as recurrent cells and running sums need them.
//
//   Tensor X = placeholder({m, n}, kFloat32, "X");
//   Tensor state = placeholder({m, n}, kFloat32, "state");
//   Tensor init = compute({1, n}, [&](Expr, Expr i) { return X(0, i); }, "init");
//   Tensor update = compute({m, n}, [&](Expr t, Expr i) { return state(t - 1, i) + X(t, i); }, "update");
//   Tensor total = scan(init, update, state, {X}, "total");
//
// Row t of the result is row t of `init` for t < k, the number of rows that it has; above, row t of `update`, which
// sees the rows before as `state`. Any number of tensors may lie between state and update: the stages of a step.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "expression/tensor.h"

namespace nestwright {

/// One recurrence of several states: a result for each. `inputs`: the tensors that init and steps are made from; may be
/// left out, and serves as a check only. Throws UsageError where
///  - the numbers of init, update and states differ, there is none, or one tensor is given twice;
///  - a state is no placeholder, or init or update is no compute whose results are all given;
///  - for one state, the types differ, update has another shape than the state, or init differs from it in more than
///    the first extent, which is constant and the same in all of init;
///  - a constant number of steps is no more than the number of those that init gives;
///  - init reads a state, another scan is part of the step, or the update reads no state at all;
///  - a state is read at another step than t-1 .. t-k of the step t at which the update is computed, or where this
///    cannot be shown;
///  - a result of update is read at another step than t;
///  - a tensor of `inputs` is not what init and steps are made from.
std::vector<Tensor> scan(const std::vector<Tensor>& init, const std::vector<Tensor>& update,
                         const std::vector<Tensor>& states, const std::vector<Tensor>& inputs = {},
                         std::string name = "scan");
Tensor scan(const Tensor& init, const Tensor& update, const Tensor& state, const std::vector<Tensor>& inputs = {},
            std::string name = "scan");

}  // namespace nestwright
