// How to compute tensors: the loops of each operation, and the primitives that transform them. Names and meanings are
// those of TVM's tensor expression schedules. docs/language.md has, for each primitive, its rewrite as before -> after
// loops and its preconditions. A primitive whose preconditions do not hold throws ScheduleError and changes nothing.
//
//   Schedule s = create_schedule(C);
//   auto [i0, i1] = s[C].split(s[C].axis(0), factor(32));
//   s[C].parallel(i0);
//
// Thread rule: a Schedule belongs to one thread at a time; the other types are values.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nestwright/program.h"
#include "nestwright/tensor.h"

namespace nestwright {

struct ScheduleState;  // the data that the lowering reads

}  // namespace nestwright

#pragma GCC visibility push(default)

namespace nestwright {

// Names for the memory of a stage, as Stage::set_scope, Schedule::cache_read and Schedule::cache_write take them.
inline constexpr ir::Scope kGlobal = ir::Scope::kGlobal;
inline constexpr ir::Scope kShared = ir::Scope::kShared;
inline constexpr ir::Scope kLocal = ir::Scope::kLocal;
inline constexpr ir::Scope kRegister = ir::Scope::kRegister;
inline constexpr ir::Scope kTile = ir::Scope::kTile;
inline constexpr ir::Scope kFragment = ir::Scope::kFragment;

// Names for the block and thread indices of a GPU, to which Stage::bind binds an axis.
inline constexpr ir::LoopKind kBlockIdxX = ir::LoopKind::kBlockX;
inline constexpr ir::LoopKind kBlockIdxY = ir::LoopKind::kBlockY;
inline constexpr ir::LoopKind kBlockIdxZ = ir::LoopKind::kBlockZ;
inline constexpr ir::LoopKind kThreadIdxX = ir::LoopKind::kThreadX;
inline constexpr ir::LoopKind kThreadIdxY = ir::LoopKind::kThreadY;
inline constexpr ir::LoopKind kThreadIdxZ = ir::LoopKind::kThreadZ;
/// Iterations that one thread interleaves, statement by statement. A stage may have several such loops.
inline constexpr ir::LoopKind kVThread = ir::LoopKind::kVirtualThread;

// --- Tails -----------------------------------------------------------------------------------------------------------
// How a split executes the remaining iterations where its factor does not divide the extent.

enum class TailKind : std::uint8_t {
  kGuard,      ///< `if (likely(i < extent))` around the body. Always legal; costs a test in each iteration.
  kPartition,  ///< a full main body and a peeled tail. Requires a constant extent; doubles the code of the body.
  kPredicate,  ///< masked loads and stores in a vectorised inner loop: only in the last block where the extent is
               ///< constant, else in every block. The tail of an inner loop that is not vectorised is partitioned where
               ///< the extent is constant, else guarded.
  kCompose,    ///< consecutive segments, each with its own inner extent, that cover the extent exactly. One copy of the
               ///< body for each segment.
};

/// A tail strategy with its parameters.
struct Tail {
  TailKind kind = TailKind::kGuard;
  /// kCompose: the inner extents of the segments, first to last. split chooses the number of tiles of each, and refuses
  /// where no combination covers the extent.
  std::vector<std::int64_t> segments;

  static Tail guard() { return {}; }
  static Tail partition() { return {TailKind::kPartition, {}}; }
  static Tail predicate() { return {TailKind::kPredicate, {}}; }
  static Tail compose(std::vector<std::int64_t> segments) { return {TailKind::kCompose, std::move(segments)}; }
  /// The text that parse() takes: guard, partition, predicate, compose{14,12}.
  std::string str() const;
  /// The inverse of str(). Throws UsageError that lists the known strategies.
  static Tail parse(std::string_view text);
};

/// The number of tiles of each of `segments` that cover `extent` exactly, with as few tiles as possible and then as
/// many of the first segment as possible. Empty where no combination does. Requires positive segments.
std::vector<std::int64_t> compose_counts(std::int64_t extent, const std::vector<std::int64_t>& segments);

// --- Intrinsics: instructions for Stage::tensorize -------------------------------------------------------------------
// A small tensor expression, the pattern, which tensorize matches below a loop, and the statements that replace it:
//
//   C[l] += A[k] * B[l, k] over 16 lanes l and 4 positions k, whose operands may be rows of larger tensors

/// The part of a buffer that an input of the pattern, or its result, corresponds to. The pattern's dimensions are the
/// last dimensions of the buffer, beginning at `start`.
struct TensorSlice {
  Buffer buffer;
  std::vector<Expr> start;  ///< one index for each dimension of the buffer

