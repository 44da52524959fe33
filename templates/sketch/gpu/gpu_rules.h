// The rules that make a generated space for GPUs. Producers are inlined where that is cheap, long reductions of few
// results are divided among blocks, and then each stage, consumers before producers, is scheduled by the first rule of
// the table that applies to it. Each rule has a file under templates/sketch/gpu/, whose header shows what it makes.
// Thread rule: pure functions of a sketch.
#pragma once

#include "templates/sketch/gpu/gpu_sketch.h"
#include "templates/sketch/rule_table.h"

namespace nestwright {

const RuleTable<GpuSketch>& gpu_rules();

/// Inlines stages that are cheaper to recompute than to store. Runs before stages are scheduled.
void inline_injective(GpuSketch& sketch);
/// Divides long reductions of few results among blocks, whose partial results become stages of their own. Runs after
/// inlining.
void divide_reductions(GpuSketch& sketch);

bool is_of_gpu_scan(GpuSketch& sketch, int stage);
void bind_scan_part(GpuSketch& sketch, int stage);
/// Whether only the steps of a scan read a stage. Rows that they do not read are not computed, so that loops may be
/// shorter than the axes; each point is computed by one thread.
bool feeds_gpu_scan(GpuSketch& sketch, int stage);
bool may_join_block(GpuSketch& sketch, int stage);
void join_block(GpuSketch& sketch, int stage);
bool has_block_tile(GpuSketch& sketch, int stage);
void schedule_block_tile(GpuSketch& sketch, int stage);
bool is_reduced_by_block(GpuSketch& sketch, int stage);
void reduce_by_block(GpuSketch& sketch, int stage);
bool has_row_blocks(GpuSketch& sketch, int stage);
void schedule_row_blocks(GpuSketch& sketch, int stage);
bool has_transposed_gpu_tile(GpuSketch& sketch, int stage);
void schedule_transposed_gpu_tile(GpuSketch& sketch, int stage);
bool is_any_gpu_stage(GpuSketch& sketch, int stage);
void schedule_elements(GpuSketch& sketch, int stage);

}  // namespace nestwright
