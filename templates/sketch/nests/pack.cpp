#include "templates/sketch/nests/pack.h"

#include <algorithm>

#include "templates/loops/divide.h"
#include "templates/loops/reductions.h"
#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

/// Position of the innermost loop that moves what `access` reads; -1 where none does.
int innermost_mover(const OperandAccess& access, const std::vector<SketchLoop>& loops, int outermost_reduce) {
  int found = -1;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const bool moves = loops[i].is_reduce ? access.mentions(outermost_reduce)
                                          : std::any_of(loops[i].axes.begin(), loops[i].axes.end(),
                                                        [&](int axis) { return access.mentions(axis); });
    if (moves) found = static_cast<int>(i);
  }
  return found;
}

/// The copy's dimensions: those of no reduction, tiles of `across`, those of the reduction, the elements of a tile.
std::vector<Expr> in_panels(std::span<const Expr> indices, const OperandAccess& access, int across, int spatial,
                            std::int64_t width) {
  std::vector<Expr> before, after;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (static_cast<int>(d) == across) continue;
    (mentions_reduction(access.axes[d], spatial) ? after : before).push_back(indices[d]);
  }
  const Expr index = indices[static_cast<std::size_t>(across)];
  before.push_back(width == 1 ? index : index / Expr(width));
  before.insert(before.end(), after.begin(), after.end());
  if (width > 1) before.push_back(index % Expr(width));
  return before;
}

/// The first of the outermost `count` loops that has several iterations, else the first loop.
IterVar first_of_several(const std::vector<IterVar>& loops, std::ptrdiff_t count) {
  const auto first = std::find_if(loops.begin(), loops.begin() + count, has_several);
  return first == loops.begin() + count ? loops.front() : *first;
}

/// Whether the stage reads the tensor by this access alone: otherwise one copy serves all accesses.
bool is_read_in_one_way(const StageAnalysis& sums, const OperandAccess& access) {
  return access.tensor.defined() &&
         std::count_if(sums.accesses.begin(), sums.accesses.end(),
                       [&](const OperandAccess& other) { return other.tensor == access.tensor; }) == 1;
}

class Packing {
 public:
  Packing(Sketch& sketch, const TileAxes& axes, const TileKnobs& knobs, const Tensor& tile,
          const std::vector<SketchLoop>& loops)
      : sketch_(sketch), axes_(axes), knobs_(knobs), tile_(tile), loops_(loops), t_(sketch.knobs_of(axes.sums)) {}

  /// `knob`: the name of the choice.
  void pack_vectors(const OperandAccess& access, const std::string& knob) {
    const StageAnalysis& sums = sketch_.of(axes_.sums);
    const int across = access.dimension_of(axes_.vector);
    const std::int64_t reuse = reuse_of(sums, access);
    const auto stride = access.strides[static_cast<std::size_t>(axes_.vector)];
    std::vector<std::string> options;
    const bool in_place = stride && *stride == 1;
    const bool may_copy =
        access.is_stored && across >= 0 && knobs_.vectors * knobs_.lanes > 1 && (reuse > 1 || access.is_constant);
    if (!is_packed(sums, access, axes_.vector) || knobs_.vectors * knobs_.lanes == 1) options.emplace_back("no");
    if (may_copy && access.is_constant) {
      options.emplace_back("prepared");
    } else if (may_copy && (reuse >= kMinPackingReuse || !in_place)) {
      if (is_read_in_one_way(sums, access) && !axes_.is_inner) options.emplace_back("block");
      options.emplace_back("whole");
    }
    const std::string chosen = t_.define_annotate(knob, options);
    if (chosen == "no") return;
    const Tensor packed = sketch_.schedule.cache_read(access.tensor, ir::Scope::kGlobal, {tile_});
    const std::vector<IterVar> loops = sketch_.schedule.transform_layout(packed, [&](std::span<const Expr> indices) {
      return in_panels(indices, access, across, sums.spatial, knobs_.vectors * knobs_.lanes);
    });
    Stage stage = sketch_.schedule[packed];
    const auto [vector, lane] = stage.split(loops.back(), factor(knobs_.lanes));
    stage.vectorize(lane);
    if (chosen == "prepared" || !read_by_rows(access, packed, across, {loops.begin(), loops.end() - 1}, vector)) {
      stage.unroll(vector);
    }
    const auto outside = std::count_if(access.axes.begin(), access.axes.end(), [&](const std::vector<int>& axes) {
      return !mentions_reduction(axes, sums.spatial);
    });
    place(stage, access, chosen, first_of_several(loops, outside));
  }

