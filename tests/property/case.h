// One case of the property tests: an expression, a schedule of it, and data. Everything comes from one 64-bit seed, and
// everything that a failing case is made of can be changed one by one to make it smaller.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "tests/property/expression.h"

namespace nestwright::property {

/// What a case is meant to have in it, so that every combination of primitive, tail and reducer comes up.
struct Wish {
  std::string primitive;
  TailKind tail = TailKind::kGuard;
  ExpressionWish expression;
};
Wish draw_wish(std::uint64_t seed);

/// A schedule with random primitives applied, and what became of the attempts.
struct Drawn {
  Schedule schedule;
  int refused = 0;      ///< attempts that threw ScheduleError
  std::string problem;  ///< a refusal that changed something all the same; empty where there is none
};
Drawn draw_schedule(const Expression& expression, const Wish& wish, std::uint64_t seed);

/// Applies what can be applied of `trace`: a step that is refused, or names what is not there, is left out.
Schedule apply_trace(const Expression& expression, const Trace& trace);

const char* tail_name(TailKind kind);

}  // namespace nestwright::property
