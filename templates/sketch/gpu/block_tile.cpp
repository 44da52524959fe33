// block_tile: a block of threads computes a tile of a contraction, each thread a part of it in registers. All threads
// together fetch slices of the operands, or compute stages that only the contraction reads, into shared memory. An
// element-wise stage that reads the sums is computed tile by tile.
//
//   for i: for j: for k: C[i, j] += A[i, k]*B[k, j]     blocks of i and j: threads:
//                                                         sums = 0                             (in registers)
//                                                   ->    for slices of k: fetch A, B          (in shared memory)
//                                                           for k in the slice: sums += A[rows, k]*B[k, columns]
//                                                         C = sums
#include "templates/sketch/gpu/block_tile.h"

#include <algorithm>
#include <tuple>

#include "templates/sketch/gpu/gpu_rules.h"
#include "templates/sketch/rules.h"

namespace nestwright {
namespace {

/// Whether blocks compute tiles of the sums, rather than one row each.
bool is_in_tiles(GpuSketch& sketch, int number) {
  if (!sketch.is_contraction(number)) return false;
  const StageAnalysis& stage = sketch.of(number);
  const bool may_be_rows = stage.reduced_points() > stage.points() || reads_rows_once(stage);
  return sketch.choose_once(stage.name + ".form", may_be_rows ? std::vector<std::string>{"tile", "rows"}
                                                              : std::vector<std::string>{"tile"}) == "tile";
}

/// The contraction that `number` alone reads, element by element; -1 where there is none.
int contraction_of(GpuSketch& sketch, int number) {
  const StageAnalysis& stage = sketch.of(number);
  if (stage.is_reduction || stage.results > 1) return -1;
  for (const OperandAccess& access : stage.accesses) {
    if (access.producer < 0 || sketch.is_finished(access.producer)) continue;
    const StageAnalysis& producer = sketch.of(access.producer);
    bool is_element = producer.spatial == stage.spatial && access.identity.size() == stage.extents.size();
    for (std::size_t d = 0; is_element && d < access.identity.size(); ++d) {
      is_element = access.identity[d] == static_cast<int>(d) && producer.extents[d] == stage.extents[d];
    }
    const auto reads = [&](const OperandAccess& other) { return other.producer == access.producer; };
    const bool is_only = std::count_if(stage.accesses.begin(), stage.accesses.end(), reads) == 1;
    if (is_element && is_only && !producer.is_output && producer.readers.size() == 1 &&
        is_in_tiles(sketch, access.producer)) {
      return access.producer;
    }
  }
  return -1;
}

/// Splits and binds the loops of the stage that stores the tiles. Returns the innermost loop over threads.
IterVar bind_block_tile(Stage c, const BlockTileShape& shape, const BlockTileKnobs& knobs) {
  std::vector<IterVar> blocks, tiled_blocks, strips, threads, elements;
  for (const int axis : shape.others) blocks.push_back(c.axis(axis));
  for (std::size_t a = 0; a < shape.tiled.size(); ++a) {
    const BlockTileAxis& axis = knobs.axes[a];
    auto [block, rest] = c.split(c.axis(shape.tiled[a]), factor(axis.of_block()));
    if (axis.strips > 1) {
      const auto [strip, inside] = c.split(rest, factor(axis.of_strip()));
      strips.push_back(strip);
      rest = inside;
    }
    const auto [thread, element] = c.split(rest, factor(axis.elements));
    tiled_blocks.push_back(block);
    threads.push_back(thread);
    elements.push_back(element);
  }
  IterVar lane;
  if (knobs.store_lanes > 1) std::tie(elements.back(), lane) = c.split(elements.back(), factor(knobs.store_lanes));
  if (knobs.first_blocks_innermost) std::reverse(tiled_blocks.begin(), tiled_blocks.end());
  blocks.insert(blocks.end(), tiled_blocks.begin(), tiled_blocks.end());
  std::vector<IterVar> order = blocks;
  for (const auto* loops : {&strips, &threads, &elements}) order.insert(order.end(), loops->begin(), loops->end());
  if (lane.defined()) order.push_back(lane);
  c.reorder(order);
  IterVar block = blocks.front();
  for (std::size_t b = 1; b < blocks.size(); ++b) block = c.fuse(block, blocks[b]);
  c.bind(block, kBlockIdxX);
  for (const IterVar& strip : strips) c.bind(strip, kVThread);
  constexpr ir::LoopKind kIndices[] = {kThreadIdxX, kThreadIdxY, kThreadIdxZ};
  for (std::size_t n = 0; n < threads.size(); ++n) c.bind(threads[threads.size() - 1 - n], kIndices[n]);
  for (const IterVar& element : elements) c.unroll(element);
  if (lane.defined()) c.vectorize(lane);
  return threads.back();
}

/// The loops of a thread. Returns the loop over slices.
IterVar schedule_steps(Stage tile, const BlockTileShape& shape, const BlockTileKnobs& knobs) {
  std::vector<IterVar> order;
  for (const int r : shape.outer) order.push_back(tile.reduce_axis(r));
  const IterVar sliced = tile.reduce_axis(shape.sliced);
  std::vector<IterVar> window, elements;
  for (const int r : shape.window) window.push_back(tile.reduce_axis(r));
  for (const int axis : shape.tiled) elements.push_back(tile.axis(axis));
  const auto [slice, in_slice] = tile.split(sliced, factor(knobs.k_block));
  const auto [step, unrolled] = tile.split(in_slice, factor(knobs.unroll_k));
  order.insert(order.end(), {slice, step});
  order.insert(order.end(), window.begin(), window.end());
  order.push_back(unrolled);
  order.insert(order.end(), elements.begin(), elements.end());
  tile.reorder(order).unroll(unrolled);
  if (knobs.unrolls_window) tile.unroll(window.back());
  for (const IterVar& element : elements) tile.unroll(element);
  return slice;
}

void fetch_operand(GpuSketch& sketch, const BlockTileShape& shape, const BlockTileKnobs& knobs, std::size_t number,
                   const Tensor& tile, const IterVar& slice) {
  Schedule& s = sketch.schedule;
  const FetchedOperand& operand = shape.fetched[number];
  const Tensor tensor = sketch.of(shape.sums).accesses[static_cast<std::size_t>(operand.access)].tensor;
  const Tensor shared = operand.computed < 0 ? s.cache_read(tensor, ir::Scope::kShared, {tile}) : tensor;
  Stage stage = s[shared];
  stage.set_scope(ir::Scope::kShared).compute_at(s[tile], slice);
  if (knobs.padding > 0 && shared.rank() > 1) stage.storage_align(stage.axis(shared.rank() - 2), 32, knobs.padding);
  fetch_cooperatively(stage, stage.loops(), knobs.threads(), knobs.fetch_lanes[number]);
  if (knobs.stages > 1) stage.double_buffer(knobs.stages);
  if (operand.computed >= 0) sketch.finish(operand.computed);
}

/// Inlines cheap stages that only the sums read and that are not fetched. One whose copies would be too large stays a
/// kernel of its own.
void inline_operands(GpuSketch& sketch, const BlockTileShape& shape) {
  for (const OperandAccess& access : sketch.of(shape.sums).accesses) {
    if (access.producer < 0 || sketch.is_finished(access.producer)) continue;
    const StageAnalysis& stage = sketch.of(access.producer);
    const bool is_cheap = !stage.is_reduction && !stage.is_output && !stage.is_scan_part && stage.results == 1 &&
                          stage.readers.size() == 1 && stage.expensive == 0;
    if (is_cheap && inline_unless_too_large(sketch, stage.tensor)) sketch.finish(access.producer);
  }
}

}  // namespace

bool has_block_tile(GpuSketch& sketch, int number) {
  return is_in_tiles(sketch, number) || contraction_of(sketch, number) >= 0;
}

void schedule_block_tile(GpuSketch& sketch, int stored) {
  const int sums = sketch.of(stored).is_reduction ? stored : contraction_of(sketch, stored);
  BlockTileShape shape = block_tile_shape(sketch.of(sums));
  shape.sums = sums;
  shape.stored = stored;
  shape.fetched = operands_to_fetch(sketch, shape);
  const std::string name = sketch.of(sums).name;
  if (!shape.fetched.empty() && sketch.choose(name + ".staging", {"shared", "none"}) == "none") shape.fetched.clear();
  const BlockTileKnobs knobs = define_block_tile(sketch, shape);
  Schedule& s = sketch.schedule;
  const Tensor c = sketch.of(stored).tensor;
  const Tensor tile = sums == stored ? s.cache_write(c, ir::Scope::kLocal) : sketch.of(sums).tensor;
  if (sums != stored) s[tile].set_scope(ir::Scope::kLocal);
  const IterVar thread = bind_block_tile(s[c], shape, knobs);
  s[tile].compute_at(s[c], thread);
  const IterVar slice = schedule_steps(s[tile], shape, knobs);
  for (std::size_t n = 0; n < shape.fetched.size(); ++n) fetch_operand(sketch, shape, knobs, n, tile, slice);
  inline_operands(sketch, shape);
  sketch.finish(sums);
  sketch.add_nest({SketchNest::Kind::kTiles, stored, {}});
  if (sums != stored) sketch.join(sums, sketch.nest_of(stored), -1);
}

}  // namespace nestwright
