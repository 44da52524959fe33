// A fixture with a matrix product to schedule, and the assertion that a primitive refuses without changing anything.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "nestwright/error.h"
#include "nestwright/schedule.h"
#include "schedule/state/state.h"

namespace nestwright {

class MatmulSchedule : public ::testing::Test {
 protected:
  static Tensor product(const Tensor& a, const Tensor& b, const IterVar& k) {
    return compute({64, 48}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  }

  const Tensor a = placeholder({64, 32}, kFloat32, "A");
  const Tensor b = placeholder({32, 48}, kFloat32, "B");
  const IterVar k = reduce_axis(32, "k");
  const Tensor c = product(a, b, k);
  Schedule s = create_schedule(c);
  const IterVar i = s[c].axis(0);
  const IterVar j = s[c].axis(1);

  const StageState& stage(const Tensor& t) const {
    for (const StageState& candidate : s.state().stages) {
      if (candidate.origin == t) return candidate;
    }
    throw InternalError("no such stage");
  }
  int index(const Tensor& t) const { return static_cast<int>(&stage(t) - s.state().stages.data()); }

  /// Names of a stage's loops, outermost first.
  std::vector<std::string> loops(const Tensor& t) {
    std::vector<std::string> names;
    for (const IterVar& loop : s[t].loops()) names.push_back(loop.name());
    return names;
  }

  void expect_refused(const std::function<void()>& misuse, const std::string& primitive, const std::string& loop,
                      const std::string& part_of_reason) {
    const std::string before = s.str();
    const Trace trace = s.trace();
    try {
      misuse();
      ADD_FAILURE() << "not refused; expected: " << part_of_reason;
    } catch (const ScheduleError& e) {
      EXPECT_EQ(e.primitive(), primitive);
      EXPECT_EQ(e.loop(), loop);
      EXPECT_THAT(e.reason(), ::testing::HasSubstr(part_of_reason));
    }
    EXPECT_EQ(s.str(), before) << "a refusal changed the schedule";
    EXPECT_EQ(s.trace(), trace) << "a refusal was recorded";
  }
};

inline std::int64_t extent(const IterVar& loop) { return *ir::as_const_int(loop.extent()); }

}  // namespace nestwright
