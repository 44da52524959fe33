// The schedule as data: what the primitives write and the lowering reads.
// Thread rule: as for the schedule it belongs to.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "expression/tensor.h"
#include "ir/core/program.h"
#include "schedule/tail.h"
#include "schedule/tensor_intrinsic.h"
#include "schedule/trace.h"

namespace nestwright {

/// parent -> outer, inner:  parent = outer*factor + inner, relative to the start of the parent's domain.
/// Composed: segment s has counts[s] tiles of factors[s]; outer runs over all tiles, inner up to the largest factor.
struct SplitRelation {
  IterVar parent, outer, inner;
  std::vector<std::int64_t> factors;  ///< one, but for a composed split
  std::vector<std::int64_t> counts;   ///< composed: tiles of each factor; empty otherwise
  Tail tail;
};
/// outer, inner -> fused:  fused = outer*extent(inner) + inner.
struct FuseRelation {
  IterVar outer, inner, fused;
};
/// axis -> tile index and position in the tile, by transform_layout: axis = outer*factor + inner, relative to the start
/// of the stage's region. The iterations past the region are part of the stage: they store the neutral value.
struct LayoutRelation {
  IterVar axis, outer, inner;
  std::int64_t factor;
};
using Relation = std::variant<SplitRelation, FuseRelation, LayoutRelation>;

enum class AttachKind : std::uint8_t {
  kRoot,
  kInline,
  kAt,
  kPrepared,  ///< as a whole, in the preparation, before the calls
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

/// storage_align: stride % factor == offset of the dimension `axis`.
struct AlignNote {
  IterVar axis;
  std::int64_t factor, offset;
};

enum class PragmaKind : std::uint8_t {
  kAutoUnroll,  ///< value: the most statements that one loop is unrolled to
  kInThreads,   ///< the time of a scan runs inside the threads of its steps
};
const char* pragma_name(PragmaKind kind);  // "auto_unroll", "in_threads"
struct PragmaNote {
  IterVar loop;
  PragmaKind kind;
  std::int64_t value;
};

/// tensorize: the intrinsic does what the loops from `loop` on do.
struct TensorizeNote {
  IterVar loop;
  std::shared_ptr<const TensorIntrinsic> intrinsic;
};

struct StageState {
  std::string name;  ///< unique in the schedule, placeholders included; the tensor's name, numbered where that is taken
  Tensor origin;     ///< what the user calls it, by its first result: key of Schedule::operator[]
  Operation op;      ///< what it computes now; differs from origin's where caches were put in
  bool is_output = false;
  std::vector<IterVar> leaves;            ///< the loops now, outermost first
  std::vector<Relation> relations;        ///< in order of application
  std::vector<IterVar> named;             ///< every axis in order of creation: how a trace names them
  std::map<IterVar, ir::LoopKind> kinds;  ///< serial where absent
  Attach attach;
  ir::Scope scope = ir::Scope::kGlobal;
  /// cache_write below a reduction loop. On the copying stage: the loops of the reduction that it keeps, outer parts of
  /// splits whose inner parts belong to `tile_stage`. On the tile's stage, `carried_from` is the copying stage.
  std::vector<IterVar> block_loops;
  int tile_stage = -1;
  int carried_from = -1;
  /// transform_layout: the stored dimensions, each an axis of the stage (a whole one, or outer or inner of a
  /// LayoutRelation).
  std::vector<IterVar> layout;
  /// cache_read: the tensor that the stage was made to copy; its op may read that through another cache or, inlined,
  /// compute it. Undefined for every other stage.
  Tensor copy_of;
  std::vector<PrefetchNote> prefetches;
  std::vector<PragmaNote> pragmas;
  std::vector<AlignNote> alignments;
  std::optional<TensorizeNote> tensorize;
  bool streams = false;  ///< its stores go round the caches
  /// double_buffer: kept in so many slots, which the iterations of `attach.loop` use in turns; 0: not double-buffered.
  int slots = 0;
};

/// A result of a stage.
struct Result {
  int stage = -1;  ///< -1: of a placeholder
  int number = 0;  ///< among the results of the stage's operation
};

struct ScheduleState {
  std::vector<StageState> stages;        ///< producers before consumers
  std::vector<Tensor> inputs;            ///< placeholders in order of first use
  std::vector<std::string> input_names;  ///< one an input, unique as the stages' names are
  std::vector<Tensor> states;            ///< of scans: placeholders that are no inputs
  std::vector<std::string> state_names;  ///< one a state
  std::vector<Tensor> outputs;
  std::vector<ir::Requirement> requirements;  ///< of the reads, whatever the schedule
  Trace trace;

  int find(const Operation& op) const;  ///< stage that computes `op` now, or -1
  /// The stage whose result is `buffer`; a state is a result of its scan. Caches keep the buffer of what they were put
  /// before, so that this finds the producer of any load.
  Result producer(const Buffer& buffer) const;
};

}  // namespace nestwright
