// vectorize, unroll, parallel, prefetch, stream, bind, pragma.
#include "nestwright/schedule.h"
#include "tests/property/draw/drawer.h"

namespace nestwright::property {
namespace {

bool is_spatial(const IterVar& loop) { return !loop.is_reduce() && !loop.is_time(); }

}  // namespace

bool draw_vectorize(Draw& d) {
  const StageState* stage = d.stage();
  if (stage == nullptr) return false;
  const auto loop = d.loop(*stage, is_spatial);
  if (!loop) return false;
  // Usually the innermost loop, moved there past any reduction.
  if (is_spatial(*loop) && d.choices.chance(60)) {
    for (auto at = stage->leaves.rbegin(); at != stage->leaves.rend(); ++at) {
      if (!is_spatial(*at) || d.is_step_time(*stage, *at)) continue;
      d.handle(*stage).vectorize(*at);
      return true;
    }
  }
  d.handle(*stage).vectorize(*loop);
  return true;
}

bool draw_unroll(Draw& d) {
  const StageState* stage = d.stage();
  if (stage == nullptr) return false;
  const auto loop = d.loop(*stage, [](const IterVar& l) { return Draw::extent(l) <= 8; });
  if (!loop || (Draw::extent(*loop) > 8 && ir::as_const_int(loop->extent()) != nullptr)) return false;
  d.handle(*stage).unroll(*loop);
  return true;
}

bool draw_parallel(Draw& d) {
  const StageState* stage = d.stage();
  if (stage == nullptr) return false;
  const auto loop = d.loop(*stage, is_spatial);
  if (!loop) return false;
  // Usually the outermost loop.
  const std::optional<IterVar> first = d.first_spatial(*stage);
  d.handle(*stage).parallel(first && d.choices.chance(60) ? *first : *loop);
  return true;
}

bool draw_prefetch(Draw& d) {
  const StageState* stage = d.stage([](const StageState& s) { return !s.op->inputs.empty(); });
  if (stage == nullptr) return false;
  const auto loop = d.loop(*stage);
  if (!loop) return false;
  const std::vector<Tensor> read = d.reads(*stage);
  if (read.empty()) return false;
  d.handle(*stage).prefetch(d.choices.of(read), *loop, d.choices.between(0, 4));
  return true;
}

bool draw_stream(Draw& d) {
  const StageState* stage = d.stage([](const StageState& s) {
    return s.is_output && !s.non_temporal && s.op.compute() != nullptr && s.op.compute()->reduction() == nullptr;
  });
  if (stage == nullptr) return false;
  d.handle(*stage).stream();
  return true;
}

bool draw_bind(Draw& d) {
  const StageState* stage = d.stage();
  if (stage == nullptr) return false;
  const auto loop = d.loop(*stage, is_spatial);
  if (!loop) return false;
  static const std::vector<ir::LoopKind> axes = {kBlockIdxX, kBlockIdxY, kThreadIdxX, kThreadIdxY, kVThread};
  const std::optional<IterVar> outermost = d.first_spatial(*stage);
  const IterVar bound = outermost && d.choices.chance(60) ? *outermost : *loop;
  d.handle(*stage).bind(bound, d.choices.of(axes));
  // On a device, each stage at root needs a bound loop, and so does each stage of a scan's step.
  for (const StageState& other : d.state().stages) {
    const bool is_step = other.attach.kind == AttachKind::kAt && other.attach.loop.is_time();
    const std::optional<IterVar> first = d.first_spatial(other);
    if ((other.attach.kind != AttachKind::kRoot && !is_step) || !first) continue;
    if (!d.is_plain(other, *first) || !d.choices.chance(90)) continue;
    const ir::LoopKind axis = d.choices.chance(70) ? kBlockIdxX : kThreadIdxX;
    d.then("bind", [&schedule = d.schedule(), origin = other.origin, first = *first, axis] {
      schedule[origin].bind(first, axis);
    });
  }
  return true;
}

bool draw_pragma(Draw& d) {
  const StageState* stage = d.stage();
  if (stage == nullptr) return false;
  const auto loop = d.loop(*stage);
  if (!loop) return false;
  d.handle(*stage).pragma(*loop, d.choices.chance(3) ? "unroll_all" : "auto_unroll", d.choices.between(0, 40));
  return true;
}

}  // namespace nestwright::property
