// Seeds of memory-bound stages: points, row reductions, column sums and transpositions. They are computed from the
// cache sizes and the number of threads.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "templates/generated/forms.h"
#include "templates/generated/stage_seed.h"

namespace nestwright {

/// Seeds of a stage of points, or of one whose rows are reduced.
std::vector<StageSeed> row_seeds(const StageAnalysis& stage, const Target& target);

/// Whether the stage's reduction along `form`'s axis is one of columns, as the rule column_sums takes it.
bool is_of_columns(const StageAnalysis& stage, const ReductionForm& form);

/// Seeds of such a stage.
std::vector<StageSeed> column_seeds(const StageAnalysis& stage, const ReductionForm& form, const Target& target);

}  // namespace nestwright
