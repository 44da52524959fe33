#include "bench/conv2d_schedules.h"

#include <algorithm>

namespace nestwright::bench {

Conv2d make_conv2d() {
  constexpr int kChannels = 64, kSide = 56, kWindow = 3;
  Conv2d c;
  c.image = placeholder({1, kChannels, kSide, kSide}, kFloat32, "X");
  c.filter = placeholder({kChannels, kChannels, kWindow, kWindow}, kFloat32, "W");
  c.channel = reduce_axis(kChannels, "c");
  c.dy = reduce_axis(kWindow, "dy");
  c.dx = reduce_axis(kWindow, "dx");
  c.padded = compute(
      {1, kChannels, kSide + 2, kSide + 2},
      [&](Expr n, Expr ch, Expr y, Expr x) {
        return select(y >= 1 && y < kSide + 1 && x >= 1 && x < kSide + 1, c.image(n, ch, y - 1, x - 1), Expr(0.0));
      },
      "P");
  c.result = compute(
      {1, kChannels, kSide, kSide},
      [&](Expr n, Expr o, Expr y, Expr x) {
        return sum(c.padded(n, c.channel, y + c.dy, x + c.dx) * c.filter(o, c.channel, c.dy, c.dx),
                   {c.channel, c.dy, c.dx});
      },
      "C");
  return c;
}

Schedule draw_conv2d_schedule(const Conv2d& op, std::mt19937_64& random) {
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto size = [&](std::vector<std::int64_t> sizes) { return factor(sizes[pick(sizes.size())]); };
  const auto tail = [&] { return pick(2) == 0 ? Tail::guard() : Tail::partition(); };
  Schedule s = create_schedule(op.result);
  const bool inlined = pick(3) == 0;
  if (inlined) s[op.padded].compute_inline();
  Stage c = s[op.result];
  const IterVar n = c.axis(0);
  auto [oo, oi] = c.split(c.axis(1), size({4, 8, 16, 32}), tail());
  auto [yo, yi] = c.split(c.axis(2), size({1, 2, 4, 7, 8, 14}), tail());
  auto [xo, xi] = c.split(c.axis(3), size({7, 8, 14, 16, 28, 56}), tail());
  auto [co, ci] = c.split(op.channel, size({4, 8, 16, 64}), tail());
  std::vector<IterVar> outer = {oo, yo, xo}, middle = {co, ci, op.dy, op.dx}, inner = {oi, yi, xi};
  std::shuffle(outer.begin(), outer.end(), random);
  std::shuffle(middle.begin(), middle.end(), random);
  std::shuffle(inner.begin(), inner.end(), random);
  std::vector<IterVar> order = {n};
  for (const auto* part : {&outer, &middle, &inner}) order.insert(order.end(), part->begin(), part->end());
  c.reorder(order);
  const IterVar rows = c.fuse(n, outer[0]);
  c.parallel(rows);
  c.vectorize(inner[2]);
  if (pick(2) == 0) c.unroll(op.dx);
  if (pick(2) == 0) c.unroll(op.dy);
  const std::vector<IterVar> places = {rows, outer[1], outer[2], middle[0], middle[1]};
  if (!inlined && pick(3) > 0) {
    s[op.padded].compute_at(c, places[pick(places.size())]);
    if (pick(2) == 0) s[op.padded].vectorize(s[op.padded].axis(3));
  }
  if (pick(2) == 0) {
    const Tensor copy = s.cache_read(op.filter, ir::Scope::kGlobal, {op.result});
    s[copy].compute_at(c, places[pick(places.size())]);
  }
  return s;
}

}  // namespace nestwright::bench
