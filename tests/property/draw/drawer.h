// Applies a primitive with random arguments. To add a primitive, write its drawer and a line in table.cpp; a test
// compares the table with the primitives that Trace::replay knows.
//
// A drawer chooses arguments that are usually but not always legal. A refusal must leave the schedule unchanged, which
// the caller checks.
// Thread rule: that of the schedule.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/schedule.h"
#include "schedule/state/state.h"
#include "tests/property/expression.h"

namespace nestwright::property {

class Draw {
 public:
  Draw(Choices& random, Schedule& schedule, const std::vector<Tile>& tiles, std::optional<TailKind> goal_tail)
      : choices(random), schedule_(schedule), tiles_(tiles), goal_tail_(goal_tail) {}

  Choices& choices;

  Schedule& schedule() { return schedule_; }
  const ScheduleState& state() const { return schedule_.state(); }
  const std::vector<Tile>& tiles() const { return tiles_; }  ///< computes that tensorize applies to
  /// A stage that `accepts`, with any number of loops; nullptr where there is none.
  const StageState* stage(const std::function<bool(const StageState&)>& accepts = {});
  /// A leaf of the stage: in nine of ten cases one that `accepts`, and seldom the time of a scan's step. Absent where
  /// the stage has no loops.
  std::optional<IterVar> loop(const StageState& stage, const std::function<bool(const IterVar&)>& accepts = {});
  /// The tensors that the stage reads, as the schedule names them.
  std::vector<Tensor> reads(const StageState& stage) const;
  Stage handle(const StageState& stage) { return schedule_[stage.origin]; }

  /// The constant extent, or a plausible value of a symbolic one.
  static std::int64_t extent(const IterVar& loop);
  /// The number of iterations of all loops of the stage.
  static std::int64_t points(const StageState& stage);
  bool is_plain(const StageState& stage, const IterVar& loop) const;  ///< not annotated, nothing attached
  /// Whether the loop is the time axis of a stage in a scan's step.
  bool is_step_time(const StageState& stage, const IterVar& loop) const;
  /// The outermost leaf whose iterations may run in any order; absent where there is none.
  std::optional<IterVar> first_spatial(const StageState& stage) const;
  ir::Scope scope();
  Tail tail(const IterVar& loop);

  /// A further step that makes sense only after this one succeeded.
  struct Next {
    std::string primitive;
    std::function<void()> apply;
  };
  void then(std::string primitive, std::function<void()> apply) {
    next_.push_back({std::move(primitive), std::move(apply)});
  }
  std::vector<Next> take_next() { return std::move(next_); }

 private:
  Schedule& schedule_;
  const std::vector<Tile>& tiles_;
  std::optional<TailKind> goal_tail_;
  std::vector<Next> next_;
};

struct Drawer {
  const char* primitive;
  std::uint32_t weight;
  /// False where the schedule has nothing to try the primitive on. Throws ScheduleError as the primitive does.
  bool (*draw)(Draw&);
};
const std::vector<Drawer>& drawers();

// Loops.
bool draw_split(Draw& d);
bool draw_tile(Draw& d);
bool draw_fuse(Draw& d);
bool draw_reorder(Draw& d);
// How loops run.
bool draw_vectorize(Draw& d);
bool draw_unroll(Draw& d);
bool draw_parallel(Draw& d);
bool draw_prefetch(Draw& d);
bool draw_stream(Draw& d);
bool draw_bind(Draw& d);
bool draw_pragma(Draw& d);
bool draw_tensorize(Draw& d);
// Where stages are computed and stored.
bool draw_compute_at(Draw& d);
bool draw_compute_inline(Draw& d);
bool draw_compute_root(Draw& d);
bool draw_prepare(Draw& d);
bool draw_set_scope(Draw& d);
bool draw_cache_read(Draw& d);
bool draw_cache_write(Draw& d);
bool draw_transform_layout(Draw& d);
bool draw_storage_align(Draw& d);
bool draw_rfactor(Draw& d);
bool draw_double_buffer(Draw& d);

}  // namespace nestwright::property
