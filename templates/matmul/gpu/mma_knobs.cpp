#include <fmt/format.h>

#include <algorithm>

#include "ir/gpu/divergence.h"
#include "templates/framework/knobs/seed_table.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/gpu_threads.h"
#include "templates/matmul/gpu/mma.h"
#include "templates/matmul/matmul.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxWarps = 16;
constexpr std::int64_t kMaxOfBlock = 256;     ///< rows or columns
constexpr std::int64_t kPadding = 16;         ///< bytes, after which rows of 16 bytes lie in other banks
constexpr std::int64_t kSpareRegisters = 48;  ///< for indices, and what the compiler keeps

/// What a block may be made up of, along one axis, the best guess first.
struct TileChoices {
  std::vector<std::int64_t> warps, elements;
};
TileChoices tile_choices(MmaKind kind, bool is_m) {
  if (kind == MmaKind::kWarps) return {{2, 1, 4, 8}, {64, 32, 16, 128}};
  if (is_m) return {{2 * kWarpgroupWarps, kWarpgroupWarps}, {kMmaTile}};
  return {{1, 2}, {128, 256, 64, 192, 32, 96, 16}};
}

/// Rows or columns of a warp: none of its matrices of 8 lies wholly past the end, so that all of its threads have the
/// same work.
WarpTileKnobs define_tile(Tuning& t, const std::string& axis, std::int64_t extent, MmaKind kind) {
  auto [warps, elements] = tile_choices(kind, axis == "m");
  std::erase_if(elements, [&](std::int64_t size) { return size - kMmaTile / 2 >= extent; });
  std::erase_if(warps, [&](std::int64_t count) { return (count - 1) * kMmaTile >= extent; });
  const WarpTileKnobs tile{t.define_knob("warps_" + axis, warps), t.define_knob("warp_" + axis, elements)};
  t.require((tile.warps - 1) * tile.elements < extent && tile.of_block() <= kMaxOfBlock,
            "a warp lies wholly past the end, or a block has more than 256 rows or columns");
  return tile;
}

/// What is multiplied.
struct Product {
  MatmulShape shape;
  MatmulTypes types;
  MmaOperand a, b;
  MmaKind kind;
  Target target;
};

/// A or B, as the matrix lies and as it is multiplied.
struct Operand {
  std::string name;
  ir::Type type;
  MatrixLayout layout;
  MmaOperand lies;
  std::int64_t across;  ///< its extent along C's axis
};

/// The lanes of the vectors in which an operand is fetched: none is cut by the end of a row.
KnobExpr define_fetch(Tuning& t, const Operand& x, const WarpTileKnobs& tile, const KnobExpr& k_block,
                      const MatmulShape& shape) {
  std::vector<std::int64_t> widths{1};
  if (x.lies.rows == x.lies.along_k) widths = matrix_widths(x.layout, shape.batch, x.type, kWidestAccess);
  std::reverse(widths.begin(), widths.end());
  const KnobExpr lanes = t.define_knob("vector_" + x.name, widths);
  t.require(
      values_of(lanes, k_block, tile.of_block()),
      [rows = x.lies.rows, across = x.across, k = shape.k](std::int64_t width, std::int64_t steps,
                                                           std::int64_t of_block) {
        return width == 1 || (rows ? k % steps == 0 : across % of_block == 0);
      },
      "vectors of " + x.name + " would cross the end of the matrix");
  return lanes;
}

/// Registers of a thread: sums, operands, and what it fetches ahead without asynchronous copies.
KnobExpr registers_of(const WarpTileKnobs& m, const WarpTileKnobs& n, const SliceKnobs& slice, const Product& p) {
  const bool by_warps = p.kind == MmaKind::kWarps;
  const std::int64_t bytes = p.types.a.bytes();
  const KnobExpr threads = ir::kWarp * m.warps * n.warps;
  KnobExpr registers = m.elements * n.elements / ir::kWarp;
  if (by_warps) registers = registers + (m.elements + n.elements) * kMmaStepBytes / 4 / ir::kWarp;
  const std::int64_t of_element = by_warps ? 1 : 2;  // in pieces each has an address of its own
  const auto ahead = [&](const KnobExpr& lanes, const KnobExpr& of_block) {
    const KnobExpr in_registers = lanes * bytes < kMinAsynchronousBytes && slice.double_buffer;
    return select(in_registers, of_element * ceil_div(of_block * slice.k_block, threads), 0);
  };
  return registers + ahead(slice.lanes_a, m.of_block()) + ahead(slice.lanes_b, n.of_block()) + kSpareRegisters;
}

/// Returns the size of an operand's slices in shared memory. A warpgroup has `of_group` rows or columns of C.
KnobExpr slice_bytes(const KnobExpr& across, const KnobExpr& of_group, const MmaOperand& lies, const SliceKnobs& slice,
                     const Product& p) {
  const std::int64_t size = p.types.a.bytes();
  const KnobExpr length = lies.rows ? slice.k_block : across, count = lies.rows ? across : slice.k_block;
  if (p.kind == MmaKind::kWarps) {
    return slice.slices() * count * (length + lies.padding(slice.padding, p.types.a)) * size + kSharedAlignment;
  }
  const KnobExpr swizzled = is_swizzled((lies.rows ? slice.k_block : of_group) * size);
  const KnobExpr padding = select(swizzled, 0, length * size);  // a row of 16 bytes behind each column of them
  return slice.slices() * (count * length * size + padding) + select(swizzled, ir::kSwizzleAlignment, kSharedAlignment);
}

