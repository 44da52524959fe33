// Innermost loops that several rules use: vectorised points and reductions of a row.
// Thread rule: as a Sketch's.
#pragma once

#include "templates/loops/vectors.h"
#include "templates/sketch/sketch.h"

namespace nestwright {

/// The most vectors of points that are worked on together; `is_expensive`: a point calls exp or the like.
std::int64_t max_vectors(bool is_expensive, const Target& target);

/// So many columns are one vector, however narrow: there is nothing to share.
inline constexpr std::int64_t kFewColumns = 4;

/// Computes `column`, a loop of `extent` iterations, in vectors; `in_blocks`: in blocks, which run in parallel. Returns
/// the loop over tiles of vectors.
IterVar schedule_columns(ScopedTuning& t, Stage loops, IterVar column, std::int64_t extent, const VectorTileKnobs& tile,
                         bool in_blocks);

/// Computes the last axis of a stage in vectors; `in_blocks`: as schedule_columns says.
void schedule_points(Sketch& sketch, ScopedTuning& t, int stage, bool in_blocks);

/// Offers non-temporal stores of an output, whose rows have `row` elements.
void define_stores(Sketch& sketch, ScopedTuning& t, const StageAnalysis& stage, std::int64_t row);

/// Offers to prefetch, at `loop` of the loops of `reader`, the inputs that are contiguous along the stage's axis
/// `axis`; for constant ones, their copies.
void prefetch_inputs(Sketch& sketch, ScopedTuning& t, const StageAnalysis& stage, int axis, const Tensor& reader,
                     const IterVar& loop);

/// Where a row reduction is computed: at loop `at` of the stage of `outer`, for `streams` consecutive elements of the
/// result's last axis at a time.
struct RowPlace {
  IterVar at;
  Tensor outer;
  std::int64_t streams = 1;
};

/// Computes a reduction in the form of sketch.form_of(stage): partial results in vectors, attached at `place`; or
/// vectors along the last axis; or as it is. Requires a reduction that is not at root or has a loop to attach at.
void schedule_row_reduction(Sketch& sketch, ScopedTuning& t, int stage, const RowPlace& place);

/// Chooses how many equal parts of `extent` elements, each a multiple of `unit` long, are interleaved: 1, or also 4 or
/// 8 if `bytes` do not fit into the second-level cache, since hardware prefetching stays within a page.
std::int64_t choose_side_by_side(Sketch& sketch, const std::string& stage, std::int64_t extent, std::int64_t unit,
                                 double bytes);

/// Computes partial results of `reduced`, a tensor of `stage`, in vectors along `k`, its innermost reduce axis of
/// `extent` iterations, and attaches them at `place`. Defines the knobs vectors, vector_lanes and prefetch.
void schedule_lanes(Sketch& sketch, ScopedTuning& t, int stage, const Tensor& reduced, const IterVar& k,
                    std::int64_t extent, const RowPlace& place);

}  // namespace nestwright
