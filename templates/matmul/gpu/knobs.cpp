#include <algorithm>
#include <bit>

#include "templates/loops/gpu_threads.h"
#include "templates/matmul/gpu/register_tiles.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMostElements = 8;  ///< of a run of a thread, along either axis
constexpr std::int64_t kMostStrips = 2;
constexpr std::int64_t kMostOfBlock = 256;      ///< rows or columns of a block
constexpr std::int64_t kMostStatements = 1024;  ///< multiply-adds that the loops of a thread are unrolled to
constexpr std::int64_t kLeastPart = 16;         ///< steps of the reduction: below, the sum of the parts is too dear
constexpr std::int64_t kMostSums = 1 << 20;     ///< elements of C: above, there is enough to share without parts
constexpr std::int64_t kSpareRegisters = 24;    ///< for indices, and what the compiler likes to keep
constexpr std::int64_t kRegisterBytes = 4;
constexpr std::int64_t kAlignment = 16;  ///< of an array in shared memory, bytes

ThreadTile tile_of(const KnobValue& parts) { return {parts[0], parts[1], parts[2], parts[3]}; }

/// Splits an axis of C: nobody's run lies wholly past the end, so that all blocks have the threads that are asked for.
ThreadTile define_tile(Tuning& t, const std::string& name, std::int64_t extent) {
  SplitOptions options{
      .parts = 4, .policy = SplitOptions::Policy::kPowerOfTwo, .max_factor = kMostElements, .filter = {}};
  options.filter = [extent](std::span<const std::int64_t> parts) {
    const ThreadTile tile{parts[0], parts[1], parts[2], parts[3]};
    return tile.elements <= extent && tile.strips <= kMostStrips && tile.of_block() <= kMostOfBlock &&
           (tile.of_block() - (tile.strips > 1 ? tile.threads : 1) * tile.elements) < extent;
  };
  return tile_of(t.define_split(name, extent, options));
}

/// The most threads that a block may have where nobody is idle.
std::int64_t most_threads(std::int64_t extent) {
  return std::min<std::int64_t>(kMostOfBlock,
                                static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(extent))));
}

std::int64_t words(ir::Type type) { return std::max<std::int64_t>(1, type.bytes() / kRegisterBytes); }

/// A or B, as the matrix lies.
struct Operand {
  char name;
  ir::Type type;
  bool along_k;         ///< rows run along the reduction
  std::int64_t across;  ///< its extent along C's axis
  MatrixLayout layout;
  std::string tile() const { return std::string("tile_") + (name == 'a' ? 'm' : 'n'); }
};

/// How an operand is fetched: in which order it is stored, and by which vectors of neighbours in the matrix. None is
/// cut by the end of a row.
std::pair<bool, std::int64_t> define_fetch(Tuning& t, const Operand& x, const MatmulShape& shape, bool in_parts) {
  const std::string suffix(1, x.name);
  std::vector<std::string> orders{"steps"};
  if (x.along_k) orders.emplace_back("rows");
  const bool rows = t.define_annotate("order_" + suffix, orders) == "rows";
  const std::int64_t lanes = t.define_knob("vector_" + suffix, matrix_widths(x.layout, shape.batch, x.type));
  std::vector<std::string> names{"vector_" + suffix, "block_k", x.tile()};
  if (in_parts) names.emplace_back("parts");
  t.constrain(
      names,
      [x, k = shape.k](std::span<const KnobValue> v) {
        const std::int64_t width = v[0][0], block_k = v[1][0], parts = v.size() > 3 ? v[3][0] : 1;
        if (width == 1) return true;
        if (x.along_k) return block_k % width == 0 && k % (block_k * parts) == 0;
        const std::int64_t of_block = tile_of(v[2]).of_block();
        return of_block % width == 0 && x.across % of_block == 0;
      },
      "vectors of " + suffix + " would cross the end of a slice or of the matrix");
  return {rows, lanes};
}

/// Of a thread: accumulators, and what it reads for a step.
std::int64_t registers_of(const ThreadTile& m, const ThreadTile& n, ir::Type sums, std::int64_t operand_words) {
  return words(sums) * m.of_thread() * n.of_thread() + operand_words * (m.of_thread() + n.of_thread()) +
         kSpareRegisters;
}

bool fits_registers(std::int64_t registers, std::int64_t threads, const Target& target) {
  return registers <= target.registers_per_thread && registers * threads <= target.registers_per_block;
}

