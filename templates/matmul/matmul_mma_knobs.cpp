#include <fmt/format.h>

#include <algorithm>

#include "ir/analysis/divergence.h"
#include "templates/gpu_loops.h"
#include "templates/guess.h"
#include "templates/matmul/matmul.h"
#include "templates/matmul/matmul_mma.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMostWarps = 16;
constexpr std::int64_t kMostOfBlock = 256;    ///< rows or columns
constexpr std::int64_t kPadding = 16;         ///< bytes, after which rows of 16 bytes lie in other banks
constexpr std::int64_t kSpareRegisters = 48;  ///< for indices, and what the compiler likes to keep
constexpr std::int64_t kAlignment = 16;       ///< of an array in shared memory, bytes

/// What a block may be made up of, along one axis, the best guess first.
struct TileChoices {
  std::vector<std::int64_t> warps, elements;
};
TileChoices tile_choices(MmaKind kind, bool is_m) {
  if (kind == MmaKind::kWarps) return {{2, 1, 4, 8}, {64, 32, 16, 128}};
  if (is_m) return {{2 * kGroupWarps, kGroupWarps}, {kMmaTile}};
  return {{1, 2}, {128, 256, 64, 192, 32, 96, 16}};
}

/// Rows or columns of a warp: none of its matrices of 8 lies wholly past the end, so that all of its threads have the
/// same work.
WarpTile define_tile(Tuning& t, const std::string& axis, std::int64_t extent, MmaKind kind) {
  auto [warps, elements] = tile_choices(kind, axis == "m");
  std::erase_if(elements, [&](std::int64_t size) { return size - kMmaTile / 2 >= extent; });
  std::erase_if(warps, [&](std::int64_t count) { return (count - 1) * kMmaTile >= extent; });
  const WarpTile tile{t.define_knob("warps_" + axis, warps), t.define_knob("warp_" + axis, elements)};
  t.constrain(
      {"warps_" + axis, "warp_" + axis},
      [extent](std::span<const KnobValue> v) {
        return (v[0][0] - 1) * v[1][0] < extent && v[0][0] * v[1][0] <= kMostOfBlock;
      },
      "a warp lies wholly past the end, or a block has more than 256 rows or columns");
  return tile;
}

/// The vectors in which an operand is fetched: none is cut by the end of a row.
std::int64_t define_fetch(Tuning& t, const std::string& name, const MatrixLayout& layout, const MmaOperand& lies,
                          ir::Type type, const std::string& axis, const MatmulShape& shape) {
  std::vector<std::int64_t> widths{1};
  if (lies.rows == lies.along_k) widths = matrix_widths(layout, shape.batch, type, kWidestAccess);
  std::reverse(widths.begin(), widths.end());
  const std::int64_t lanes = t.define_knob("vector_" + name, widths);
  t.constrain(
      {"vector_" + name, "block_k", "warps_" + axis, "warp_" + axis},
      [rows = lies.rows, k = shape.k, across = axis == "m" ? shape.m : shape.n](std::span<const KnobValue> v) {
        const std::int64_t of_block = v[2][0] * v[3][0];
        if (v[0][0] == 1) return true;
        return rows ? k % v[1][0] == 0 : across % of_block == 0;
      },
      "vectors of " + name + " would cross the end of the matrix");
  return lanes;
}

