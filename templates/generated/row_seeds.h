// What seeds want of the stages that are limited by memory: points, rows that are reduced, sums of columns,
// transpositions. By formulas from the caches and the threads.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "templates/framework/seed_table.h"
#include "templates/generated/forms.h"

namespace nestwright {

/// What a seed wants of one stage, by the names of its knobs without their prefix.
using Wishes = std::vector<std::pair<std::string, SeedValue>>;

/// Of a stage of points, or of one whose rows are reduced.
std::vector<Wishes> row_seeds(const StageAnalysis& stage, const Target& target);

/// Whether the stage's reduction along `form`'s axis is one of columns, as the rule column_sums takes it.
bool is_of_columns(const StageAnalysis& stage, const ReductionForm& form);

/// Of such a stage.
std::vector<Wishes> column_seeds(const StageAnalysis& stage, const ReductionForm& form, const Target& target);

}  // namespace nestwright