void constrain_block(Tuning& t, const MatmulShape& shape, ir::Type sums, std::int64_t operand_words,
                     const Target& target) {
  const std::int64_t least = std::min<std::int64_t>(target.warp, most_threads(shape.m) * most_threads(shape.n));
  t.constrain(
      {"tile_m", "tile_n"},
      [least, most = target.threads_per_block](std::span<const KnobValue> v) {
        const std::int64_t threads = v[0][2] * v[1][2];
        return threads >= least && threads <= most;
      },
      "a block has fewer threads than a warp, or more than the target allows");
  t.constrain(
      {"tile_m", "tile_n"},
      [sums, operand_words, target](std::span<const KnobValue> v) {
        const ThreadTile m = tile_of(v[0]), n = tile_of(v[1]);
        return fits_registers(registers_of(m, n, sums, operand_words), m.threads * n.threads, target);
      },
      "accumulators and operands of a thread need more registers than the target has");
  t.constrain(
      {"tile_m", "tile_n", "unroll_k"},
      [](std::span<const KnobValue> v) {
        return tile_of(v[0]).of_thread() * tile_of(v[1]).of_thread() * v[2][0] <= kMostStatements;
      },
      "the unrolled loops of a thread have more than 1024 multiply-adds");
  t.constrain(
      {"blocks_x", "tile_m", "tile_n"},
      [](std::span<const KnobValue> v) { return v[v[0][0] == 0 ? 1 : 2][0] <= kMostBlocks; },
      "there are more than 65535 blocks along blockIdx.y");
}

void constrain_shared(Tuning& t, const MatmulTypes& types, ir::Type sums, std::int64_t k, bool in_parts,
                      const Target& target) {
  t.constrain(
      {"tile_m", "tile_n", "block_k", "double_buffer"},
      [sums, operand_words = std::max(words(types.a), words(types.b)), target](std::span<const KnobValue> v) {
        if (v[3][0] == 0) return true;
        const ThreadTile m = tile_of(v[0]), n = tile_of(v[1]);
        const std::int64_t threads = m.threads * n.threads, ahead = ceil_div(m.of_block() * v[2][0], threads) +
                                                                    ceil_div(n.of_block() * v[2][0], threads);
        return fits_registers(registers_of(m, n, sums, operand_words) + operand_words * ahead, threads, target);
      },
      "with what is fetched ahead, a thread needs more registers than the target has");
  t.constrain(
      {"tile_m", "tile_n", "block_k", "padding", "double_buffer", "stages"},
      [types, most = target.shared_bytes](std::span<const KnobValue> v) {
        const std::int64_t block_k = v[2][0], padding = v[3][0], slices = v[4][0] == 1 ? v[5][0] : 1;
        const auto bytes = [&](std::int64_t of_block, ir::Type type) {
          return slices * type.bytes() * (block_k * of_block + padding * std::max(block_k, of_block)) + kAlignment;
        };
        return bytes(tile_of(v[0]).of_block(), types.a) + bytes(tile_of(v[1]).of_block(), types.b) <= most;
      },
      "the tiles of A and B do not fit into a block's shared memory");
  t.constrain(
      {"block_k", "unroll_k"}, [](std::span<const KnobValue> v) { return v[0][0] % v[1][0] == 0; },
      "more steps would be unrolled than are fetched at a time");
  std::vector<std::string> names{"double_buffer", "block_k"};
  if (in_parts) names.emplace_back("parts");
  t.constrain(
      names,
      [k](std::span<const KnobValue> v) { return v[0][0] == 0 || ceil_div(k, v.size() > 2 ? v[2][0] : 1) > v[1][0]; },
      "all of the reduction is fetched at once, so that nothing is left to fetch ahead");
  constrain_stages(t, types, k, in_parts);
}

std::vector<std::int64_t> part_counts(const MatmulShape& shape) {
  std::vector<std::int64_t> counts{2, 4, 8, 16, 32, 64};
  std::erase_if(counts, [&](std::int64_t count) { return shape.k / count < kLeastPart; });
  const bool is_small = shape.m <= kMostSums && shape.n <= kMostSums && shape.batch <= kMostSums &&
                        shape.m * shape.n <= kMostSums && shape.m * shape.n * shape.batch <= kMostSums;
  return is_small ? counts : std::vector<std::int64_t>();
}

}  // namespace

