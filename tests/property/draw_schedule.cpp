#include <algorithm>

#include "nestwright/error.h"
#include "tests/property/draw/drawer.h"
#include "tests/property/draw_schedule.h"
#include "tests/property/intrinsics.h"

namespace nestwright::property {
namespace {

/// The printed schedule and its trace, which show everything that a refusal must not change.
std::string picture(const Schedule& schedule) { return schedule.str() + schedule.trace().str(); }

std::size_t draw_primitive(Choices& random, const std::string& goal) {
  std::uint32_t total = 0;
  const auto weight = [&](const Drawer& drawer) {
    return drawer.primitive == goal ? drawer.weight + 60 : drawer.weight;
  };
  for (const Drawer& drawer : drawers()) total += weight(drawer);
  std::uint32_t at = random.below(total);
  for (std::size_t n = 0;; ++n) {
    if (at < weight(drawers()[n])) return n;
    at -= weight(drawers()[n]);
  }
}

}  // namespace

Goal draw_goal(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr ir::ReducerKind kReducers[] = {ir::ReducerKind::kSum,   ir::ReducerKind::kProd, ir::ReducerKind::kMin,
                                           ir::ReducerKind::kMax,   ir::ReducerKind::kAny,  ir::ReducerKind::kAll,
                                           ir::ReducerKind::kCustom};
  Goal goal;
  goal.primitive = drawers()[random() % drawers().size()].primitive;
  goal.tail = static_cast<TailKind>(random() % 4);
  // A scan, a reducer, or neither.
  const std::size_t drawn = random() % (std::size(kReducers) + 4);
  if (drawn < std::size(kReducers)) goal.expression.reducer = kReducers[drawn];
  goal.expression.scan = drawn == std::size(kReducers);
  goal.expression.tile = goal.primitive == "tensorize";
  return goal;
}

Drawn draw_schedule(const Expression& expression, const Goal& goal, std::uint64_t seed) {
  Drawn result{create_schedule(expression.outputs), 0, {}};
  Choices random(seed);
  Draw draw(random, result.schedule, expression.tiles, goal.tail);
  std::string before = picture(result.schedule);
  const auto attempt = [&](const std::string& primitive, const auto& apply) {
    try {
      if (!apply()) return false;
      before = picture(result.schedule);
      return true;
    } catch (const ScheduleError& error) {
      ++result.refused;
      if (picture(result.schedule) != before) {
        result.problem = primitive + " changed the schedule and then refused: " + error.what();
      }
    }
    return false;
  };
  const int steps = random.between(1, 9);
  for (int done = 0, tries = 0; done < steps && tries < 4 * steps && result.problem.empty(); ++tries) {
    const Drawer& drawer = drawers()[draw_primitive(random, goal.primitive)];
    if (!attempt(drawer.primitive, [&] { return drawer.draw(draw); })) {
      draw.take_next();
      continue;
    }
    ++done;
    for (const Draw::Next& next : draw.take_next()) {
      attempt(next.primitive, [&] {
        next.apply();
        return true;
      });
    }
  }
  return result;
}

Schedule apply_trace(const Expression& expression, const Trace& trace) {
  Trace kept;
  for (const TraceStep& step : trace.steps()) {
    Trace longer = kept;
    longer.append(step);
    Schedule attempt = create_schedule(expression.outputs);
    try {
      longer.replay(attempt, own_intrinsics());
      kept = std::move(longer);
    } catch (const ScheduleError&) {
    } catch (const UsageError&) {
    }
  }
  Schedule schedule = create_schedule(expression.outputs);
  kept.replay(schedule, own_intrinsics());
  return schedule;
}

const char* tail_name(TailKind kind) {
  constexpr const char* kNames[] = {"guard", "partition", "predicate", "compose"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace nestwright::property
