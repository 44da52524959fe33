// The rules that make a generated space. Some rewrite the expression, as it is easier to schedule in another form. A
// sketch then starts with plain loops; producers are inlined where that is cheap, and each stage, consumers before
// producers, is scheduled by the first rule of the table that applies to it. Each rule has a file under
// templates/sketch/rules/, whose header shows what it makes.
// Thread rule: pure functions of a sketch.
#pragma once

#include <vector>

#include "templates/sketch/rule_table.h"
#include "templates/sketch/sketch.h"

namespace nestwright {

/// For CPUs.
const RuleTable<Sketch>& cpu_rules();

/// Inlines stages that are cheaper to recompute than to store. Runs before stages are scheduled.
void inline_cheap(Sketch& sketch);
/// Inlines padding into the reductions that read it, as a choice. Runs after inline_cheap().
void inline_padding(Sketch& sketch);
/// Divides long reductions of few results, which share operands, among the threads, as a choice. Runs after inlining.
void divide_sums(Sketch& sketch);
/// Makes `readers`, which read the constant input in place, read a copy that is prepared before the calls.
Tensor prepare_copy(Sketch& sketch, const Tensor& input, const std::vector<Tensor>& readers);
/// The same for all stages that still read a constant input in place. Runs after all stages are scheduled.
void prepare_constants(Sketch& sketch);
/// Offers another form of the polynomials of short stages. Runs after all stages are scheduled.
void define_polynomials(Sketch& sketch);
/// Whether it is better to recompute a point of `stage` where `reader` reads it than to store it.
using InlineCriterion = bool (*)(const StageAnalysis& stage, const StageAnalysis& reader);
/// Inlines the stages that may be inlined and meet the criterion for all readers; for an expensive stage with several
/// readers, inlining is a choice.
void inline_stages(Sketch& sketch, InlineCriterion is_worth_it);
/// Inlines the stage of `tensor`, which is to be finished then, or the sketch to be analysed. False, and nothing is
/// changed, where the body of a reader would be too large or would repeat a large one.
bool inline_unless_too_large(Sketch& sketch, const Tensor& tensor);
/// Whether a reader reads no more elements than the stage has.
bool is_read_once(const StageAnalysis& stage, const StageAnalysis& reader);

bool is_of_scan(Sketch& sketch, int stage);
void schedule_scan_part(Sketch& sketch, int stage);
bool may_join_rows(Sketch& sketch, int stage);
void join_rows(Sketch& sketch, int stage);
bool may_join_blocks(Sketch& sketch, int stage);
void join_blocks(Sketch& sketch, int stage);
/// The innermost loop of the nest that moves what is read of a stage while its rows, along the last dimension, are
/// whole; or -1.
int loop_of_block(const SketchNest& nest, const SketchRelation& relation);
bool may_join_tiles(Sketch& sketch, int stage);
void join_tiles(Sketch& sketch, int stage);
/// Whether the stage can be computed in vectors for one tile of axis `column` of a nest, to which it has `relation`.
bool may_follow_columns(Sketch& sketch, int stage, const SketchRelation& relation, int column);
bool may_join_columns(Sketch& sketch, int stage);
void join_columns(Sketch& sketch, int stage);
bool has_column_sums(Sketch& sketch, int stage);
void schedule_column_sums(Sketch& sketch, int stage);
bool has_transposed_tile(Sketch& sketch, int stage);
void schedule_transposed_tile(Sketch& sketch, int stage);
bool has_register_tile(Sketch& sketch, int stage);
void schedule_register_tile(Sketch& sketch, int stage);
bool is_single_value(Sketch& sketch, int stage);
void schedule_single_value(Sketch& sketch, int stage);
bool has_column_blocks(Sketch& sketch, int stage);
void schedule_column_blocks(Sketch& sketch, int stage);
bool is_any_stage(Sketch& sketch, int stage);
void schedule_rows(Sketch& sketch, int stage);

}  // namespace nestwright
