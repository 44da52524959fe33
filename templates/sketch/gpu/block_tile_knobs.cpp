#include <algorithm>
#include <cstdlib>

#include "templates/loops/candidates.h"
#include "templates/loops/divide.h"
#include "templates/loops/gpu_threads.h"
#include "templates/sketch/gpu/block_tile.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxElements = 8;           ///< of a thread along an axis
constexpr std::int64_t kMaxThreadsAlongAxis = 64;  ///< the most that devices allow along z
constexpr std::int64_t kAnyFactor = 256;           ///< extents up to here are split by any factor, others by powers
constexpr std::int64_t kMaxOfBlock = 256;          ///< points of a block along an axis
constexpr std::int64_t kMaxUnrolledSteps = 1024;   ///< multiply-adds that the loops of a thread are unrolled to
constexpr std::int64_t kRegistersForIndices = 24;  ///< and for what the compiler keeps
constexpr std::int64_t kWhole = 4;  ///< tiles that are whole have at least a quarter of the threads that there could be
constexpr std::int64_t kBanks = 32;         ///< of shared memory
constexpr std::int64_t kLongestWindow = 8;  ///< that is unrolled

struct AxisKnobs {
  std::int64_t extent = 1;
  KnobExpr blocks = 1, strips = 1, threads = 1, elements = 1;
  KnobExpr of_thread() const { return strips * elements; }
  KnobExpr of_block() const { return strips * threads * elements; }
};

/// No thread lies wholly past the end, and no more than a quarter of the points do.
AxisKnobs define_axis_tile(ScopedTuning& t, const std::string& name, std::int64_t extent) {
  const bool any = extent <= kAnyFactor;
  SplitOptions options{.parts = 3,
                       .policy = any ? SplitOptions::Policy::kAll : SplitOptions::Policy::kPowerOfTwo,
                       .max_factor = kMaxElements,
                       .filter = {}};
  options.filter = [extent](std::span<const std::int64_t> parts) {
    const std::int64_t of_block = parts[1] * parts[2], padded = parts[0] * of_block;
    return parts[1] <= kMaxThreadsAlongAxis && of_block <= kMaxOfBlock && of_block - parts[2] < extent &&
           (padded - extent) * 4 <= extent;
  };
  const PartsKnob parts = t.define_split(name, extent, options);
  return {extent, parts[0], 1, parts[1], parts[2]};
}

/// The knobs of a tile, as expressions.
class TileDefinition {
 public:
  TileDefinition(GpuSketch& sketch, const BlockTileShape& shape)
      : sketch_(sketch), shape_(shape), stage_(sketch.of(shape.sums)), t_(sketch.knobs_of(shape.sums)) {}

  BlockTileKnobs define() {
    define_axes();
    define_reduction();
    define_fetches();
    require_block();
    BlockTileKnobs knobs;
    for (const AxisKnobs& axis : axes_) knobs.axes.push_back({axis.strips, axis.threads, axis.elements});
    knobs.k_block = k_block_;
    knobs.unroll_k = unroll_k_;
    knobs.unrolls_window = unrolls_window_ == 1;
    knobs.stages = stages_;
    knobs.padding = padding_;
    for (const KnobExpr& lanes : fetch_lanes_) knobs.fetch_lanes.push_back(lanes);
    knobs.store_lanes = store_lanes_;
    knobs.first_blocks_innermost = first_innermost_ == 1;
    return knobs;
  }

 private:
  std::int64_t extent(int axis) const { return stage_.extents[static_cast<std::size_t>(axis)]; }
  std::int64_t sliced() const { return extent(stage_.spatial + shape_.sliced); }
  std::int64_t words() const { return std::max<std::int64_t>(1, stage_.tensor.dtype().bytes() / 4); }

  void define_axes() {
    for (const int axis : shape_.tiled) {
      axes_.push_back(define_axis_tile(t_, "tile_" + std::to_string(axis), extent(axis)));
    }
    const KnobExpr strips = t_.define_knob("strips", {1, 2});
    for (std::size_t a = axes_.size() < 2 ? 0 : axes_.size() - 2; a < axes_.size(); ++a) {
      t_.require(strips == 1 || axes_[a].blocks > 1, "a block has strips that lie wholly past the end");
      axes_[a].strips = strips;
    }
    const int x = shape_.tiled.back();
    const bool has_vectors = sketch_.of(shape_.stored).result_stride(x) == 1;
    store_lanes_ = t_.define_knob("store_lanes",
                                  vector_widths(has_vectors ? extent(x) : 1, sketch_.of(shape_.stored).tensor.dtype()));
    t_.require(
        store_lanes_ == 1 || (axes_.back().elements % store_lanes_ == 0 && extent(x) % axes_.back().of_block() == 0),
        "vectors that are stored would be cut by the end of a row, or are longer than a thread's run");
    first_innermost_ = t_.define_annotate("blocks_inner", {"last", "first"}) == "first";
  }

  void define_reduction() {
    std::vector<std::int64_t> slices = up_to({8, 16, 32, 4, 64, 2, 1}, sliced());
    if (sliced() < kLongestWindow && sliced() > slices.front()) slices.insert(slices.begin(), sliced());
    k_block_ = t_.define_knob("block_k", slices);
    unroll_k_ = t_.define_knob("unroll_k", up_to({4, 8, 1, 2}, sliced()));
    t_.require(k_block_ % unroll_k_ == 0, "more steps would be unrolled than a slice has");
    const bool may_unroll = !shape_.window.empty() && extent(stage_.spatial + shape_.window.back()) <= kLongestWindow;
    unrolls_window_ =
        t_.define_knob("unroll_window", may_unroll ? std::vector<std::int64_t>{1, 0} : std::vector<std::int64_t>{0});
  }

