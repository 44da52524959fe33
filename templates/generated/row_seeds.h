// What seeds want of the stages that are limited by memory: points, rows that are reduced, sums of columns,
// transpositions. By formulas from the caches and the threads.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "templates/generated/forms.h"
#include "templates/generated/stage_seed.h"

namespace nestwright {

/// Of a stage of points, or of one whose rows are reduced.
std::vector<StageSeed> row_seeds(const StageAnalysis& stage, const Target& target);

/// Whether the stage's reduction along `form`'s axis is one of columns, as the rule column_sums takes it.
bool is_of_columns(const StageAnalysis& stage, const ReductionForm& form);

/// Of such a stage.
std::vector<StageSeed> column_seeds(const StageAnalysis& stage, const ReductionForm& form, const Target& target);

}  // namespace nestwright
