// Seeds of memory-bound stages: points, row reductions, column sums and transpositions. They are computed from the
// cache sizes and the number of threads.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "templates/sketch/expression/forms.h"
#include "templates/sketch/seeds/stage_seed.h"

namespace nestwright {

/// Seeds of an elementwise stage, or of one that reduces rows.
std::vector<StageSeed> row_seeds(const StageAnalysis& stage, const Target& target);

/// Whether the reduction, in this form, is one over columns, as the rule column_sums requires: vectors run along the
/// last axis, and there is no row axis along which they could be reused.
bool is_of_columns(const StageAnalysis& stage, const ReductionForm& form);

/// Seeds of a stage for which is_of_columns() holds.
std::vector<StageSeed> column_seeds(const StageAnalysis& stage, const ReductionForm& form, const Target& target);

}  // namespace nestwright
