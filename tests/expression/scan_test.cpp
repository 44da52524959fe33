// scan: its result, and the messages of its refusals.
#include "nestwright/tensor.h"

#include "expect_usage_error.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

struct RunningSum {
  Var m = var("m"), n = var("n");
  Tensor X = placeholder({m, n}, kFloat32, "X");
  Tensor state = placeholder({m, n}, kFloat32, "S");
  Tensor init = compute({1, n}, [&](Expr, Expr i) { return X(0, i); }, "init");
  Tensor update = compute({m, n}, [&](Expr t, Expr i) { return state(t - 1, i) + X(t, i); }, "update");

  /// An update that reads the state at step at(t).
  template <class At>
  Tensor reading(const At& at) const {
    return compute({m, n}, [&](Expr t, Expr i) { return state(at(t), i) + X(t, i); }, "U");
  }
  /// An init of k rows.
  Tensor init_of(int k) const {
    return compute({k, n}, [&](Expr t, Expr i) { return X(t, i); }, "I");
  }
};

TEST(Scan, HasTheTimeAsItsAxis) {
  const RunningSum c;
  const Tensor y = scan(c.init, c.update, c.state, {c.X}, "Y");
  EXPECT_EQ(y.name(), "Y");
  EXPECT_EQ(y.shape().size(), 2u);
  EXPECT_TRUE(y.shape()[0].same_as(c.state.shape()[0]));
  const ScanOp* op = y.op().scan();
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->first_steps(), 1);
  EXPECT_TRUE(op->time().is_time());
  EXPECT_EQ(ir::to_string(op->time().extent()), "m - 1");
  EXPECT_EQ(to_string(y.op()), "Y: float32[m, n] = scan of S: init for 1 steps, then update");
  EXPECT_EQ(to_string(y), "Y: float32[m, n]");
}

TEST(Scan, ReadsAsFarBackAsInitGoes) {
  const RunningSum c;
  scan(c.init_of(2), c.reading([](const Expr& t) { return t - 2; }), c.state);
  scan(c.init_of(3), c.reading([](const Expr& t) { return t - 2; }), c.state);
  const IterVar r = reduce_axis(3, "r");
  const Tensor last_three = compute({c.m, c.n}, [&](Expr t, Expr i) { return sum(c.state(t - 1 - r, i), r); }, "U");
  scan(c.init_of(3), last_three, c.state);
  expect_usage_error([&] { scan(c.init_of(2), last_three, c.state, {}, "Y"); },
                     "scan 'Y': 'U' reads state 'S' at i - 1 - r, which lies further back than the 2 steps that init "
                     "gives: step t may read t - 1 to t - 2");
}

TEST(Scan, RefusesOtherStepsThanEarlierOnes) {
  const RunningSum c;
  const auto refused = [&](const Tensor& update, const std::string& message) {
    expect_usage_error([&] { scan(c.init, update, c.state, {}, "Y"); }, message);
  };
  refused(
      c.reading([](const Expr& t) { return t; }),
      "scan 'Y': 'U' reads state 'S' at i, which is the step that is computed, or a later one: step t may read t - 1");
  refused(c.reading([](const Expr& t) { return t + 1; }),
          "at i + 1, which is the step that is computed, or a later one");
  refused(c.reading([](const Expr& t) { return t - 2; }),
          "at i - 2, which lies further back than the step that init gives");
  refused(c.reading([](const Expr&) { return Expr(0); }), "at 0, which ");
  const Tensor at = placeholder({c.m}, kInt32, "At");
  refused(c.reading([&](const Expr& t) { return at(t); }), "which cannot be shown to be an earlier step");
  refused(c.reading([&](const Expr& t) { return t / 2; }), "which ");
}

