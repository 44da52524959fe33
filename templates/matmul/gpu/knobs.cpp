#include <algorithm>
#include <bit>

#include "templates/loops/gpu_threads.h"
#include "templates/matmul/gpu/register_tiles.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxElements = 8;  ///< of a run of a thread, along either axis
constexpr std::int64_t kMaxStrips = 2;
constexpr std::int64_t kMaxOfBlock = 256;      ///< rows or columns of a block
constexpr std::int64_t kMaxStatements = 1024;  ///< multiply-adds that the loops of a thread are unrolled to
constexpr std::int64_t kMinPart = 16;          ///< steps of the reduction: below, the sum of the parts costs too much
constexpr std::int64_t kMaxSums = 1 << 20;     ///< elements of C: above, there is enough to share without parts
constexpr std::int64_t kSpareRegisters = 24;   ///< for indices, and what the compiler keeps
constexpr std::int64_t kRegisterBytes = 4;

/// Splits an axis of C: no run lies wholly past the end, so that all blocks have the threads that are asked for.
ThreadTileKnobs define_tile(Tuning& t, const std::string& name, std::int64_t extent) {
  SplitOptions options{
      .parts = 4, .policy = SplitOptions::Policy::kPowerOfTwo, .max_factor = kMaxElements, .filter = {}};
  options.filter = [extent](std::span<const std::int64_t> parts) {
    const ThreadTile tile{parts[0], parts[1], parts[2], parts[3]};
    return tile.elements <= extent && tile.strips <= kMaxStrips && tile.of_block() <= kMaxOfBlock &&
           (tile.of_block() - (tile.strips > 1 ? tile.threads : 1) * tile.elements) < extent;
  };
  const PartsKnob parts = t.define_split(name, extent, options);
  return {parts[0], parts[1], parts[2], parts[3]};
}

/// The most threads that a block may have without idle ones.
std::int64_t max_threads(std::int64_t extent) {
  return std::min<std::int64_t>(kMaxOfBlock,
                                static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(extent))));
}

std::int64_t words(ir::Type type) { return std::max<std::int64_t>(1, type.bytes() / kRegisterBytes); }

/// What is multiplied.
struct Product {
  MatmulShape shape;
  MatmulTypes types;
  ir::Type sums;
  std::int64_t operand_words() const { return std::max(words(types.a), words(types.b)); }
};

/// A or B, as the matrix lies.
struct Operand {
  std::string name;
  ir::Type type;
  bool along_k;         ///< rows run along the reduction
  std::int64_t across;  ///< its extent along C's axis
  MatrixLayout layout;
};

/// How an operand is fetched.
struct Fetch {
  bool rows;       ///< its slices are stored as it is, along the reduction
  KnobExpr lanes;  ///< of vectors of neighbours in the matrix, none of which is cut by the end of a row
};

Fetch define_fetch(Tuning& t, const Operand& x, const ThreadTileKnobs& tile, const MatmulShape& shape,
                   const SliceKnobs& slice) {
  std::vector<std::string> orders{"steps"};
  if (x.along_k) orders.emplace_back("rows");
  const bool rows = t.define_annotate("order_" + x.name, orders) == "rows";
  const KnobExpr lanes = t.define_knob("vector_" + x.name, matrix_widths(x.layout, shape.batch, x.type));
  t.require(
      values_of(lanes, slice.k_block, tile.of_block(), slice.parts),
      [along_k = x.along_k, across = x.across, k = shape.k](std::int64_t width, std::int64_t k_block,
                                                            std::int64_t of_block, std::int64_t parts) {
        if (width == 1) return true;
        return along_k ? k_block % width == 0 && k % (k_block * parts) == 0
                       : of_block % width == 0 && across % of_block == 0;
      },
      "vectors of " + x.name + " would cross the end of a slice or of the matrix");
  return {rows, lanes};
}

/// Registers of a thread: accumulators, and what it reads for a step.
KnobExpr registers_of(const ThreadTileKnobs& m, const ThreadTileKnobs& n, const Product& p) {
  return words(p.sums) * m.of_thread() * n.of_thread() + p.operand_words() * (m.of_thread() + n.of_thread()) +
         kSpareRegisters;
}

