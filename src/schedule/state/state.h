// The schedule as data: the primitives write it, and the lowering reads it.
// Thread rule: belongs to the thread of its schedule.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nestwright/program.h"
#include "nestwright/schedule.h"
#include "nestwright/tensor.h"

namespace nestwright {

/// parent -> outer, inner, where parent = outer*factor + inner, relative to the start of the parent's domain.
/// Of a composed split, segment s has counts[s] tiles of factors[s]; outer runs over all tiles, inner up to the largest
/// factor.
struct SplitRelation {
  IterVar parent, outer, inner;
  std::vector<std::int64_t> factors;  ///< one, or several for a composed split
  std::vector<std::int64_t> counts;   ///< tiles of each factor of a composed split; else empty
  /// Not 0: the split is by this number of parts, and `factors` has the inner extent for the whole loop. In a region of
  /// n iterations, the inner extent is ceil(n / nparts).
  std::int64_t nparts = 0;
  Tail tail;
};
/// outer, inner -> fused, where fused = outer*extent(inner) + inner.
struct FuseRelation {
  IterVar outer, inner, fused;
};
/// axis -> outer, inner, the tile and the position in it, by transform_layout: axis = outer*factor + inner, relative to
/// the start of the stage's region. Iterations past the region belong to the stage and store zeros.
struct LayoutRelation {
  IterVar axis, outer, inner;
  std::int64_t factor;
};
using Relation = std::variant<SplitRelation, FuseRelation, LayoutRelation>;

enum class AttachKind : std::uint8_t {
  kRoot,
  kInline,
  kAt,
  kPrepared,  ///< computed as a whole by the preparation, before the calls
};
struct Attach {
  AttachKind kind = AttachKind::kRoot;
  int stage = -1;  ///< kAt: index of the consumer's stage
  IterVar loop;    ///< kAt: the consumer's loop
};

struct PrefetchNote {
  Tensor tensor;
  IterVar loop;
  std::int64_t distance;
};

/// storage_align: stride % factor == offset for the dimension `axis`.
struct AlignNote {
  IterVar axis;
  std::int64_t factor, offset;
};

enum class PragmaKind : std::uint8_t {
  kAutoUnroll,  ///< value: the largest number of statements that one loop is unrolled to
  kInThreads,   ///< the time loop of a scan runs inside the threads of its steps
  kEstrin,      ///< polynomials of functions are in Estrin's form
};
const char* pragma_name(PragmaKind kind);  // "auto_unroll", "in_threads", "estrin"
struct PragmaNote {
  IterVar loop;
  PragmaKind kind;
  std::int64_t value;
};

/// tensorize: the intrinsic replaces the loops from `loop` inwards.
struct TensorizeNote {
  IterVar loop;
  std::shared_ptr<const TensorIntrinsic> intrinsic;
};

struct StageState {
  std::string name;  ///< unique among stages and inputs: the tensor's name, numbered where that is taken
  Tensor origin;     ///< the tensor that the user computes by it, its first result: the key of Schedule::operator[]
  Operation op;      ///< what it computes now; differs from the operation of `origin` once caches are inserted
  bool is_output = false;
  std::vector<IterVar> leaves;            ///< the current loops, outermost first
  std::vector<Relation> relations;        ///< in order of application
  std::vector<IterVar> named;             ///< every axis in order of creation, as a trace numbers them
  std::map<IterVar, ir::LoopKind> kinds;  ///< serial where absent
  Attach attach;
  ir::Scope scope = ir::Scope::kGlobal;
  /// cache_write below a reduction loop. On the copying stage: the reduction loops that it keeps, outer parts of splits
  /// whose inner parts belong to `tile_stage`. On the tile's stage, `carried_from` is the copying stage.
  std::vector<IterVar> block_loops;
  int tile_stage = -1;
  int carried_from = -1;
  /// transform_layout: the stored dimensions, each an axis of the stage or the outer or inner part of a LayoutRelation.
  std::vector<IterVar> layout;
  /// cache_read: the tensor that the stage was made to copy. Its operation may read it through another cache, or
  /// compute it once it is inlined. Undefined for other stages.
  Tensor copy_of;
  std::vector<PrefetchNote> prefetches;
  std::vector<PragmaNote> pragmas;
  std::vector<AlignNote> alignments;
  std::optional<TensorizeNote> tensorize;
  bool non_temporal = false;  ///< by the primitive stream
  /// double_buffer: the number of slots, used by the iterations of `attach.loop` in rotation; 0: not double-buffered.
  int slots = 0;

  /// The loops that are not serial, with their kinds, outermost first.
  std::vector<std::pair<IterVar, ir::LoopKind>> marked_loops() const;
};

/// A result of a stage.
struct Result {
  int stage = -1;  ///< -1: a placeholder
  int number = 0;  ///< index among the results of the stage's operation
};

struct ScheduleState {
  std::vector<StageState> stages;        ///< producers before consumers
  std::vector<Tensor> inputs;            ///< placeholders in order of first use
  std::vector<std::string> input_names;  ///< one for each input, unique among inputs and stages
  std::vector<Tensor> states;            ///< of scans: placeholders that are not inputs
  std::vector<std::string> state_names;  ///< one for each state
  std::vector<Tensor> outputs;
  std::vector<ir::Requirement> requirements;  ///< of the reads, independent of the schedule
  Trace trace;

  int find(const Operation& op) const;  ///< index of the stage that computes `op` now, or -1
  /// The stage whose result is `buffer`; a state is a result of its scan. Finds the producer of any load, because the
  /// copy stage of a cache keeps the buffer of the tensor.
  Result producer(const Buffer& buffer) const;
};

}  // namespace nestwright