std::vector<std::int64_t> matrix_widths(const MatrixLayout& layout, std::int64_t batch, ir::Type type,
                                        std::int64_t most) {
  std::vector<std::int64_t> widths = vector_widths(layout.columns, type, most);
  std::erase_if(widths, [&](std::int64_t width) {
    return layout.leading % width != 0 || (batch > 1 && layout.step % width != 0);
  });
  return widths;
}

void constrain_stages(Tuning& t, const MatmulTypes& types, std::int64_t k, bool in_parts) {
  std::vector<std::string> names{"stages", "double_buffer", "block_k", "vector_a", "vector_b"};
  if (in_parts) names.emplace_back("parts");
  t.constrain(
      names,
      [k, bytes_a = types.a.bytes(), bytes_b = types.b.bytes()](std::span<const KnobValue> v) {
        if (v[0][0] == 2) return true;
        const bool waits = v[3][0] * bytes_a < kLeastAsynchronous || v[4][0] * bytes_b < kLeastAsynchronous;
        return v[1][0] == 1 && !waits && ceil_div(k, v.size() > 5 ? v[5][0] : 1) > (v[0][0] - 1) * v[2][0];
      },
      "there are fewer slices than stages, or threads wait for each slice that they fetch");
}

MatmulGpuKnobs define_matmul_gpu_knobs(Tuning& t, const Workload& workload, const Target& target) {
  const MatmulShape shape = matmul_shape(workload);
  const MatmulTypes types = matmul_types(workload.type("dtype"));
  const ir::Type sums = matmul_gpu_sums(workload);
  MatmulGpuKnobs knobs;
  knobs.shared = t.choose("staging", {"shared", "none"}) == "shared";
  const std::vector<std::int64_t> counts = part_counts(shape);
  const bool in_parts = t.choose("reduction", counts.empty() ? std::vector<std::string>{"whole"}
                                                             : std::vector<std::string>{"whole", "parts"}) == "parts";
  if (in_parts) knobs.parts = t.define_knob("parts", counts);
  knobs.m = define_tile(t, "tile_m", shape.m);
  knobs.n = define_tile(t, "tile_n", shape.n);
  knobs.unroll_k = t.define_knob("unroll_k", {1, 2, 4, 8});
  knobs.k_block = knobs.unroll_k;

  // Along x there may be more blocks than along y; those of the batch are along x, too, where z has no room for them.
  const bool many = shape.batch * knobs.parts > kMostBlocks;
  knobs.n_along_y =
      t.define_annotate("blocks_x", many ? std::vector<std::string>{"m"} : std::vector<std::string>{"n", "m"}) == "m";
  MatrixLayout stored = shape.c;
  if (in_parts) stored = {shape.m, shape.n, shape.n, shape.m * shape.n};
  knobs.lanes_c = t.define_knob("vector_c", matrix_widths(stored, shape.batch, sums));
  t.constrain(
      {"vector_c", "tile_n"},
      [n = shape.n](std::span<const KnobValue> v) {
        const ThreadTile tile = tile_of(v[1]);
        return v[0][0] == 1 || (tile.elements % v[0][0] == 0 && n % tile.of_block() == 0);
      },
      "vectors of C would be cut by the end of a row, or are longer than a thread's run");
  constrain_block(t, shape, sums, std::max(words(types.a), words(types.b)), target);
  if (!knobs.shared) return knobs;

  std::vector<std::int64_t> blocks{4, 8, 16, 32, 64};
  std::erase_if(blocks, [&](std::int64_t block) { return block > 4 && block >= 2 * shape.k; });
  knobs.k_block = t.define_knob("block_k", blocks);
  std::tie(knobs.rows_a, knobs.lanes_a) = define_fetch(t, {'a', types.a, !shape.ta, shape.m, shape.a}, shape, in_parts);
  std::tie(knobs.rows_b, knobs.lanes_b) = define_fetch(t, {'b', types.b, shape.tb, shape.n, shape.b}, shape, in_parts);
  knobs.padding = t.define_knob("padding", {0, 4});
  knobs.fragments = t.define_annotate("fragments", {"no", "yes"}) == "yes";
  knobs.double_buffer = t.define_annotate("double_buffer", {"no", "yes"}) == "yes";
  knobs.stages = t.define_knob("stages", stage_counts(target));
  constrain_shared(t, types, sums, shape.k, in_parts, target);
  return knobs;
}

}  // namespace nestwright