  /// The element at `offsets`, one for each dimension of the pattern.
  Expr load(const std::vector<Expr>& offsets) const;
  ir::Stmt store(const std::vector<Expr>& offsets, Expr value) const;

 private:
  std::vector<Expr> indices(const std::vector<Expr>& offsets) const;
};

struct TensorIntrinsic {
  std::string name;  ///< its name in a trace
  /// A tensor of constant extents with one result, a reduction or not. An operand matches a placeholder of it by type,
  /// rank and, where the placeholder declares strides (which must be constant), strides of the last dimensions.
  Tensor pattern;
  std::vector<Tensor> inputs;  ///< the placeholders, in the order in which `emit` takes them
  /// Variables of the pattern, made by var(). Each stands for a value of its type that is the same in the whole tile,
  /// such as a factor that is read once. `emit` uses them, and the lowering substitutes the values.
  std::vector<Var> scalars;
  /// Statements in loop form for one tile. For a reduction, they combine the tile with the values already stored. They
  /// access the tiles alone, and buffers that they allocate; the lowering refuses others.
  std::function<ir::Stmt(const TensorSlice& output, std::span<const TensorSlice> inputs)> emit;
  /// Statements that set a tile to the reduction's identity. Absent: a loop over each axis does so.
  std::function<ir::Stmt(const TensorSlice& output)> init;
};

/// Dot products of four bytes, 16 at once: C[l] += A[k] * B[l, k] for l in 0..16, k in 0..4, of uint8 by int8 into
/// int32 that wraps around. One instruction on CPUs with AVX512_VNNI.
TensorIntrinsic dot_u8s8_16x4();

/// The built-in intrinsic of this name. Throws UsageError that lists the known names.
TensorIntrinsic find_tensor_intrinsic(const std::string& name);

// --- Traces ----------------------------------------------------------------------------------------------------------
// The record of the primitives that made a schedule. It names loops by stage and order of creation, so that it can be
// replayed on another schedule of the same expression, in any process.

class Schedule;

/// One primitive with its arguments, as in "split C.0 factor=32 tail=guard". C.0 is the first loop of the stage named
/// C, in the order in which its loops were created; new loops are not written down.
struct TraceStep {
  std::string primitive;
  std::vector<std::string> arguments;
  friend bool operator==(const TraceStep&, const TraceStep&) = default;
};

class Trace {
 public:
  void append(TraceStep step) { steps_.push_back(std::move(step)); }
  const std::vector<TraceStep>& steps() const { return steps_; }
  /// One step per line.
  std::string str() const;
  /// The inverse of str(). Throws UsageError that names the malformed line.
  static Trace parse(std::string_view text);
  /// Applies the steps to a schedule that has none yet. Intrinsics of tensorize are looked up in `own`, then among the
  /// built-in ones. Throws ScheduleError as the primitives do, and UsageError for an unknown intrinsic.
  void replay(Schedule& schedule, std::span<const TensorIntrinsic> own = {}) const;
  friend bool operator==(const Trace&, const Trace&) = default;