  /// The number of indices along `axis` of the stage that a slice covers.
  KnobExpr covered(int axis) const {
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      if (shape_.tiled[a] == axis) return axes_[a].of_block();
    }
    const int r = axis - stage_.spatial;
    if (r == shape_.sliced) return k_block_;
    const bool is_window = std::find(shape_.window.begin(), shape_.window.end(), r) != shape_.window.end();
    return is_window ? extent(axis) : 1;
  }

  KnobExpr all_threads() const {
    KnobExpr threads = 1;
    for (const AxisKnobs& axis : axes_) threads = threads * axis.threads;
    return threads;
  }

  KnobExpr covered_dimension(const OperandAccess& access, std::size_t d) const {
    KnobExpr region = 1;
    for (std::size_t a = 0; a < access.axes[d].size(); ++a) {
      region = region + (covered(access.axes[d][a]) - 1) * std::abs(access.steps[d][a]);
    }
    return min(region, *ir::as_const_int(access.tensor.shape()[d]));
  }

  void define_fetches() {
    if (shape_.fetched.empty()) return;
    std::vector<std::int64_t> stages = stage_counts(sketch_.target);
    stages.insert(stages.begin(), 1);
    stages_ = t_.define_knob("stages", stages);
    padding_ = t_.define_knob("padding", {0, 4});
    t_.require(stages_ == 1 || ((stages_ - 1) * k_block_ < sliced() && KnobExpr(sliced()) % k_block_ == 0),
               "there are fewer slices than stages, or the last one is shorter, which is not fetched ahead");
    KnobExpr elements = 0, bytes = kSharedAlignment * static_cast<std::int64_t>(shape_.fetched.size());
    for (const FetchedOperand& operand : shape_.fetched) {
      const OperandAccess& access = stage_.accesses[static_cast<std::size_t>(operand.access)];
      const std::size_t last = access.axes.size() - 1;
      KnobExpr rows = 1;
      for (std::size_t d = 0; d < last; ++d) rows = rows * covered_dimension(access, d);
      const KnobExpr row = covered_dimension(access, last);
      const std::int64_t whole = *ir::as_const_int(access.tensor.shape()[last]);
      const bool has_vectors = operand.computed < 0 && access.identity[last] >= 0;
      const KnobExpr lanes = t_.define_knob("fetch_lanes_" + std::to_string(operand.access),
                                            vector_widths(has_vectors ? whole : 1, access.tensor.dtype()));
      t_.require(lanes == 1 || (row % lanes == 0 && KnobExpr(whole) % row == 0),
                 "vectors that are fetched would cross the end of a slice or of a row");
      // Otherwise the verifier cannot prove that each thread stores elements of its own (ir/verify).
      const KnobExpr along_x = axes_.back().threads, in_row = row / lanes;
      t_.require(all_threads() == along_x || in_row % along_x == 0 || along_x % in_row == 0,
                 "threads of one row of the block would fetch parts of rows");
      fetch_lanes_.push_back(lanes);
      elements = elements + rows * row;
      const KnobExpr padded = last == 0 ? row : select(padding_ > 0, row + kBanks + padding_, row);
      bytes = bytes + rows * padded * access.tensor.dtype().bytes();
    }
    fetched_ = elements;
    t_.require(bytes * stages_ <= sketch_.target.shared_bytes, "the slices do not fit into a block's shared memory");
  }

  void require_block() {
    const Target& target = sketch_.target;
    const KnobExpr threads = all_threads();
    KnobExpr sums = 1;
    std::int64_t most = 1;
    for (const AxisKnobs& axis : axes_) {
      sums = sums * axis.of_thread();
      most *= std::max<std::int64_t>(1, std::min(kMaxThreadsAlongAxis, axis.extent) / kWhole);
    }
    KnobExpr operands = 0;
    for (const OperandAccess& access : stage_.accesses) {
      KnobExpr read = 1;
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        if (access.mentions(shape_.tiled[a])) read = read * axes_[a].of_thread();
      }
      operands = operands + read;
    }
    const KnobExpr ahead = select(stages_ > 1, ceil_div(fetched_, threads), 0);
    const KnobExpr registers = (sums + operands + ahead) * words() + kRegistersForIndices;
    t_.require(threads >= std::min<std::int64_t>(target.warp, most) && threads <= target.threads_per_block,
               "a block has fewer threads than a warp, or more than the target allows");
    t_.require(registers <= target.registers_per_thread && registers * threads <= target.registers_per_block,
               "accumulators and operands of a thread need more registers than the target has");
    const std::int64_t last_window = shape_.window.empty() ? 1 : extent(stage_.spatial + shape_.window.back());
    t_.require(sums * unroll_k_ * select(unrolls_window_ == 1, last_window, 1) <= kMaxUnrolledSteps,
               "the unrolled loops of a thread have more than 1024 multiply-adds");
  }

  GpuSketch& sketch_;
  const BlockTileShape& shape_;
  const StageAnalysis& stage_;
  ScopedTuning t_;
  std::vector<AxisKnobs> axes_;
  KnobExpr k_block_ = 1, unroll_k_ = 1, unrolls_window_ = 0, stages_ = 1, padding_ = 0, store_lanes_ = 1;
  KnobExpr first_innermost_ = 0, fetched_ = 0;
  std::vector<KnobExpr> fetch_lanes_;
};

}  // namespace

BlockTileKnobs define_block_tile(GpuSketch& sketch, const BlockTileShape& shape) {
  return TileDefinition(sketch, shape).define();
}

}  // namespace nestwright