  void pack_rows(const OperandAccess& access) {
    const StageAnalysis& sums = sketch_.of(axes_.sums);
    const auto rank = static_cast<int>(access.identity.size());
    const int innermost = access.identity.back();
    const int across = access.dimension_of(axes_.row);
    const bool may_copy = access.is_stored && across >= 0 && rank > 1 && innermost >= sums.spatial &&
                          reuse_of(sums, access) >= kMinPackingReuse;
    std::vector<std::string> options{"no"};
    if (access.is_constant && across >= 0 && rank > 1) {
      options.emplace_back("prepared");
    } else if (may_copy && !axes_.is_inner) {
      options.emplace_back("block");
    }
    const std::string chosen = t_.define_annotate("pack_rows", options);
    if (chosen == "no") return;
    const Tensor packed = sketch_.schedule.cache_read(access.tensor, ir::Scope::kGlobal, {tile_});
    if (chosen == "prepared") {
      sketch_.schedule.transform_layout(packed, [&](std::span<const Expr> indices) {
        return in_panels(indices, access, across, sums.spatial, knobs_.rows);
      });
      sketch_.schedule[packed].prepare();
      return;
    }
    Stage stage = sketch_.schedule[packed];
    const std::vector<IterVar> loops = stage.loops();
    const std::int64_t line = 64 / access.tensor.dtype().bytes();
    // Rows that are a multiple of 4 KiB apart share few sets of the first-level cache; rows an odd number of lines
    // apart do not.
    stage.storage_align(loops[loops.size() - 2], 2 * line, line);
    const auto [vector, lane] = stage.split(
        loops.back(),
        factor(full_lanes(sums.extents[static_cast<std::size_t>(innermost)], access.tensor.dtype(), sketch_.target)),
        Tail::predicate());
    stage.vectorize(lane);
    place(stage, access, chosen, first_of_several(loops, static_cast<std::ptrdiff_t>(loops.size()) - 1));
  }

 private:
  /// Makes `packed` read the tensor into registers in vectors along its contiguous dimensions, as many as it then
  /// stores by columns. `loops`: those of `packed` outside `vector`. Returns false if the tensor is not contiguous
  /// along the reduction.
  bool read_by_rows(const OperandAccess& access, const Tensor& packed, int across, std::vector<IterVar> loops,
                    const IterVar& vector) {
    std::vector<IterVar> inside;  // loops of `packed` over a vector of the tensor
    std::vector<int> dimensions;  // that they run over
    std::int64_t size = 1;
    Stage stage = sketch_.schedule[packed];
    for (std::size_t d = access.axes.size(); size < knobs_.lanes && d-- > 0 && static_cast<int>(d) != across;) {
      if (!mentions_reduction(access.axes[d], sketch_.of(axes_.sums).spatial)) break;
      const std::int64_t extent = *ir::as_const_int(access.tensor.shape()[d]), most = knobs_.lanes / size;
      IterVar loop = loops.back();
      if (extent > most) {
        if (most == 1) break;
        const auto [outer, inner] = stage.split(loop, factor(most), Tail::partition());
        loops.back() = outer;
        loop = inner;
      } else {
        loops.pop_back();
      }
      inside.insert(inside.begin(), loop);
      stage.unroll(loop);
      if (extent > 1) dimensions.insert(dimensions.begin(), static_cast<int>(d));
      size *= std::min(extent, most);
      if (extent > most) break;
    }
    if (size == 1) return false;
    loops.push_back(vector);
    loops.insert(loops.end(), inside.begin(), inside.end());
    stage.reorder(loops);
    const Tensor rows = sketch_.schedule.cache_read(access.tensor, ir::Scope::kRegister, {packed});
    Stage reading = sketch_.schedule[rows];
    reading.compute_at(stage, vector);
    reading.unroll(reading.axis(across)).vectorize(reading.axis(dimensions.back()));
    dimensions.pop_back();
    for (const int d : dimensions) reading.unroll(reading.axis(d));
    return true;
  }

  void place(Stage stage, const OperandAccess& access, const std::string& how, const IterVar& shared) {
    if (how == "prepared") {
      stage.prepare();
      return;
    }
    const int at = how == "whole" ? -1 : innermost_mover(access, loops_, sketch_.of(axes_.sums).spatial);
    if (at < 0) {
      if (knobs_.fused > 0 || (axes_.is_inner && sketch_.parallel)) stage.parallel(shared);
      return;
    }
    stage.compute_at(sketch_.loops_of(axes_.stored), loops_[static_cast<std::size_t>(at)].loop);
  }

  Sketch& sketch_;
  const TileAxes& axes_;
  const TileKnobs& knobs_;
  const Tensor& tile_;
  const std::vector<SketchLoop>& loops_;
  ScopedTuning t_;
};

}  // namespace

bool is_packed(const StageAnalysis& sums, const OperandAccess& access, int vector) {
  const auto stride = access.strides[static_cast<std::size_t>(vector)];
  return stride != std::int64_t{1} && access.is_stored && access.dimension_of(vector) >= 0 &&
         (access.is_constant || reuse_of(sums, access) >= kMinPackingReuse);
}

void pack_operands(Sketch& sketch, const TileAxes& axes, const TileKnobs& knobs, const Tensor& tile,
                   const std::vector<SketchLoop>& loops) {
  Packing packing(sketch, axes, knobs, tile, loops);
  const StageAnalysis& sums = sketch.of(axes.sums);
  // Of several operands along the vector, those that would be gathered have a choice each, else the first has one.
  const bool gathers = std::any_of(sums.accesses.begin(), sums.accesses.end(),
                                   [&](const OperandAccess& access) { return is_packed(sums, access, axes.vector); });
  int vectors = 0;
  bool has_rows = false;
  for (const OperandAccess& access : sums.accesses) {
    const bool is_alone = is_read_in_one_way(sums, access);
    if (access.mentions(axes.vector)) {
      if (access.dimension_of(axes.vector) < 0 || (!is_alone && !gathers)) continue;
      if (gathers ? !is_packed(sums, access, axes.vector) : vectors > 0) continue;
      ++vectors;
      packing.pack_vectors(access, vectors == 1 ? "pack_vectors" : "pack_vectors_" + std::to_string(vectors));
    } else if (is_alone && !has_rows && axes.row >= 0 && access.mentions(axes.row)) {
      has_rows = true;
      packing.pack_rows(access);
    }
  }
}

}  // namespace nestwright