 private:
  std::vector<TraceStep> steps_;
};

/// Names of the primitives that a trace may contain, in alphabetical order.
std::vector<std::string> traced_primitives();

// --- Schedules -------------------------------------------------------------------------------------------------------

/// The size of a split: exactly one of the two members is set.
struct SplitSize {
  std::vector<std::int64_t> factors;  ///< one: the inner extent; several: the segments of a composed split
  std::int64_t nparts = 0;            ///< not 0: the most parts; the inner extent is ceil(n / nparts) in a region of n
};
/// The sizes that split takes: by the inner extent, or by the number of parts.
SplitSize factor(std::int64_t inner_extent);
SplitSize nparts(std::int64_t max_parts);

/// The largest number of slots of a double-buffered stage.
inline constexpr std::int64_t kMaxSlots = 8;

/// The largest number of iterations of a vectorized loop: each full vector of them is a copy of the body.
inline constexpr std::int64_t kMaxVectorizedIterations = 65536;

/// The loops of one operation. A reference into the schedule, valid as long as the schedule lives.
class Stage {
 public:
  /// An axis of the operation before any primitive. Throws UsageError where there is no axis of this number.
  IterVar axis(int i) const;
  IterVar reduce_axis(int i) const;
  /// The current loops, outermost first.
  std::vector<IterVar> loops() const;
  /// The tensor that the stage computes, by its first result.
  Tensor tensor() const;

  // The primitives. Each one throws ScheduleError where its preconditions do not hold. Those that return the stage can
  // be chained.

  /// p -> p.outer, p.inner, which are returned. Where the factor does not divide the extent, `tail` decides.
  std::pair<IterVar, IterVar> split(const IterVar& loop, SplitSize size, Tail tail = Tail::guard());
  /// Splits both loops and reorders the result: outer_i, outer_j, inner_i, inner_j.
  std::array<IterVar, 4> tile(const IterVar& i, const IterVar& j, std::int64_t factor_i, std::int64_t factor_j,
                              Tail tail = Tail::guard());
  /// outer, inner -> one loop, which is returned.
  IterVar fuse(const IterVar& outer, const IterVar& inner);
  /// Permutes the given loops among their positions, outermost first.
  Stage& reorder(const std::vector<IterVar>& loops);
  /// Runs the iterations, at most kMaxVectorizedIterations, as the lanes of vectors. A stage that is computed at a loop
  /// counts those of the part that it computes there, and is refused by the lowering.
  Stage& vectorize(const IterVar& loop);
  /// Repeats the body for each iteration.
  Stage& unroll(const IterVar& loop);
  /// Runs the iterations on several threads, in any order.
  Stage& parallel(const IterVar& loop);
  /// Maps the iterations to an index of a GPU. `axis`: kBlockIdxX, ..., kThreadIdxX, ... or kVThread.
  Stage& bind(const IterVar& loop, ir::LoopKind axis);
  /// Computes the stage inside `loop` of `consumer`, in each iteration the part that the iteration reads.
  Stage& compute_at(const Stage& consumer, const IterVar& loop);
  /// Computes the stage's elements where they are read, without storing them.
  Stage& compute_inline();
  /// Computes the whole stage before its consumers, as every stage is at first.
  Stage& compute_root();
  /// Computes the stage once, before the calls, from inputs that do not change (packed weights). Calls do not take
  /// inputs that only prepared stages read.
  Stage& prepare();
  /// Stores the result in this memory: kGlobal, kShared, ....
  Stage& set_scope(ir::Scope scope);
  /// Prefetches, in each iteration of `loop`, the elements of `tensor` that the iteration `distance` later accesses.
  Stage& prefetch(const Tensor& tensor, const IterVar& loop, std::int64_t distance);
  /// Pads the storage so that the stride of `axis`, in elements, is `offset` modulo `factor`.
  Stage& storage_align(const IterVar& axis, std::int64_t factor, std::int64_t offset);
  /// Writes the output by non-temporal stores, where vectors are whole and aligned: the data bypass the caches. Calls
  /// refuse memory for it that is not aligned to 64 bytes.
  Stage& stream();
  /// Keeps `stages` copies of the storage (2 to kMaxSlots): an iteration of the loop that the stage is computed at
  /// reads one of them and fills another for the iteration that comes `stages` - 1 later.
  Stage& double_buffer(std::int64_t stages = 2);
  /// Replaces the loops from `loop` inwards, which must compute the pattern of `intrinsic`, by its statements.
  Stage& tensorize(const IterVar& loop, const TensorIntrinsic& intrinsic);
  /// A hint to the lowering. `name` is auto_unroll, where `value` is the largest number of statements that this loop
  /// and those inside it may each unroll to; in_threads, where `value` is 1: the time loop of a scan runs inside the
  /// threads of its steps, in one launch; or estrin, where `value` is 1: polynomials of functions inside the loop are
  /// in Estrin's form.
  Stage& pragma(const IterVar& loop, std::string_view name, std::int64_t value);

