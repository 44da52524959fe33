// split, tile, fuse, reorder.
#include <algorithm>
#include <memory>
#include <tuple>

#include "tests/property/draw/drawer.h"

namespace nestwright::property {
namespace {

constexpr std::int64_t kMaxIterations = 3000;  // of one stage, including those that splits add

/// A factor: any number, a divisor, or one above the extent, within kMaxIterations.
std::int64_t draw_factor(Draw& d, std::int64_t extent, std::int64_t points) {
  std::int64_t factor = d.choices.between(1, 8);
  switch (d.choices.weighted({50, 25, 10, 15})) {
    case 1: {
      std::vector<std::int64_t> divisors;
      for (std::int64_t n = 1; n <= extent; ++n)
        if (extent % n == 0) divisors.push_back(n);
      factor = d.choices.of(divisors);
      break;
    }
    case 2:
      factor = extent + d.choices.between(1, 12);
      break;
    case 3:
      factor = std::vector<std::int64_t>{16, 8, 4, 32}[d.choices.below(4)];
      break;
    default:
      break;
  }
  while (factor > 1 && points / extent * ((extent - 1) / factor + 1) * factor > kMaxIterations) factor /= 2;
  return factor;
}

SplitSize draw_size(Draw& d, const IterVar& loop, const Tail& tail, std::int64_t points) {
  if (tail.kind == TailKind::kCompose) {
    return d.choices.chance(50) ? SplitSize{tail.segments, 0} : factor(tail.segments[0]);
  }
  const std::int64_t n = draw_factor(d, Draw::extent(loop), points);
  return d.choices.chance(20) ? nparts(n) : factor(n);
}

/// Fuses `loop` with those that follow it, and splits it by factors that need not divide it, for threads and lanes.
void share_fused(Draw& d, const Tensor& origin, const IterVar& loop, std::int64_t points, bool is_reduce) {
  const auto fused = std::make_shared<IterVar>(loop), outer = std::make_shared<IterVar>(loop);
  Schedule& schedule = d.schedule();
  for (int more = d.choices.between(0, 2); more > 0; --more) {
    d.then("fuse", [&schedule, origin, fused] {
      const std::vector<IterVar> loops = schedule[origin].loops();
      const auto at = std::find(loops.begin(), loops.end(), *fused);
      if (at != loops.end() && at + 1 != loops.end()) *fused = schedule[origin].fuse(*at, at[1]);
    });
  }
  const std::int64_t size = d.choices.between(1, static_cast<int>(std::min(points, kMaxIterations / 4)));
  const SplitSize part = d.choices.chance(50) ? nparts(std::min<std::int64_t>(size, 7)) : factor(size);
  d.then("split",
         [&schedule, origin, fused, outer, part] { std::tie(*outer, *fused) = schedule[origin].split(*fused, part); });
  if (is_reduce) return;
  d.then("parallel", [&schedule, origin, outer] { schedule[origin].parallel(*outer); });
  d.then("split", [&schedule, origin, fused] { *fused = schedule[origin].split(*fused, factor(4)).second; });
  d.then("vectorize", [&schedule, origin, fused] { schedule[origin].vectorize(*fused); });
}

}  // namespace

bool draw_split(Draw& d) {
  const StageState* stage = d.stage();
  if (stage == nullptr) return false;
  const auto loop = d.loop(*stage, [&](const IterVar& l) { return d.is_plain(*stage, l); });
  if (!loop) return false;
  const Tail tail = d.tail(*loop);
  const SplitSize size = draw_size(d, *loop, tail, Draw::points(*stage));
  const Tensor origin = stage->origin;
  const auto [outer, inner] = d.handle(*stage).split(*loop, size, tail);
  // Masked vectors need a vectorised loop; other tails sometimes get one as well.
  if (inner.is_reduce() || !d.choices.chance(tail.kind == TailKind::kPredicate ? 85 : 15)) return true;
  d.then("vectorize", [&schedule = d.schedule(), origin, lanes = inner] { schedule[origin].vectorize(lanes); });
  return true;
}

bool draw_tile(Draw& d) {
  const StageState* stage = d.stage([](const StageState& s) { return s.leaves.size() >= 2; });
  if (stage == nullptr) return false;
  // Stages that are computed at the loops move to the tile.
  const auto serial = [&](const IterVar& l) { return !stage->kinds.contains(l); };
  const auto i = d.loop(*stage, serial), j = d.loop(*stage, serial);
  Tail tail = d.tail(*i);
  if (tail.kind == TailKind::kPredicate && !d.choices.chance(30)) tail = Tail::partition();
  const std::int64_t points = Draw::points(*stage);
  const std::int64_t factor_i =
      tail.kind == TailKind::kCompose ? tail.segments[0] : draw_factor(d, Draw::extent(*i), points);
  const std::int64_t factor_j =
      tail.kind == TailKind::kCompose
          ? factor_i
          : draw_factor(d, Draw::extent(*j), points / Draw::extent(*i) * (Draw::extent(*i) + factor_i - 1));
  d.handle(*stage).tile(*i, *j, factor_i, factor_j, tail);
  return true;
}

bool draw_fuse(Draw& d) {
  const StageState* stage = d.stage([](const StageState& s) { return s.leaves.size() >= 2; });
  if (stage == nullptr) return false;
  if (d.choices.chance(10)) {
    const auto a = d.loop(*stage), b = d.loop(*stage);
    d.handle(*stage).fuse(*a, *b);
    return true;
  }
  std::vector<std::size_t> fitting;
  for (std::size_t n = 0; n + 1 < stage->leaves.size(); ++n) {
    const IterVar &a = stage->leaves[n], &b = stage->leaves[n + 1];
    if (d.is_step_time(*stage, a) || d.is_step_time(*stage, b)) continue;
    if (a.kind() == b.kind() && d.is_plain(*stage, a) && d.is_plain(*stage, b)) fitting.push_back(n);
  }
  if (fitting.empty()) return false;
  const std::size_t at = d.choices.of(fitting);
  const std::int64_t points = Draw::points(*stage);
  const bool is_reduce = stage->leaves[at].is_reduce();
  const Tensor origin = stage->origin;
  const IterVar fused = d.handle(*stage).fuse(stage->leaves[at], stage->leaves[at + 1]);
  if (d.choices.chance(40)) share_fused(d, origin, fused, points, is_reduce);
  return true;
}

bool draw_reorder(Draw& d) {
  const StageState* stage = d.stage([](const StageState& s) { return s.leaves.size() >= 2; });
  if (stage == nullptr) return false;
  std::vector<IterVar> loops = stage->leaves;
  if (!d.choices.chance(3)) std::erase_if(loops, [&](const IterVar& l) { return d.is_step_time(*stage, l); });
  if (loops.empty()) return false;
  for (std::size_t n = loops.size(); n > 1; --n)
    std::swap(loops[n - 1], loops[d.choices.below(static_cast<std::uint32_t>(n))]);
  if (d.choices.chance(40)) {
    loops.resize(loops.size() - d.choices.below(static_cast<std::uint32_t>(loops.size())));
  }
  if (d.choices.chance(3)) loops.push_back(loops[0]);
  d.handle(*stage).reorder(loops);
  return true;
}

}  // namespace nestwright::property