void require_block(Tuning& t, const WarpTileKnobs& m, const WarpTileKnobs& n, const SliceKnobs& slice,
                   const KnobExpr& n_along_x, const Product& p) {
  const Target& target = p.target;
  t.require(m.warps * n.warps <= std::min(kMaxWarps, target.threads_per_block / ir::kWarp),
            "a block has more than 16 warps, or more threads than the target allows");
  const KnobExpr registers = registers_of(m, n, slice, p), threads = ir::kWarp * m.warps * n.warps;
  t.require(registers <= target.registers_per_thread && registers * threads <= target.registers_per_block,
            "sums and operands of a thread need more registers than the target has");
  t.require(slice_bytes(m.of_block(), kWarpgroupWarps * m.elements, p.a, slice, p) +
                    slice_bytes(n.of_block(), n.elements, p.b, slice, p) <=
                target.shared_bytes,
            "the slices of A and B do not fit into a block's shared memory");
  t.require(select(n_along_x, ceil_div(p.shape.m, m.of_block()), ceil_div(p.shape.n, n.of_block())) <= kMaxBlocks,
            "there are more than 65535 blocks along blockIdx.y");
}

/// A slice is multiplied in fewer cycles than it takes to arrive: another one is on its way meanwhile.
constexpr std::int64_t kStages = 3;

/// A swizzled row that runs along the reduction has so many steps.
constexpr std::int64_t kSwizzledSteps = ir::kSwizzledRowBytes / kMmaStepBytes;

/// Warps of a block, and rows and columns of a warp.
struct Block {
  std::int64_t warps_m, warps_n, warp_m, warp_n;
};
constexpr Block kWarpBlocks[] = {{2, 4, 64, 32}, {2, 2, 64, 64}, {2, 2, 64, 32},
                                 {2, 2, 32, 32}, {2, 2, 32, 16}, {2, 2, 16, 16}};
constexpr Block kGroupBlocks[] = {{8, 1, kMmaTile, 256}, {8, 1, kMmaTile, 128}, {4, 1, kMmaTile, 256},
                                  {4, 1, kMmaTile, 128}, {4, 1, kMmaTile, 64},  {4, 1, kMmaTile, 32}};

}  // namespace

std::array<MmaOperand, 2> mma_operands(const Workload& workload) {
  const MatmulShape shape = matmul_shape(workload);
  const bool as_rows = workload.type("dtype").bytes() == 1;
  return {MmaOperand{!shape.ta, !shape.ta || as_rows}, MmaOperand{shape.tb, shape.tb || as_rows}};
}

MatmulMmaKnobs define_matmul_mma_knobs(Tuning& t, const Workload& workload, const Target& target, MmaKind kind) {
  const auto [of_a, of_b] = mma_operands(workload);
  const Product p{matmul_shape(workload), matmul_types(workload.type("dtype")), of_a, of_b, kind, target};
  const MatmulShape& shape = p.shape;
  const std::int64_t step = kMmaStepBytes / p.types.a.bytes();
  MatmulMmaKnobs knobs;
  SliceKnobs slice;
  const WarpTileKnobs m = define_tile(t, "m", shape.m, kind), n = define_tile(t, "n", shape.n, kind);
  std::vector<std::int64_t> blocks{2 * step, step, 4 * step, 8 * step};
  if (kind == MmaKind::kWarpgroups) std::swap(blocks[0], blocks[2]);
  std::erase_if(blocks, [&](std::int64_t block) { return block > step && block >= 2 * shape.k; });
  slice.k_block = t.define_knob("block_k", blocks);
  slice.lanes_a = define_fetch(t, {"a", p.types.a, shape.a, p.a, shape.m}, m, slice.k_block, shape);
  slice.lanes_b = define_fetch(t, {"b", p.types.b, shape.b, p.b, shape.n}, n, slice.k_block, shape);
  const KnobExpr lanes_c = t.define_knob("vector_c", matrix_widths(shape.c, shape.batch, p.types.c, 2));
  t.require(lanes_c == 1 || shape.n % n.of_block() == 0, "vectors of C would be cut by the end of a row");
  if (kind == MmaKind::kWarps) slice.padding = t.define_knob("padding", {kPadding / p.types.a.bytes(), 0});
  if (kind == MmaKind::kWarps) knobs.unroll_k = t.define_annotate("unroll_k", {"no", "yes"}) == "yes";
  slice.double_buffer = t.define_annotate("double_buffer", {"no", "yes"}) == "yes";
  t.require(!slice.double_buffer || shape.k > slice.k_block,
            "all of the reduction is fetched at once, so that nothing is left to fetch ahead");
  slice.stages = t.define_knob("stages", stage_counts(target));
  require_stages(t, p.types, shape.k, slice);
  // Along x there may be more blocks than along y; those of the batch are along x, too, where z has no room for them.
  const bool many = shape.batch > kMaxBlocks;
  const OptionKnob blocks_x =
      t.define_annotate("blocks_x", many ? std::vector<std::string>{"m"} : std::vector<std::string>{"n", "m"});
  require_block(t, m, n, slice, blocks_x == "n", p);
  knobs.m = m.in_run();
  knobs.n = n.in_run();
  knobs.k_block = slice.k_block;
  knobs.lanes_a = slice.lanes_a;
  knobs.lanes_b = slice.lanes_b;
  knobs.lanes_c = lanes_c;
  knobs.padding = slice.padding;
  knobs.double_buffer = slice.double_buffer;
  knobs.stages = slice.stages;
  knobs.n_along_y = blocks_x == "m";
  return knobs;
}

