// Matrix products with double-buffered slices, for the tests of double_buffer. Thread rule: Schedule's.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "devices.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/lower.h"
#include "nestwright/schedule.h"
#include "nestwright/tensor.h"

namespace nestwright::testing {

/// C = A B, with its schedule.
struct ScheduledProduct {
  explicit ScheduledProduct(std::int64_t m = 6, std::int64_t n = 10, std::int64_t depth = 13)
      : A(placeholder({m, depth}, kFloat32, "A")),
        B(placeholder({depth, n}, kFloat32, "B")),
        k(reduce_axis(depth, "k")) {
    C = compute({m, n}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");
    s = std::make_unique<Schedule>(create_schedule(C));
  }
  Args args() const { return {A, B, C}; }
  ir::Program program(const Target& target = Target()) const {
    return lower(*s, args(), target, "f", {.after_pass = {}, .verify = true});
  }
  Tensor A, B, C;
  IterVar k;
  std::unique_ptr<Schedule> s;
};

/// A product by blocks of 4 rows and 5 columns, with a thread for each element and slices of 3 steps of the reduction
/// in shared memory, which are double-buffered in `stages` stages (1: not at all).
struct Blocked : ScheduledProduct {
  explicit Blocked(std::int64_t stages, std::int64_t depth = 12) : Blocked(stages, stages, depth) {}
  Blocked(std::int64_t stages_a, std::int64_t stages_b, std::int64_t depth) : ScheduledProduct(8, 15, depth) {
    Schedule& schedule = *s;
    const Tensor tile = schedule.cache_write(C, ir::Scope::kLocal);
    a = schedule.cache_read(A, ir::Scope::kShared, {tile});
    b = schedule.cache_read(B, ir::Scope::kShared, {tile});
    const auto [by, bx, ty, tx] = schedule[C].tile(schedule[C].axis(0), schedule[C].axis(1), 4, 5);
    schedule[C].bind(by, kBlockIdxY).bind(bx, kBlockIdxX).bind(ty, kThreadIdxY).bind(tx, kThreadIdxX);
    schedule[tile].compute_at(schedule[C], tx);
    const auto [ko, ki] = schedule[tile].split(schedule[tile].reduce_axis(0), factor(3));
    schedule[tile].reorder({ko, ki, schedule[tile].axis(0), schedule[tile].axis(1)});
    for (const auto& [cache, stages] : {std::pair{a, stages_a}, std::pair{b, stages_b}}) {
      schedule[cache].compute_at(schedule[tile], ko);
      if (stages > 1) schedule[cache].double_buffer(stages);
    }
    schedule[a].bind(schedule[a].axis(0), kThreadIdxY).bind(schedule[a].axis(1), kThreadIdxX);
    schedule[b].bind(schedule[b].axis(0), kThreadIdxY).bind(schedule[b].axis(1), kThreadIdxX);
  }
  Tensor a, b;
};

/// The number of barriers in the loop over `name`.
inline int barriers_in_loop(const ir::Stmt& s, const std::string& name) {
  int count = 0;
  ir::for_each_stmt(s, [&](const ir::Stmt& inner) {
    const auto* loop = inner.as<ir::For>();
    if (loop != nullptr && loop->var.name() == name) count += count_barriers(loop->body);
  });
  return count;
}

}  // namespace nestwright::testing
