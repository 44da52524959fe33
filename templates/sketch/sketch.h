// A partial schedule: what the rules of generated spaces have decided so far, and where the stages that are not yet
// scheduled may be computed.
// Thread rule: belongs to one run of a template.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "nestwright/template.h"
#include "templates/framework/knobs/scoped_tuning.h"
#include "templates/loops/vectors.h"
#include "templates/sketch/expression/analysis.h"
#include "templates/sketch/expression/forms.h"

namespace nestwright {

/// The largest number of sketches, which are combinations of choices, in a space.
inline constexpr std::int64_t kMaxSketches = 200;

/// How the dimensions of a stage depend on the axes of the nest that reads it.
struct SketchRelation {
  std::vector<std::set<int>> axes;  ///< of each dimension: the axes of the nest's stage that its region moves with
  std::vector<int> identity;        ///< of each dimension: the axis that it equals; -1: none

  /// Whether some dimension equals the axis.
  bool has_axis(int axis) const;
  /// Length of the longest prefix of the nest (at most `max_axes`) whose axes each index a dimension on their own.
  int leading_axes(int max_axes) const;
};

/// A loop of a nest that stages may be computed at.
struct SketchLoop {
  IterVar loop;
  std::set<int> axes;  ///< of the nest's stage: those that it runs over; none for a loop over a reduction
  bool is_reduce = false;
};

/// Stages between two products: the rows of the first one are changed, and then multiplied again.
struct BlockChain {
  int product = -1;  ///< the first product
  int last = -1;     ///< the stage that the second product reads
};

/// The loops of a stage at root, or of one that is computed in the blocks of another nest, outermost first.
struct SketchNest {
  /// Loops over rows, over register tiles of a reduction, or over tiles of columns, the last axis.
  enum class Kind : std::uint8_t { kRows, kTiles, kColumns } kind = Kind::kRows;
  int stage = -1;
  std::vector<SketchLoop> loops;
  VectorTile columns{};  ///< of kColumns: the tile of the last axis that the innermost loop runs over
  BlockChain chain{};    ///< of kTiles: stages that are computed for each block of rows
  int outer = -1;        ///< the nest in whose blocks this one is; -1: at root
  int at = -1;           ///< the loop of that nest
};

/// The inputs that are the same in every call.
std::vector<Tensor> constant_inputs_of(const Definition& definition);

/// An expression before it has a schedule.
struct NestDraft {
  Tuning& tuning;
  Definition& definition;
  const Target& target;
  /// The number of distant rows that are reduced at a time (row_streams.h); if above 1, the last axis of the sums runs
  /// over them. 0 if the definition is not of that kind.
  std::int64_t row_streams = 0;
};

class Sketch {
 public:
  explicit Sketch(const NestDraft& draft);

  Tuning& tuning;
  const Target& target;
  Schedule schedule;
  std::vector<StageAnalysis> stages;  ///< as of the last analyse()
  std::vector<SketchNest> nests;
  bool parallel = false;         ///< threads share the loops at root
  std::int64_t row_streams = 0;  ///< the draft's

  /// Analyses the stages again after primitives have changed them. Requires that no stage belongs to a nest yet.
  void analyse();
  const std::vector<Tensor>& constants() const { return constants_; }
  const StageAnalysis& of(int stage) const { return stages[static_cast<std::size_t>(stage)]; }
  Stage loops_of(int stage) { return schedule[of(stage).tensor]; }
  /// The knobs of one stage: C.rows.
  ScopedTuning knobs_of(int stage) { return {tuning, of(stage).name + "."}; }
  /// A choice, which offers only its first option if more would exceed kMaxSketches.
  std::string choose(const std::string& name, std::vector<std::string> options);
  /// The same, made at the first call; later calls return its option.
  std::string choose_once(const std::string& name, const std::vector<std::string>& options);

  /// The form of a reduction: a choice, which is made when it is first asked for.
  const ReductionForm& form_of(int stage);
  bool is_tiled(int stage) { return of(stage).is_reduction && form_of(stage).kind == ReductionForm::Kind::kTiles; }

  /// Marks the nest's stage as finished and adds the nest, which its producers may join. Returns the nest's number.
  int add_nest(SketchNest nest);
  /// Marks `stage` as finished: computed inside nest number `nest`, at the nest's loop number `at` (-1: at none).
  void join(int stage, int nest, int at);
  /// Marks `stage` as finished, without a nest.
  void finish(int stage) { finished_.insert(stage); }
  bool is_finished(int stage) const { return finished_.count(stage) > 0; }
  /// The nest that a stage belongs to, or -1.
  int nest_of(int stage) const { return nest_of_[static_cast<std::size_t>(stage)]; }
  /// The loop of its nest that a stage joined at, or -1.
  int joined_at(int stage) const { return joined_at_[static_cast<std::size_t>(stage)]; }
  /// The nest that all readers of a stage belong to, or -1.
  int nest_of_readers(int stage) const;
  /// How a stage that is read only inside of `nest` depends on the nest's axes.
  SketchRelation relation(int stage, int nest) const;
  /// The relation of a stage to its own axes.
  SketchRelation own_relation(int stage) const;
  /// The number of leading axes of the nest's stage, each of which some dimension of `relation` equals.
  int common_rows(const SketchRelation& relation, int nest) const;

  /// For rules that look at the stages above before they make the nest of `root`: calls `joins`, consumers before
  /// producers, with each stage that only the root and stages that join it read, and with its relation to the root's
  /// axes. `joins` returns whether the stage will join the nest.
  void for_each_follower(int root, const std::function<bool(int stage, const SketchRelation&)>& joins) const;

 private:
  /// How a stage depends on the axes to which its readers have the given relations.
  SketchRelation relation(int stage, const std::vector<std::pair<int, SketchRelation>>& readers) const;

  std::vector<Tensor> constants_;
  std::int64_t sketches_ = 1;
  std::map<std::string, std::string> chosen_;
  std::map<int, ReductionForm> forms_;
  std::set<int> finished_;
  std::vector<int> nest_of_, joined_at_;
  std::vector<SketchRelation> relations_;  ///< to the nest of each stage
};

}  // namespace nestwright
