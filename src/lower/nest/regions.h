// Bounds inference: the region of a stage that one iteration of its attachment loop requires. Internal to lower/.
// Thread rule: immutable once made. Units: regions are in indices of axes, one span for each root axis of a stage.
//
//   B(i) = A(i) + A(i + 2), A attached at io of B's split i = io*8 + ii:   A's region is io*8 .. io*8 + 9
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "lower/nest/frame.h"
#include "lower/nest/storage.h"

namespace nestwright {

/// The region `roots`, with the extents of axes that a layout splits rounded up to whole tiles.
std::vector<Span> whole_tiles(const StageGraph& graph, std::vector<Span> roots);

/// The regions that one iteration of a loop requires of the stages attached to it.
struct AttachedRegions {
  std::vector<std::vector<Span>> regions;  ///< of each stage
  /// For every transitive consumer that is computed inside this loop: its required region, rounded up to whole tiles.
  /// `regions` covers everything that these consumers read. A region that is inferred in an inner loop may be larger.
  std::vector<std::pair<int, std::vector<Span>>> readers;
};

class Regions {
 public:
  /// `graphs` has one graph for each stage of `schedule`. Throws LowerError where a stage is read outside of its
  /// attachment loop.
  Regions(const ScheduleState& schedule, const std::vector<StageGraph>& graphs);

  /// The stages attached at `leaf` of `stage`, producers first.
  const std::vector<int>& attached(int stage, int leaf) const;

  /// The whole of a stage.
  std::vector<Span> full(int stage) const;
  /// The region that is computed of a stage that is not attached to a loop: the whole stage or, if only the steps of a
  /// scan read it, the rows that they read; then its readers, too.
  AttachedRegions unattached(int stage, const Facts& facts) const;

  /// The regions of `stages`, producers first, which are attached at one loop of the stage of `frame`: what is read
  /// inside of that loop. `extended` maps the required region of a stage to the computed one, from which the required
  /// regions of its producers follow.
  using Extension = std::function<std::vector<Span>(int stage, std::vector<Span> region)>;
  AttachedRegions attached_regions(const std::vector<int>& stages, const Frame& frame, const Facts& facts,
                                   const Extension& extended) const;
  /// The region that the stage of `frame` computes inside of the open loops.
  std::vector<Span> own_region(const Frame& frame, const Facts& facts) const;
  /// The indices of `buffer` that the stage of `frame` itself reads inside of the open loops, one span for each
  /// dimension.
  std::vector<Span> read_region(const ir::Buffer& buffer, const Frame& frame, const Facts& facts) const;

  /// Whether all reads of `stage`, with its root axes in `roots`, whose index depends on root axis `root` stay within
  /// the padding of the storage that they read: positions past the end of the tensor then need no guard.
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
  /// Extends `region` by the indices of `buffer` that stage `from` reads with its root axes in `roots`.
  void join_reads(int from, const std::vector<Span>& roots, const ir::Buffer& buffer, std::vector<Span>& region,
                  const Facts& facts) const;
  /// The required region of `stage`, from those of its readers, which it adds to `known`.
  const std::vector<Span>& region_of(int stage, const Frame& frame, const Facts& facts, Known& known) const;

  const ScheduleState& schedule_;
  const std::vector<StageGraph>& graphs_;
  std::vector<std::vector<Read>> reads_;                 ///< of each stage
  std::vector<std::vector<int>> readers_;                ///< of each stage
  std::vector<std::vector<std::vector<int>>> attached_;  ///< by stage and leaf
};

}  // namespace nestwright