void constrain_block(Tuning& t, const MatmulShape& shape, ir::Type type, const MmaOperand& a, const MmaOperand& b,
                     const Target& target, MmaKind kind) {
  const auto of = [](std::span<const KnobValue> v) {
    return std::pair{WarpTile{v[0][0], v[1][0]}, WarpTile{v[2][0], v[3][0]}};
  };
  const std::vector<std::string> tiles{"warps_m", "warp_m", "warps_n", "warp_n"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> names = tiles;
    names.insert(names.end(), more);
    return names;
  };
  t.constrain(
      tiles,
      [of, most = std::min(kMostWarps, target.threads_per_block / ir::kWarp)](std::span<const KnobValue> v) {
        const auto [m, n] = of(v);
        return m.warps * n.warps <= most;
      },
      "a block has more than 16 warps, or more threads than the target allows");
  t.constrain(
      with({"vector_a", "vector_b", "block_k", "double_buffer"}),
      [of, bytes = type.bytes(), target, kind](std::span<const KnobValue> v) {
        const auto [m, n] = of(v);
        const std::int64_t threads = ir::kWarp * m.warps * n.warps;
        std::int64_t registers = m.elements * n.elements / ir::kWarp;
        if (kind == MmaKind::kWarps) registers += (m.elements + n.elements) * kMmaStepBytes / 4 / ir::kWarp;
        const std::int64_t of_element = kind == MmaKind::kWarps ? 1 : 2;  // in pieces each has an address of its own
        const auto ahead = [&](std::int64_t lanes, std::int64_t of_block) {
          const bool in_registers = v[7][0] == 1 && lanes * bytes < kLeastAsynchronous;
          return in_registers ? of_element * ceil_div(of_block * v[6][0], threads) : 0;
        };
        registers += ahead(v[4][0], m.of_block()) + ahead(v[5][0], n.of_block());
        registers += kSpareRegisters;
        return registers <= target.registers_per_thread && registers * threads <= target.registers_per_block;
      },
      "sums and operands of a thread need more registers than the target has");
  t.constrain(
      with({"block_k", "padding", "double_buffer", "stages"}),
      [of, a, b, type, most = target.shared_bytes, kind](std::span<const KnobValue> v) {
        const auto [m, n] = of(v);
        const std::int64_t block_k = v[4][0], padding = v[5][0], slices = v[6][0] == 1 ? v[7][0] : 1;
        const auto bytes = [&](std::int64_t across, const MmaOperand& lies) {
          const std::int64_t size = type.bytes();
          std::int64_t length = lies.rows ? block_k : across, count = lies.rows ? across : block_k;
          if (kind == MmaKind::kWarpgroups) {  // columns of rows of 16 bytes
            const std::int64_t columns = length * size / kCoreRowBytes;
            length = count * kCoreRowBytes / size;
            count = columns;
          }
          const std::int64_t elements = count * (length + lies.padding(padding, type));
          return slices * elements * size + kAlignment;
        };
        return bytes(m.of_block(), a) + bytes(n.of_block(), b) <= most;
      },
      "the slices of A and B do not fit into a block's shared memory");
  t.constrain(
      with({"blocks_x"}),
      [of, shape](std::span<const KnobValue> v) {
        const auto [m, n] = of(v);
        return (v[4][0] == 0 ? ceil_div(shape.m, m.of_block()) : ceil_div(shape.n, n.of_block())) <= kMostBlocks;
      },
      "there are more than 65535 blocks along blockIdx.y");
}

/// A slice is multiplied in fewer cycles than it takes to arrive: another one is on its way meanwhile.
constexpr std::int64_t kStages = 3;

/// Warps of a block, and rows and columns of a warp.
struct Wish {
  std::int64_t warps_m, warps_n, warp_m, warp_n;
};
constexpr Wish kWarpWishes[] = {{2, 4, 64, 32}, {2, 2, 64, 64}, {2, 2, 64, 32},
                                {2, 2, 32, 32}, {2, 2, 32, 16}, {2, 2, 16, 16}};
constexpr Wish kGroupWishes[] = {{8, 1, kMmaTile, 256}, {8, 1, kMmaTile, 128}, {4, 1, kMmaTile, 256},
                                 {4, 1, kMmaTile, 128}, {4, 1, kMmaTile, 64},  {4, 1, kMmaTile, 32}};

}  // namespace

std::array<MmaOperand, 2> mma_operands(const Workload& workload) {
  const MatmulShape shape = matmul_shape(workload);
  const bool as_rows = workload.type("dtype").bytes() == 1;
  return {MmaOperand{!shape.ta, !shape.ta || as_rows}, MmaOperand{shape.tb, shape.tb || as_rows}};
}

MatmulMmaKnobs define_matmul_mma_knobs(Tuning& t, const Workload& workload, const Target& target, MmaKind kind) {
  const MatmulShape shape = matmul_shape(workload);
  const MatmulTypes types = matmul_types(workload.type("dtype"));
  const auto [a, b] = mma_operands(workload);
  const std::int64_t step = kMmaStepBytes / types.a.bytes();
  MatmulMmaKnobs knobs;
  knobs.m = define_tile(t, "m", shape.m, kind);
  knobs.n = define_tile(t, "n", shape.n, kind);
  std::vector<std::int64_t> blocks{2 * step, step, 4 * step, 8 * step};
  if (kind == MmaKind::kWarpgroups) std::swap(blocks[0], blocks[2]);
  std::erase_if(blocks, [&](std::int64_t block) { return block > step && block >= 2 * shape.k; });
  knobs.k_block = t.define_knob("block_k", blocks);
  knobs.lanes_a = define_fetch(t, "a", shape.a, a, types.a, "m", shape);
  knobs.lanes_b = define_fetch(t, "b", shape.b, b, types.b, "n", shape);
  knobs.lanes_c = t.define_knob("vector_c", matrix_widths(shape.c, shape.batch, types.c, 2));
  t.constrain(
      {"vector_c", "warps_n", "warp_n"},
      [n = shape.n](std::span<const KnobValue> v) { return v[0][0] == 1 || n % (v[1][0] * v[2][0]) == 0; },
      "vectors of C would be cut by the end of a row");
  knobs.padding = t.define_knob("padding", {kPadding / types.a.bytes(), 0});
  if (kind == MmaKind::kWarps) knobs.unroll_k = t.define_annotate("unroll_k", {"no", "yes"}) == "yes";
  knobs.double_buffer = t.define_annotate("double_buffer", {"no", "yes"}) == "yes";
  t.constrain(
      {"double_buffer", "block_k"}, [k = shape.k](std::span<const KnobValue> v) { return v[0][0] == 0 || k > v[1][0]; },
      "all of the reduction is fetched at once, so that nothing is left to fetch ahead");
  knobs.stages = t.define_knob("stages", stage_counts(target));
  constrain_stages(t, types, shape.k, false);
  // Along x there may be more blocks than along y; those of the batch are along x, too, where z has no room for them.
  const bool many = shape.batch > kMostBlocks;
  knobs.n_along_y =
      t.define_annotate("blocks_x", many ? std::vector<std::string>{"m"} : std::vector<std::string>{"n", "m"}) == "m";
  constrain_block(t, shape, types.a, a, b, target, kind);
  return knobs;
}