MatmulGpuForm matmul_mma_form(const Workload& workload, Definition& definition, const MatmulMmaKnobs& knobs) {
  const auto [a, b] = mma_operands(workload);
  MatmulGpuKnobs whole;  // of which only the extents and layouts of the padded operands count
  whole.m.elements = knobs.m.of_block();
  whole.n.elements = knobs.n.of_block();
  whole.k_block = knobs.k_block;
  whole.rows_a = a.rows;
  whole.rows_b = b.rows;
  whole.rounds_at_use = true;
  return matmul_gpu_form(workload, definition, whole);
}

void bind_blocks(Stage c, const std::vector<IterVar>& batch, IterVar m, const IterVar& n, const MatmulMmaKnobs& knobs) {
  const std::int64_t* count = batch.empty() ? nullptr : ir::as_const_int(batch[0].extent());
  if (count != nullptr && *count > kMaxBlocks) {
    m = c.fuse(batch[0], m);
  } else if (!batch.empty()) {
    c.bind(batch[0], kBlockIdxZ);
  }
  c.bind(m, knobs.n_along_y ? kBlockIdxX : kBlockIdxY).bind(n, knobs.n_along_y ? kBlockIdxY : kBlockIdxX);
}

std::string mma_unsupported_reason(const Workload& workload, std::int64_t min_rows, bool has_tf32) {
  const bool is_tf32 = has_tf32 && matmul_shape(workload).in_tf32;
  if (workload.type("dtype").bytes() > 2 && !is_tf32) {
    return std::string("it needs float16, bfloat16") +
           (has_tf32 ? ", bytes, or float32 with precision=tf32" : " or bytes");
  }
  const bool is_large = workload.size("m") >= min_rows && workload.size("n") >= kMmaTile;
  return is_large ? "" : fmt::format("it needs at least {} rows and {} columns of C", min_rows, kMmaTile);
}

namespace {

std::vector<Config> seeds(const Template& source, const Workload& workload, const Target& target,
                          std::span<const Block> blocks, const std::vector<std::int64_t>& steps_of_block,
                          const std::vector<SeedValue>& stages) {
  const MatmulShape shape = matmul_shape(workload);
  const std::int64_t bytes = matmul_types(workload.type("dtype")).a.bytes();
  // The largest blocks of which there are enough for the device, then those that leave some of it idle.
  std::vector<Block> order(blocks.begin(), blocks.end());
  const auto fills = [&](const Block& block) {
    const double count = static_cast<double>(shape.batch) *
                         static_cast<double>(ceil_div(shape.m, block.warps_m * block.warp_m)) *
                         static_cast<double>(ceil_div(shape.n, block.warps_n * block.warp_n));
    return count >= target.multiprocessors;
  };
  if (std::none_of(order.begin(), order.end(), fills)) std::reverse(order.begin(), order.end());
  std::stable_partition(order.begin(), order.end(), fills);
  std::vector<SeedValue> steps;
  for (const std::int64_t count : steps_of_block) steps.emplace_back(count * kMmaStepBytes / bytes);
  std::vector<Config> partial;
  for (const Block& block : order) {
    append(partial, seed_product({{"warps_m", {block.warps_m}},
                                  {"warps_n", {block.warps_n}},
                                  {"warp_m", {block.warp_m}},
                                  {"warp_n", {block.warp_n}},
                                  {"block_k", steps},
                                  {"vector_a", {kWidestAccess / bytes}},
                                  {"vector_b", {kWidestAccess / bytes}},
                                  {"vector_c", {2}},
                                  {"padding", {kPadding / bytes}},
                                  {"unroll_k", {"yes"}},
                                  {"double_buffer", {"yes"}},
                                  {"stages", stages},
                                  {"blocks_x", {"n"}}}));
  }
  return complete_seeds(source, workload, target, partial);
}

}  // namespace

std::vector<Config> matmul_mma_seeds(const Workload& workload, const Target& target) {
  return seeds(matmul_mma_template(), workload, target, kWarpBlocks, {2, 4}, {kStages});
}

std::vector<Config> matmul_wgmma_seeds(const Workload& workload, const Target& target) {
  return seeds(matmul_wgmma_template(), workload, target, kGroupBlocks, {kSwizzledSteps}, {kStages, kStages + 1});
}

}  // namespace nestwright