TEST(Scan, FollowsTheTimeThroughTheStagesOfAStep) {
  const RunningSum c;
  const Tensor twice = compute({c.m, c.n}, [&](Expr t, Expr i) { return c.state(t - 1, i) * 2.0; }, "twice");
  const Tensor turned = compute({c.n, c.m}, [&](Expr i, Expr t) { return twice(t, i) + 1.0; }, "turned");
  scan(c.init, compute({c.m, c.n}, [&](Expr t, Expr i) { return turned(i, t); }, "U"), c.state);
  const Tensor late = compute({c.m, c.n}, [&](Expr t, Expr i) { return turned(i, t - 1); }, "late");
  expect_usage_error([&] { scan(c.init, late, c.state, {}, "Y"); },
                     "scan 'Y': 'twice' reads state 'S' at i - 1, which lies further back");
  const Tensor early = compute({c.m, c.n}, [&](Expr t, Expr i) { return turned(i, t) + turned(i, t + 1); }, "early");
  expect_usage_error([&] { scan(c.init, early, c.state, {}, "Y"); },
                     "scan 'Y': 'twice' reads state 'S' at i - 1, which is the step that is computed, or a later one");
}

TEST(Scan, RefusesWhatDoesNotFitTogether) {
  const RunningSum c;
  const auto refused = [](const std::function<void()>& misuse, const std::string& why) {
    expect_usage_error(misuse, "scan 'Y': " + why);
  };
  const Tensor other = placeholder({c.m, c.n}, kFloat32, "Other");
  refused([&] { scan({}, {}, std::vector<Tensor>(), {}, "Y"); }, "it has no state: give at least one, a placeholder");
  refused([&] { scan(std::vector{c.init}, {c.update}, {c.state, other}, {}, "Y"); },
          "1 init, 1 update and 2 states are given: give one of each for every state");
  refused([&] { scan(c.init, Tensor(), c.state, {}, "Y"); }, "a tensor given as update is undefined");
  refused([&] { scan(std::vector{c.init, c.init}, {c.update, c.update}, {c.state, other}, {}, "Y"); },
          "'init' is given twice as init: make a tensor for each");
  refused([&] { scan(c.init, c.update, c.update, {}, "Y"); },
          "state 'update' is computed: a state is a placeholder, whose values the scan gives");
  refused([&] { scan(c.init, c.X, c.state, {}, "Y"); }, "update 'X' is no compute: make one that copies it");
  refused([&] { scan(placeholder({1, c.n}, kFloat32, "H"), c.update, c.state, {}, "Y"); },
          "init 'H' is no compute: make one that copies it");
  refused([&] { scan(c.init, other, c.state, {}, "Y"); }, "update 'Other' is no compute");
  refused([&] { scan(c.init, compute({c.m, c.n}, [&](Expr t, Expr i) { return c.X(t, i); }, "U"), c.state, {}, "Y"); },
          "no update is made from a state: make it by compute");
  refused(
      [&] { scan(compute({1, c.n}, [&](Expr, Expr i) { return c.state(0, i); }, "I"), c.update, c.state, {}, "Y"); },
      "init 'I' is made from a state, which has no values yet");
  refused([&] { scan(c.init, c.update, c.state, {other}, "Y"); },
          "input 'Other' is not what init and update are made from");
  const std::vector<Tensor> two = compute_tuple(
      {c.m, c.n},
      [&](std::span<const Expr> x) { return std::vector<Expr>{c.state(x[0] - 1, x[1]), c.X.at({x[0], x[1]})}; }, "two");
  refused([&] { scan(c.init, two[0], c.state, {}, "Y"); },
          "'two.v1' is computed together with update 'two.v0', but is none itself");
  EXPECT_THROW(scan(c.init, c.update, c.state, {}, "two words"), UsageError);
}

