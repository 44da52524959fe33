// How to compute it: stages, their loops, and the primitives that rearrange them. The names and meanings are those of
// TVM's tensor expression schedules. Each primitive has a file under schedule/primitives/ that states its rewrite as
// before -> after loops and its numbered preconditions; it throws ScheduleError before anything is changed.
//
//   Schedule s = create_schedule(C);
//   auto [i0, i1] = s[C].split(s[C].axis(0), factor(32));
//   s[C].parallel(i0);
//
// Thread rule: a Schedule belongs to one thread at a time.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expression/tensor.h"
#include "schedule/tail.h"
#include "schedule/tensor_intrinsic.h"
#include "schedule/thread_axis.h"
#include "schedule/trace.h"

namespace nestwright {

struct ScheduleState;  // schedule/state.h: the data that the lowering reads
class Schedule;

/// How a split is sized.
struct SplitSize {
  std::vector<std::int64_t> factors;  ///< one: the inner extent; several: those of a composed split's segments
  std::int64_t nparts = 0;            ///< the outer extent at most, where not 0: ceil(extent/nparts) is the inner one
};
SplitSize factor(std::int64_t inner_extent);
SplitSize nparts(std::int64_t outer_extent);

/// A double-buffered stage has at most so many slots.
inline constexpr std::int64_t kMaxStages = 8;

/// One operation's loops. A light reference into the schedule, valid as long as that lives, whatever stages are added.
class Stage {
 public:
  /// Axes of the operation, as they were before any primitive. Throw UsageError for a number that there is none of.
  IterVar axis(int i) const;
  IterVar reduce_axis(int i) const;
  /// The loops as they are now, outermost first.
  std::vector<IterVar> loops() const;
  Tensor tensor() const;

  std::pair<IterVar, IterVar> split(const IterVar& loop, SplitSize size, Tail tail = Tail::guard());
  /// outer_i, outer_j, inner_i, inner_j, reordered so.
  std::array<IterVar, 4> tile(const IterVar& i, const IterVar& j, std::int64_t factor_i, std::int64_t factor_j,
                              Tail tail = Tail::guard());
  IterVar fuse(const IterVar& outer, const IterVar& inner);
  Stage& reorder(const std::vector<IterVar>& loops);
  Stage& vectorize(const IterVar& loop);
  Stage& unroll(const IterVar& loop);
  Stage& parallel(const IterVar& loop);
  /// `axis`: kBlockIdxX, ..., kThreadIdxX, ... or kVThread (schedule/thread_axis.h).
  Stage& bind(const IterVar& loop, ir::LoopKind axis);
  Stage& compute_at(const Stage& consumer, const IterVar& loop);
  Stage& compute_inline();
  Stage& compute_root();
  /// Computed once, before the calls, of inputs that stay the same: packed weights. What is read only so, a call does
  /// without.
  Stage& prepare();
  Stage& set_scope(ir::Scope scope);
  /// Hints that what `tensor` needs `distance` iterations of `loop` later will be read.
  Stage& prefetch(const Tensor& tensor, const IterVar& loop, std::int64_t distance);
  /// Pads the storage so that the stride of `axis`, in elements, is `offset` modulo `factor`.
  Stage& storage_align(const IterVar& axis, std::int64_t factor, std::int64_t offset);
  /// Stores what nobody reads soon round the caches: whole, aligned vectors do.
  Stage& stream();
  /// `stages` slots for the storage, used in turns: an iteration of the loop that the stage is computed at reads one
  /// and fills another for the iteration that comes `stages` - 1 later. From 2 to kMaxStages.
  Stage& double_buffer(std::int64_t stages = 2);
  /// What `intrinsic` becomes takes the place of the loops from `loop` on, which compute its pattern.
  Stage& tensorize(const IterVar& loop, const TensorIntrinsic& intrinsic);
  /// A wish for the lowering. `name`: auto_unroll, with the most statements that one loop is unrolled to; in_threads,
  /// with 1, at the time of a scan, which then runs inside the threads that its steps are bound to, in one launch.
  Stage& pragma(const IterVar& loop, std::string_view name, std::int64_t value);

 private:
  friend class Schedule;
  Stage(ScheduleState* state, Tensor origin) : state_(state), origin_(std::move(origin)) {}
  ScheduleState* state_;
  Tensor origin_;  // not the stage's number, which changes when caches are put in
};

class Schedule {
 public:
  explicit Schedule(std::vector<Tensor> outputs);
  Schedule(Schedule&&) noexcept;
  Schedule& operator=(Schedule&&) noexcept;
  ~Schedule();

  /// The stage that computes `tensor`. Throws ScheduleError where it is not part of this schedule.
  Stage operator[](const Tensor& tensor);

  /// A copy of `tensor` in `scope`, read by `readers` in its stead. Schedule it through s[result].
  Tensor cache_read(const Tensor& tensor, ir::Scope scope, const std::vector<Tensor>& readers);
  /// A stage in `scope` that does the computing; `tensor`'s own stage becomes the copy out of it. Without `below`,
  /// `tensor` must not be scheduled yet, and all its loops move to the result. With `below`, a loop split off its
  /// reduction: the loops of the reduction inside `below` move to the result, `below` stays a loop of `tensor`'s stage,
  /// and the tile starts from `tensor` in every block but the first.
  Tensor cache_write(const Tensor& tensor, ir::Scope scope, const std::optional<IterVar>& below = {});
  /// A stage of partial results, one an iteration of `loop` of the reduction, which the tensor's stage then reduces:
  /// `loop` is a spatial axis there, number `axis`, to be vectorized, parallel or bound. Of a tuple, the first
  /// member's.
  Tensor rfactor(const Tensor& tensor, const IterVar& loop, int axis = 0);
  /// Stores a cache stage in another layout: layout(axes) gives the new indices, each an axis, axis / c or axis % c.
  /// Padded up to whole tiles with the neutral value. The stage's loops become the new indices.
  std::vector<IterVar> transform_layout(const Tensor& cache,
                                        const std::function<std::vector<Expr>(std::span<const Expr>)>& layout);

  /// Every primitive applied so far, in order; replayable and serialisable.
  const Trace& trace() const;
  /// Stages with their loops and attachments, for people.
  std::string str() const;
  const ScheduleState& state() const { return *state_; }

 private:
  std::unique_ptr<ScheduleState> state_;
};

/// Throw UsageError for an output that is no computed tensor, for a reduce axis of two tensors, and for a tensor that
/// certainly reads out of bounds or reduces over extents that disagree (expression/check_reads.h).
Schedule create_schedule(const Tensor& output);
Schedule create_schedule(std::vector<Tensor> outputs);

}  // namespace nestwright