MatmulGpuForm matmul_mma_form(const Workload& workload, Definition& definition, const MatmulMmaKnobs& knobs) {
  const auto [a, b] = mma_operands(workload);
  MatmulGpuKnobs whole;  // of which only what is padded counts
  whole.m.elements = knobs.m.of_block();
  whole.n.elements = knobs.n.of_block();
  whole.k_block = knobs.k_block;
  whole.rows_a = a.rows;
  whole.rows_b = b.rows;
  whole.rounds_late = true;
  MatmulGpuForm form = matmul_gpu_form(workload, definition, whole);
  definition.args.back() = form.result;
  return form;
}

void bind_blocks(Stage c, const std::vector<IterVar>& batch, IterVar m, const IterVar& n, const MatmulMmaKnobs& knobs) {
  const std::int64_t* count = batch.empty() ? nullptr : ir::as_const_int(batch[0].extent());
  if (count != nullptr && *count > kMostBlocks) {
    m = c.fuse(batch[0], m);
  } else if (!batch.empty()) {
    c.bind(batch[0], kBlockIdxZ);
  }
  c.bind(m, knobs.n_along_y ? kBlockIdxX : kBlockIdxY).bind(n, knobs.n_along_y ? kBlockIdxY : kBlockIdxX);
}

std::string why_not_mma(const Workload& workload, std::int64_t least_rows, bool has_tf32) {
  const bool is_tf32 = has_tf32 && matmul_shape(workload).in_tf32;
  if (workload.type("dtype").bytes() > 2 && !is_tf32) {
    return std::string("it needs float16, bfloat16") +
           (has_tf32 ? ", bytes, or float32 with precision=tf32" : " or bytes");
  }
  const bool is_large = workload.size("m") >= least_rows && workload.size("n") >= kMmaTile;
  return is_large ? "" : fmt::format("it needs at least {} rows and {} columns of C", least_rows, kMmaTile);
}

namespace {

std::vector<Config> seeds(const Template& source, const Workload& workload, const Target& target,
                          std::span<const Wish> wishes_of_tiles, std::array<std::int64_t, 2> steps_of_block) {
  const MatmulShape shape = matmul_shape(workload);
  const std::int64_t bytes = matmul_types(workload.type("dtype")).a.bytes();
  // The largest blocks of which there are enough for the device, then those that leave some of it idle.
  std::vector<Wish> order(wishes_of_tiles.begin(), wishes_of_tiles.end());
  const auto fills = [&](const Wish& wish) {
    const double blocks = static_cast<double>(shape.batch) *
                          static_cast<double>(ceil_div(shape.m, wish.warps_m * wish.warp_m)) *
                          static_cast<double>(ceil_div(shape.n, wish.warps_n * wish.warp_n));
    return blocks >= target.multiprocessors;
  };
  if (std::none_of(order.begin(), order.end(), fills)) std::reverse(order.begin(), order.end());
  std::stable_partition(order.begin(), order.end(), fills);
  std::vector<Config> wishes;
  for (const Wish& wish : order) {
    for (const std::int64_t steps : steps_of_block) {
      Config config;
      config.set("warps_m", {wish.warps_m});
      config.set("warps_n", {wish.warps_n});
      config.set("warp_m", {wish.warp_m});
      config.set("warp_n", {wish.warp_n});
      config.set("block_k", {steps * kMmaStepBytes / bytes});
      for (const char* operand : {"vector_a", "vector_b"}) config.set(operand, {kWidestAccess / bytes});
      config.set("vector_c", {2});
      config.set("padding", {kPadding / bytes});
      config.set("unroll_k", {}, "yes");
      config.set("double_buffer", {}, "yes");
      config.set("stages", {kStages});
      config.set("blocks_x", {}, "n");
      wishes.push_back(std::move(config));
    }
  }
  return guess_configs(source, workload, target, wishes);
}

}  // namespace

std::vector<Config> matmul_mma_seeds(const Workload& workload, const Target& target) {
  return seeds(matmul_mma_template(), workload, target, kWarpWishes, {2, 4});
}

std::vector<Config> matmul_wgmma_seeds(const Workload& workload, const Target& target) {
  return seeds(matmul_wgmma_template(), workload, target, kGroupWishes, {4, 2});
}

}  // namespace nestwright
