// compute_at, compute_inline, compute_root, prepare, set_scope, double_buffer.
#include <algorithm>

#include "schedule/state/scan_parts.h"
#include "tests/property/draw/drawer.h"

namespace nestwright::property {
namespace {

bool reads(const StageState& consumer, const StageState& producer) {
  const auto& inputs = consumer.op->inputs;
  return std::find(inputs.begin(), inputs.end(), producer.op) != inputs.end();
}

}  // namespace

bool draw_compute_at(Draw& d) {
  const StageState* stage = d.stage([](const StageState& s) { return !s.is_output; });
  if (stage == nullptr) return false;
  const StageState* consumer = nullptr;
  if (!d.choices.chance(10)) {
    consumer = d.stage([&](const StageState& s) { return reads(s, *stage) && !s.leaves.empty(); });
  }
  if (consumer == nullptr) consumer = d.stage();
  if (consumer == nullptr) return false;
  const auto loop = d.loop(*consumer);
  if (!loop) return false;
  d.handle(*stage).compute_at(d.handle(*consumer), *loop);
  return true;
}

bool draw_compute_inline(Draw& d) {
  const auto fits = [](const StageState& s) { return !s.is_output && s.op.compute()->reduce_axes.empty(); };
  const StageState* stage = d.choices.chance(5) ? d.stage() : d.stage(fits);
  if (stage == nullptr) return false;
  d.handle(*stage).compute_inline();
  return true;
}

bool draw_compute_root(Draw& d) {
  // A stage of a scan's step stays in the step.
  const auto may_leave = [&](const StageState& s) {
    const auto number = static_cast<int>(&s - d.state().stages.data());
    return s.attach.kind == AttachKind::kAt &&
           (d.state().states.empty() || !scan_place(d.state(), number).is_in_step());
  };
  const StageState* stage = d.choices.chance(20) ? nullptr : d.stage(may_leave);
  if (stage == nullptr) stage = d.stage();
  if (stage == nullptr) return false;
  d.handle(*stage).compute_root();
  return true;
}

bool draw_prepare(Draw& d) {
  // Usually a stage that depends on inputs only.
  const auto fits = [&](const StageState& s) {
    const auto number = static_cast<int>(&s - d.state().stages.data());
    if (!d.state().states.empty() && scan_place(d.state(), number).part != ScanPart::kNone) return false;
    return !s.is_output && std::all_of(s.op->inputs.begin(), s.op->inputs.end(), [&](const Operation& input) {
      const int producer = d.state().find(input);
      return producer < 0 || d.state().stages[static_cast<std::size_t>(producer)].attach.kind == AttachKind::kPrepared;
    });
  };
  const StageState* stage = d.choices.chance(10) ? d.stage() : d.stage(fits);
  if (stage == nullptr) return false;
  d.handle(*stage).prepare();
  return true;
}

bool draw_set_scope(Draw& d) {
  // Private scopes are useful only inside a loop.
  const auto attached = [](const StageState& s) { return s.attach.kind == AttachKind::kAt; };
  const StageState* stage = d.choices.chance(10) ? d.stage() : d.stage(attached);
  if (stage == nullptr) return false;
  d.handle(*stage).set_scope(d.scope());
  return true;
}

bool draw_double_buffer(Draw& d) {
  // A stage that is computed at a loop; where there is none, one is attached first.
  const auto fits = [](const StageState& s) { return s.attach.kind == AttachKind::kAt && s.slots == 0; };
  const StageState* stage = d.choices.chance(5) ? d.stage() : d.stage(fits);
  const int stages = d.choices.chance(5) ? d.choices.between(0, 9) : d.choices.chance(50) ? 2 : d.choices.between(3, 5);
  if (stage != nullptr) {
    d.handle(*stage).double_buffer(stages);
    return true;
  }
  if (!draw_compute_at(d)) return false;
  d.then("double_buffer", [&schedule = d.schedule(), moved = d.state().trace.steps().back().arguments.front(), stages] {
    for (const StageState& s : schedule.state().stages) {
      if (s.name != moved) continue;
      schedule[s.origin].double_buffer(stages);
      return;
    }
  });
  return true;
}

}  // namespace nestwright::property
