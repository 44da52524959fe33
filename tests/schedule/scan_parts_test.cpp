// Schedules of scans: where their parts are computed, and what is refused.
#include "nestwright/tensor.h"

#include <gmock/gmock.h>

#include "matmul_fixture.h"

namespace nestwright {
namespace {

class ScanSchedule : public ::testing::Test {
 protected:
  const Tensor x = placeholder({8, 6}, kFloat32, "X");
  const Tensor state = placeholder({8, 6}, kFloat32, "S");
  const Tensor init = compute({1, 6}, [&](Expr, Expr i) { return x(0, i); }, "init");
  const Tensor part = compute({8, 6}, [&](Expr t, Expr i) { return state(t - 1, i) * 2.0; }, "part");
  const Tensor update = compute({8, 6}, [&](Expr t, Expr i) { return part(t, i) + x(t, i); }, "update");
  const Tensor y = scan(init, update, state, {x}, "Y");
  const Tensor after = compute({8, 6}, [&](Expr t, Expr i) { return y(t, i) + 1.0; }, "after");
  Schedule s = create_schedule(after);

  void expect_refused(const std::function<void()>& misuse, const std::string& message) {
    const std::string before = s.str();
    const Trace trace = s.trace();
    try {
      misuse();
      ADD_FAILURE() << "not refused; expected: " << message;
    } catch (const ScheduleError& e) {
      EXPECT_STREQ(e.what(), message.c_str());
    }
    EXPECT_EQ(s.str(), before) << "a refusal changed the schedule";
    EXPECT_EQ(s.trace(), trace) << "a refusal was recorded";
  }
};

TEST_F(ScanSchedule, PrintsItsParts) {
  EXPECT_EQ(s.str(),
            "init: float32[1, 6] in global, at root\n"
            "  for i in 0..1\n"
            "  for j in 0..6\n"
            "part: float32[8, 6] in global, at t of Y\n"
            "  for i in 0..8\n"
            "  for j in 0..6\n"
            "update: float32[8, 6] in global, at t of Y\n"
            "  for i in 0..8\n"
            "  for j in 0..6\n"
            "Y: float32[8, 6] in global, at root\n"
            "  for t in 1..8\n"
            "after: float32[8, 6] in global, at root, output\n"
            "  for i in 0..8\n"
            "  for j in 0..6\n");
  EXPECT_EQ(s.state().inputs, std::vector<Tensor>{x});
  EXPECT_EQ(s.state().states, std::vector<Tensor>{state});
}

TEST_F(ScanSchedule, TimeOfTheStepIsNotScheduledApart) {
  const std::string end = "it is the time of a step of scan Y: schedule the scan's own time axis, s[Y].axis(0)";
  const IterVar t = s[update].axis(0), i = s[update].axis(1);
  expect_refused([&] { s[update].split(t, factor(2)); }, "split of i: " + end);
  expect_refused([&] { s[update].parallel(t); }, "parallel of i: " + end);
  expect_refused([&] { s[update].reorder({i, t}); }, "reorder of i: " + end);
  expect_refused([&] { s[update].fuse(t, i); }, "fuse of i: " + end);
  expect_refused([&] { s[update].tile(t, i, 2, 2); }, "tile of i: " + end);
  expect_refused([&] { s[update].vectorize(t); }, "vectorize of i: " + end);
  expect_refused([&] { s[update].unroll(t); }, "unroll of i: " + end);
  expect_refused([&] { s[part].split(s[part].axis(0), factor(2)); }, "split of i: " + end);
  expect_refused([&] { s[part].compute_at(s[update], t); }, "compute_at of i: " + end);
  expect_refused([&] { s[update].bind(t, kThreadIdxX); }, "bind of i: " + end);
}

TEST_F(ScanSchedule, RowsThatAStepNeedsMayBeBound) {
  s[part].bind(s[part].axis(0), kThreadIdxX);
  EXPECT_NE(s.str().find("threadIdx.x i in 0..8"), std::string::npos) << s.str();
}

TEST_F(ScanSchedule, TimeOfTheScanRunsInOrder) {
  const IterVar t = s[y].axis(0);
  expect_refused(
      [&] { s[y].parallel(t); },
      "parallel of t: it is the time of scan Y, whose steps depend on each other: use an axis of its update");
  expect_refused(
      [&] { s[y].vectorize(t); },
      "vectorize of t: it is the time of scan Y, whose steps depend on each other: use an axis of its update");
  const auto [outer, inner] = s[y].split(t, factor(2));
  const std::string end = "it is the time of scan Y, whose steps run in order: it may be split, and that is all";
  expect_refused([&] { s[y].reorder({inner, outer}); }, "reorder of t.inner: " + end);
  expect_refused([&] { s[y].fuse(outer, inner); }, "fuse of t.outer: " + end);
  expect_refused([&] { s[y].tile(outer, inner, 2, 2); }, "tile of t.outer: " + end);
  EXPECT_THROW(s[y].parallel(inner), ScheduleError);
}

TEST_F(ScanSchedule, TimeOfTheStepHasNoTiles) {
  const Tensor cache = s.cache_read(state, ir::Scope::kGlobal, {part});
  const auto tiles = [](std::size_t axis) {
    return [axis](std::span<const Expr> e) { return std::vector<Expr>{e[axis] / 2, e[1 - axis], e[axis] % 2}; };
  };
  expect_refused([&] { s.transform_layout(cache, tiles(0)); },
                 "transform_layout of ax0: it is the time of a step of scan Y, which has no tiles: keep it whole");
  s.transform_layout(cache, tiles(1));
  expect_refused([&] { s.transform_layout(init, [](auto at) { return std::vector<Expr>{at[1], at[0]}; }); },
                 "transform_layout of init: it is init of scan Y, whose rows are in the scan's memory, which "
                 "keeps its layout");
}

TEST_F(ScanSchedule, PartsStayWhereTheirValuesAre) {
  const IterVar i = s[after].axis(0);
  expect_refused(
      [&] { s[part].compute_at(s[after], i); },
      "compute_at of part: it is made in a step of scan Y and cannot be computed outside: attach it to a loop "
      "of what reads it there, or to the innermost loop of the time, t");
  expect_refused(
      [&] { s[part].compute_root(); },
      "compute_root of part: it is made in a step of scan Y, which has its values inside the time loop only: "
      "compute_at takes loops of the update too");
  expect_refused([&] { s[update].compute_root(); },
                 "compute_root of update: it is update of scan Y, which has its values inside the time loop only: "
                 "compute_at takes loops of the update too");
  expect_refused([&] { s[y].compute_at(s[after], i); }, "compute_at of Y: it is a scan, which is computed as a whole");
  expect_refused([&] { s[init].compute_at(s[after], i); },
                 "compute_at of init: it is init of scan Y, which is computed before it");
  expect_refused([&] { s[update].compute_at(s[after], i); },
                 "compute_at of update: it is update of scan Y, which is computed in the innermost loop of its time");
  const auto [outer, inner] = s[y].split(s[y].axis(0), factor(2));
  expect_refused(
      [&] { s[part].compute_at(s[y], outer); },
      "compute_at of part: it is made in a step of scan Y and cannot be computed outside: attach it to a loop "
      "of what reads it there, or to the innermost loop of the time, t.inner");
  s[part].compute_at(s[update], s[update].axis(1));
  s[part].compute_at(s[y], inner);
}

TEST_F(ScanSchedule, PartsAreStoredInTheScan) {
  expect_refused([&] { s[update].compute_inline(); },
                 "compute_inline of update: it is update of scan Y, whose rows are stored");
  expect_refused([&] { s[init].compute_inline(); },
                 "compute_inline of init: it is init of scan Y, whose rows are stored");
  expect_refused([&] { s[y].compute_inline(); }, "compute_inline of Y: it is a scan, whose rows are stored");
  expect_refused([&] { s[update].set_scope(ir::Scope::kLocal); },
                 "set_scope of update: it is update of scan Y, which stores it: cache_write makes a stage of its own");
  expect_refused([&] { s[y].set_scope(ir::Scope::kLocal); },
                 "set_scope of Y: it is a scan, all of whose rows are kept: only global scope has room for them");
  expect_refused([&] { s.cache_write(y, ir::Scope::kGlobal); },
                 "cache_write of Y: it is a scan, which computes nothing itself: do that to its update or its init");
}

void expect_usage_error(const std::function<void()>& misuse, const std::string& message) {
  try {
    misuse();
    ADD_FAILURE() << "not refused; expected: " << message;
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(), message.c_str());
  }
}

TEST_F(ScanSchedule, PrefetchesInItsParts) {
  expect_refused([&] { s[y].prefetch(y, s[y].axis(0), 1); },
                 "prefetch of Y: it is a scan, which accesses nothing itself: do that to its update or its init");
}

TEST_F(ScanSchedule, RefusesReadersOutsideTheStep) {
  const auto plus_y = [&](const Tensor& t) {
    return compute({8, 6}, [&](Expr a, Expr b) { return y(a, b) + t(a, b); }, "reader");
  };
  for (const Tensor& inside : {part, update, state}) {
    expect_usage_error(
        [&] { create_schedule(plus_y(inside)); },
        "'reader' reads '" + inside.name() + "', which exists in the steps of scan 'Y' only: read the scan");
  }
  expect_usage_error(
      [&] { create_schedule({y, part}); },
      "'part' is an output, but exists in the steps of scan 'Y' only: make the scan the output, or another "
      "state of it");
  expect_usage_error([&] { create_schedule({y, init}); },
                     "'init' is an output and init of scan 'Y', which stores it: make a copy the output");
}

TEST_F(ScanSchedule, RefusesWhatTwoScansShare) {
  const auto both = [&](const Tensor& other) {
    return compute({8, 6}, [&](Expr a, Expr b) { return y(a, b) + other(a, b); }, "both");
  };
  const Tensor init2 = compute({1, 6}, [&](Expr, Expr i) { return x(0, i); }, "init2");
  const Tensor same_state =
      scan(init2, compute({8, 6}, [&](Expr t, Expr i) { return state(t - 1, i); }, "update2"), state, {}, "Z");
  expect_usage_error([&] { create_schedule(both(same_state)); },
                     "'S' is state of both scan 'Y' and scan 'Z': make one for each");
  const Tensor state2 = placeholder({8, 6}, kFloat32, "S2");
  const Tensor same_init =
      scan(init, compute({8, 6}, [&](Expr t, Expr i) { return state2(t - 1, i); }, "update2"), state2, {}, "Z");
  expect_usage_error([&] { create_schedule(both(same_init)); },
                     "'init' is init of both scan 'Y' and scan 'Z': make one for each");
}

TEST_F(ScanSchedule, RefusesReadsThatAreOutOfBoundsAtSomeStep) {
  // Row t - 1 exists at every step; row t + 1 does not exist at the last one.
  const auto schedule_of = [&](int ahead) {
    const Tensor state2 = placeholder({8, 6}, kFloat32, "S2");
    const Tensor reading =
        compute({8, 6}, [&](Expr t, Expr i) { return state2(t - 1, i) + x(t + ahead, i); }, "reading");
    const Tensor init2 = compute({1, 6}, [&](Expr, Expr i) { return x(0, i); }, "init2");
    create_schedule(scan(init2, reading, state2));
  };
  schedule_of(-1);
  schedule_of(0);
  EXPECT_THROW(schedule_of(1), UsageError);
}

}  // namespace
}  // namespace nestwright