KnobExpr fits_registers(const KnobExpr& registers, const KnobExpr& threads, const Target& target) {
  return registers <= target.registers_per_thread && registers * threads <= target.registers_per_block;
}

void require_block(Tuning& t, const ThreadTileKnobs& m, const ThreadTileKnobs& n, const KnobExpr& unroll_k,
                   const KnobExpr& n_along_x, const Product& p, const Target& target) {
  const std::int64_t least = std::min<std::int64_t>(target.warp, max_threads(p.shape.m) * max_threads(p.shape.n));
  const KnobExpr threads = m.threads * n.threads;
  t.require(threads >= least && threads <= target.threads_per_block,
            "a block has fewer threads than a warp, or more than the target allows");
  t.require(fits_registers(registers_of(m, n, p), threads, target),
            "accumulators and operands of a thread need more registers than the target has");
  t.require(m.of_thread() * n.of_thread() * unroll_k <= kMaxStatements,
            "the unrolled loops of a thread have more than 1024 multiply-adds");
  t.require(select(n_along_x, m.blocks, n.blocks) <= kMaxBlocks, "there are more than 65535 blocks along blockIdx.y");
}

void require_shared(Tuning& t, const ThreadTileKnobs& m, const ThreadTileKnobs& n, const KnobExpr& unroll_k,
                    const SliceKnobs& slice, const Product& p, const Target& target) {
  const KnobExpr threads = m.threads * n.threads;
  const KnobExpr ahead =
      ceil_div(m.of_block() * slice.k_block, threads) + ceil_div(n.of_block() * slice.k_block, threads);
  t.require(fits_registers(registers_of(m, n, p) + p.operand_words() * ahead, threads, target) || !slice.double_buffer,
            "with what is fetched ahead, a thread needs more registers than the target has");
  const std::int64_t bytes_a = p.types.a.bytes(), bytes_b = p.types.b.bytes();
  const KnobExpr elements = (m.of_block() * bytes_a + n.of_block() * bytes_b) * slice.k_block;
  const KnobExpr padding =
      slice.padding * (max(slice.k_block, m.of_block()) * bytes_a + max(slice.k_block, n.of_block()) * bytes_b);
  t.require((elements + padding) * slice.slices() + 2 * kSharedAlignment <= target.shared_bytes,
            "the tiles of A and B do not fit into a block's shared memory");
  t.require(slice.k_block % unroll_k == 0, "more steps would be unrolled than are fetched at a time");
  t.require(!slice.double_buffer || slice.k_block < ceil_div(p.shape.k, slice.parts),
            "all of the reduction is fetched at once, so that nothing is left to fetch ahead");
  require_stages(t, p.types, p.shape.k, slice);
}

std::vector<std::int64_t> part_counts(const MatmulShape& shape) {
  std::vector<std::int64_t> counts{2, 4, 8, 16, 32, 64};
  std::erase_if(counts, [&](std::int64_t count) { return shape.k / count < kMinPart; });
  const bool is_small = shape.m <= kMaxSums && shape.n <= kMaxSums && shape.batch <= kMaxSums &&
                        shape.m * shape.n <= kMaxSums && shape.m * shape.n * shape.batch <= kMaxSums;
  return is_small ? counts : std::vector<std::int64_t>();
}

}  // namespace

std::vector<std::int64_t> matrix_widths(const MatrixLayout& layout, std::int64_t batch, ir::Type type,
                                        std::int64_t limit) {
  std::vector<std::int64_t> widths = vector_widths(layout.columns, type, limit);
  std::erase_if(widths, [&](std::int64_t width) {
    return layout.leading % width != 0 || (batch > 1 && layout.step % width != 0);
  });
  return widths;
}