 private:
  friend class Schedule;
  Stage(ScheduleState* state, Tensor origin) : state_(state), origin_(std::move(origin)) {}
  ScheduleState* state_;
  Tensor origin_;  // not the stage's index, which changes when caches are inserted
};

/// The schedule of all operations that the outputs depend on. Owns its state; moves, never copies. Every use of a
/// moved-from schedule throws UsageError.
class Schedule {
 public:
  /// See create_schedule.
  explicit Schedule(std::vector<Tensor> outputs);
  Schedule(Schedule&&) noexcept;
  Schedule& operator=(Schedule&&) noexcept;
  ~Schedule();

  /// The stage that computes `tensor`. Throws ScheduleError where the schedule does not have it.
  Stage operator[](const Tensor& tensor);

  /// Adds a stage that copies `tensor` into `scope`, which `readers` then read instead of `tensor`. Returns its tensor:
  /// schedule it through s[result].
  Tensor cache_read(const Tensor& tensor, ir::Scope scope, const std::vector<Tensor>& readers);
  /// Adds a stage in `scope` that does the computing; the stage of `tensor` becomes the copy out of it. Returns the new
  /// stage's tensor. Without `below`, all loops of the reduction move to the new stage, and the others stay. With
  /// `below`, a loop of its reduction that a split made, the reduction loops inside `below` move to the new stage and
  /// `below` stays: every block but the first starts from the values stored in `tensor`.
  Tensor cache_write(const Tensor& tensor, ir::Scope scope, const std::optional<IterVar>& below = {});
  /// Adds a stage of partial results, one for each iteration of the reduction loop `loop`, which the stage of `tensor`
  /// then reduces. There `loop` is spatial axis number `axis`, which may be vectorized, parallel or bound. Returns the
  /// new stage's tensor; for a tuple, the tensor of its first member.
  Tensor rfactor(const Tensor& tensor, const IterVar& loop, int axis = 0);
  /// Stores a stage in another layout: layout(axes) gives the new indices, each an axis or, for a cache, axis / c or
  /// axis % c. Partial tiles are padded with zeros. The new indices become the loops of the stage and are returned.
  std::vector<IterVar> transform_layout(const Tensor& cache,
                                        const std::function<std::vector<Expr>(std::span<const Expr>)>& layout);

  /// Every primitive applied so far, in order; can be replayed and serialised.
  const Trace& trace() const;
  /// The stages with their loops and attachments, for people to read.
  std::string str() const;
  /// The schedule as the lowering reads it.
  const ScheduleState& state() const;

 private:
  ScheduleState& own_state();

  std::unique_ptr<ScheduleState> state_;
};

/// The default schedule of `outputs`: every operation at root, its axes as loops. Throws UsageError for an output that
/// is not computed, for a reduce axis shared by two tensors, and for a tensor that certainly reads out of bounds or
/// reduces over extents that disagree, and for scans that share a state or an init, or whose
/// step has an output.
Schedule create_schedule(const Tensor& output);
Schedule create_schedule(std::vector<Tensor> outputs);

}  // namespace nestwright

#pragma GCC visibility pop
