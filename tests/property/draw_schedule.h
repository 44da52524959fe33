// One case of the property tests: an expression, a schedule of it, and data. All of it derives from one 64-bit seed,
// and each part can be changed separately to shrink a failing case.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nestwright/schedule.h"
#include "tests/property/expression.h"

namespace nestwright::property {

/// What a case should contain, so that every combination of primitive, tail and reducer occurs.
struct Goal {
  std::string primitive;
  TailKind tail = TailKind::kGuard;
  ExpressionGoal expression;
};
Goal draw_goal(std::uint64_t seed);

/// A schedule with random primitives applied, and the outcome of the attempts.
struct Drawn {
  Schedule schedule;
  int refused = 0;      ///< attempts that threw ScheduleError
  std::string problem;  ///< a refusal that changed the schedule; empty where there is none
};
Drawn draw_schedule(const Expression& expression, const Goal& goal, std::uint64_t seed);

/// Applies the steps of `trace` that are legal; others, and those that refer to missing loops, are left out.
Schedule apply_trace(const Expression& expression, const Trace& trace);

const char* tail_name(TailKind kind);

}  // namespace nestwright::property