void require_stages(Tuning& t, const MatmulTypes& types, std::int64_t k, const SliceKnobs& slice) {
  const KnobExpr are_copied = slice.lanes_a * types.a.bytes() >= kMinAsynchronousBytes &&
                              slice.lanes_b * types.b.bytes() >= kMinAsynchronousBytes;
  t.require(slice.stages == 2 ||
                (slice.double_buffer && (slice.stages - 1) * slice.k_block < ceil_div(k, slice.parts) && are_copied),
            "there are fewer slices than stages, or threads wait for each slice that they fetch");
}

MatmulGpuKnobs define_matmul_gpu_knobs(Tuning& t, const Workload& workload, const Target& target) {
  const Product p{matmul_shape(workload), matmul_types(workload.type("dtype")), matmul_gpu_sums(workload)};
  const MatmulShape& shape = p.shape;
  MatmulGpuKnobs knobs;
  SliceKnobs slice;
  knobs.shared = t.choose("staging", {"shared", "none"}) == "shared";
  const std::vector<std::int64_t> counts = part_counts(shape);
  const bool in_parts = t.choose("reduction", counts.empty() ? std::vector<std::string>{"whole"}
                                                             : std::vector<std::string>{"whole", "parts"}) == "parts";
  if (in_parts) slice.parts = t.define_knob("parts", counts);
  knobs.parts = slice.parts;
  const ThreadTileKnobs m = define_tile(t, "tile_m", shape.m), n = define_tile(t, "tile_n", shape.n);
  knobs.m = m.in_run();
  knobs.n = n.in_run();
  const KnobExpr unroll_k = t.define_knob("unroll_k", {1, 2, 4, 8});
  knobs.k_block = knobs.unroll_k = unroll_k;

  // Along x there may be more blocks than along y; those of the batch are along x, too, where z has no room for them.
  const bool many = shape.batch > kMaxBlocks;
  const OptionKnob blocks_x =
      t.define_annotate("blocks_x", many ? std::vector<std::string>{"m"} : std::vector<std::string>{"n", "m"});
  knobs.n_along_y = blocks_x == "m";
  if (in_parts) {
    t.require(blocks_x == "m" || shape.batch * slice.parts <= kMaxBlocks,
              "there are more blocks of the batch and of parts than a dimension of the grid has");
  }
  MatrixLayout stored = shape.c;
  if (in_parts) stored = {shape.m, shape.n, shape.n, shape.m * shape.n};
  const KnobExpr lanes_c = t.define_knob("vector_c", matrix_widths(stored, shape.batch, p.sums));
  t.require(lanes_c == 1 || (n.elements % lanes_c == 0 && shape.n % n.of_block() == 0),
            "vectors of C would be cut by the end of a row, or are longer than a thread's run");
  knobs.lanes_c = lanes_c;
  require_block(t, m, n, unroll_k, blocks_x == "n", p, target);
  if (!knobs.shared) return knobs;

  std::vector<std::int64_t> blocks{4, 8, 16, 32, 64};
  std::erase_if(blocks, [&](std::int64_t block) { return block > 4 && block >= 2 * shape.k; });
  slice.k_block = t.define_knob("block_k", blocks);
  const Fetch a = define_fetch(t, {"a", p.types.a, !shape.ta, shape.m, shape.a}, m, shape, slice);
  const Fetch b = define_fetch(t, {"b", p.types.b, shape.tb, shape.n, shape.b}, n, shape, slice);
  slice.lanes_a = a.lanes;
  slice.lanes_b = b.lanes;
  slice.padding = t.define_knob("padding", {0, 4});
  knobs.fragments = t.define_annotate("fragments", {"no", "yes"}) == "yes";
  slice.double_buffer = t.define_annotate("double_buffer", {"no", "yes"}) == "yes";
  slice.stages = t.define_knob("stages", stage_counts(target));
  require_shared(t, m, n, unroll_k, slice, p, target);
  knobs.k_block = slice.k_block;
  knobs.rows_a = a.rows;
  knobs.rows_b = b.rows;
  knobs.lanes_a = a.lanes;
  knobs.lanes_b = b.lanes;
  knobs.padding = slice.padding;
  knobs.double_buffer = slice.double_buffer;
  knobs.stages = slice.stages;
  return knobs;
}

}  // namespace nestwright
