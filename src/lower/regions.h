// Bounds inference: which part of a stage one iteration of the loop that it is attached to needs. Internal to lower/.
// Thread rule: immutable once made.
#pragma once

#include <map>
#include <vector>

#include "lower/frame.h"
#include "lower/storage.h"

namespace nestwright {

/// What a stage with a layout stores of the region in `roots`, one span a root: tiles to their ends.
std::vector<Span> whole_tiles(const StageGraph& graph, std::vector<Span> roots);

/// What one iteration of a loop needs of the stages that are attached to it.
struct AttachedRegions {
  std::vector<std::vector<Span>> regions;  ///< of each stage, one span a root
  /// Of each stage further inside that reads one of them, or what is made of it, what is needed in all, to whole
  /// tiles: that far they reach.
  /// What is inferred inside, with more loops open, may reach further.
  std::vector<std::pair<int, std::vector<Span>>> readers;
};

class Regions {
 public:
  /// `graphs`: one a stage of `schedule`. Throws LowerError where a stage is read outside the loop that it is attached
  /// to.
  Regions(const ScheduleState& schedule, const std::vector<StageGraph>& graphs);

  /// Stages attached at `leaf` of `stage`, producers first.
  const std::vector<int>& attached(int stage, int leaf) const;

  /// All of a stage, one span a root.
  std::vector<Span> full(int stage) const;

  /// The regions of `stages`, all attached at one loop of the stage of `frame`, in their order: for each root axis the
  /// indices that are read from there on.
  AttachedRegions attached_regions(const std::vector<int>& stages, const Frame& frame, const Facts& facts) const;
  /// What the stage of `frame` computes from there on, one span a root.
  std::vector<Span> own_region(const Frame& frame, const Facts& facts) const;
  /// Indices of `buffer` that the stage of `frame` itself reads from there on, one span a dimension.
  std::vector<Span> read_region(const ir::Buffer& buffer, const Frame& frame, const Facts& facts) const;

  /// True where `stage`, its root axes in `roots`, finds padding in all that it reads for the positions of root `root`
  /// that lie past the tensor: nothing there needs a guard.
  bool reads_padding(int stage, const std::vector<Span>& roots, std::size_t root,
                     const std::vector<std::optional<Storage>>& storages, const Facts& facts) const;

 private:
  struct Read {
    ir::Buffer buffer;
    std::vector<ir::Linear> indices;
  };
  using Known = std::map<int, std::vector<Span>>;  ///< by stage

  bool is_inside(int stage, int consumer, int position) const;
  void check_readers(int stage) const;
  /// `from` reads `buffer` with its root axes in `roots`: what it reads is joined to `region`.
  void join_reads(int from, const std::vector<Span>& roots, const ir::Buffer& buffer, std::vector<Span>& region,
                  const Facts& facts) const;
  const std::vector<Span>& region_of(int stage, const Frame& frame, const Facts& facts, Known& known) const;

  const ScheduleState& schedule_;
  const std::vector<StageGraph>& graphs_;
  std::vector<std::vector<Read>> reads_;                 ///< of each stage
  std::vector<std::vector<int>> readers_;                ///< of each stage
  std::vector<std::vector<std::vector<int>>> attached_;  ///< by stage and leaf
};

}  // namespace nestwright