TEST(Scan, RefusesShapesThatDiffer) {
  const Tensor state = placeholder({6, 4}, kFloat32, "S");
  const auto make = [](int rows, int columns, const std::string& name) {
    return compute({rows, columns}, [](Expr, Expr) { return Expr(0.0); }, name);
  };
  const auto update_of = [&](int rows, int columns) {
    return compute({rows, columns}, [&](Expr t, Expr i) { return state(t - 1, i); }, "U");
  };
  const auto refused = [&](const Tensor& init, const Tensor& update, const std::string& why) {
    expect_usage_error([&] { scan(init, update, state, {}, "Y"); }, "scan 'Y': " + why);
  };
  refused(make(1, 3, "I"), update_of(6, 4), "extent 1 of 'I' is 3, but that of state 'S' is 4");
  refused(make(1, 4, "I"), update_of(5, 4), "extent 0 of 'U' is 5, but that of state 'S' is 6");
  refused(make(6, 4, "I"), update_of(6, 4),
          "state 'S' has 6 steps, of which init gives 6: there is none left to update");
  refused(
      compute({1}, [](Expr) { return Expr(0.0); }, "I"), update_of(6, 4), "'I' has 1 dimensions, but state 'S' has 2");
  refused(compute(
              {1, 4}, [](Expr, Expr) { return Expr(0); }, "I"),
          update_of(6, 4), "'I' is int64, but state 'S' is float32");
  const Var k = var("k");
  refused(compute(
              {k, 4}, [](Expr, Expr) { return Expr(0.0); }, "I"),
          update_of(6, 4), "the first extent of init 'I' is k: it gives a constant number of steps");
  const Tensor longer = placeholder({7, 4}, kFloat32, "L");
  const Tensor update_longer = compute({7, 4}, [&](Expr t, Expr i) { return longer(t - 1, i); }, "V");
  expect_usage_error(
      [&] {
        scan(std::vector{make(1, 4, "I"), make(1, 4, "J")}, {update_of(6, 4), update_longer}, {state, longer}, {}, "Y");
      },
      "scan 'Y': state 'L' has 7 steps, but state 'S' has 6");
}

TEST(Scan, RefusesAnUpdateReadAtAnotherStep) {
  const Tensor s = placeholder({6, 4}, kFloat32, "S"), z = placeholder({6, 4}, kFloat32, "Z");
  const auto zero = [](const std::string& name) { return compute({1, 4}, [](Expr, Expr) { return Expr(0.0); }, name); };
  const Tensor first = compute({6, 4}, [&](Expr t, Expr i) { return s(t - 1, i) + 1.0; }, "U");
  const auto second = [&](int back) {
    return compute({6, 4}, [&](Expr t, Expr i) { return z(t - 1, i) + first(t - back, i); }, "V");
  };
  scan(std::vector{zero("I"), zero("J")}, {first, second(0)}, {s, z});
  expect_usage_error([&] { scan(std::vector{zero("I"), zero("J")}, {first, second(1)}, {s, z}, {}, "Y"); },
                     "scan 'Y': 'V' reads update 'U' at i - 1, which is not the step that is computed: read the state "
                     "instead");
}

TEST(Scan, RefusesAScanInItsStep) {
  const RunningSum c;
  const Tensor s = placeholder({c.m, c.n}, kFloat32, "inner_state");
  const Tensor init = compute({1, c.n}, [&](Expr, Expr i) { return c.X(0, i); }, "inner_init");
  const Tensor step =
      compute({c.m, c.n}, [&](Expr t, Expr i) { return s(t - 1, i) + c.state(t - 1, i); }, "inner_update");
  const Tensor inner = scan(init, step, s, {}, "inner");
  const Tensor update = compute({c.m, c.n}, [&](Expr t, Expr i) { return inner(t, i); }, "U");
  expect_usage_error([&] { scan(c.init, update, c.state, {}, "Y"); },
                     "scan 'Y': scan 'inner' is made from a state of it: a step cannot hold another scan");
}

TEST(Scan, CountsTheOperationsOfItsSteps) {
  const Tensor s = placeholder({6, 4}, kFloat32, "S"), x = placeholder({6, 4}, kFloat32, "X");
  const Tensor init = compute({1, 4}, [&](Expr, Expr i) { return x(0, i); }, "I");
  const Tensor scaled = compute({6, 4}, [&](Expr t, Expr i) { return x(t, i) * 2.0; }, "scaled");
  const Tensor twice = compute({6, 4}, [&](Expr t, Expr i) { return s(t - 1, i) * 2.0; }, "twice");
  const Tensor update = compute({6, 4}, [&](Expr t, Expr i) { return twice(t, i) + scaled(t, i); }, "U");
  const Tensor y = scan(init, update, s);
  // Five steps of a product and a sum, and the product of all six rows outside.
  EXPECT_EQ(count_flops(y), 5 * 4 * 2 + 6 * 4);
}

}  // namespace
}  // namespace nestwright
