// Recurrences over the leading axis: running sums, recurrent cells.
//
//   Tensor X = placeholder({m, n}, kFloat32, "X");
//   Tensor state = placeholder({m, n}, kFloat32, "state");
//   Tensor init = compute({1, n}, [&](Expr, Expr i) { return X(0, i); }, "init");
//   Tensor update = compute({m, n}, [&](Expr t, Expr i) { return state(t - 1, i) + X(t, i); }, "update");
//   Tensor total = scan(init, update, state, {X}, "total");
//
// Where `init` has k rows, rows 0 .. k-1 of the result are those of `init`. Row t >= k is row t of `update`, which
// reads the earlier rows through `state`. Any number of tensors may lie between state and update; they are the stages
// of a step.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "expression/tensor.h"

namespace nestwright {

/// One recurrence over several states, with one result for each. `inputs` are the tensors that init and update are
/// computed from; they are optional and only checked. Throws UsageError where
///  - init, update and states differ in number or are empty, or a tensor is given twice;
///  - a state is not a placeholder, or init or update is not a compute whose results are all given;
///  - for one state, the types differ, update does not have the shape of the state, or init differs from that shape in
///    more than the first extent, which must be constant and the same for all of init;
///  - the number of steps is constant and does not exceed the number of rows of init;
///  - init depends on a state, another scan is part of the step, or no update depends on a state;
///  - a state is read at a step other than t-1 .. t-k, where t is the step being computed, or this cannot be proved;
///  - a result of update is read at a step other than t;
///  - one of `inputs` is a tensor that neither init nor update depends on.
std::vector<Tensor> scan(const std::vector<Tensor>& init, const std::vector<Tensor>& update,
                         const std::vector<Tensor>& states, const std::vector<Tensor>& inputs = {},
                         std::string name = "scan");
Tensor scan(const Tensor& init, const Tensor& update, const Tensor& state, const std::vector<Tensor>& inputs = {},
            std::string name = "scan");

}  // namespace nestwright
