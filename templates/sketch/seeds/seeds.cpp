#include "templates/sketch/seeds/seeds.h"

#include <algorithm>
#include <array>

#include "templates/framework/space/completion.h"
#include "templates/loops/register_tile.h"
#include "templates/loops/vectors.h"
#include "templates/sketch/nests/pack.h"
#include "templates/sketch/nests/register_tile.h"
#include "templates/sketch/nests/row_streams.h"
#include "templates/sketch/rewrites/merge_axes.h"
#include "templates/sketch/rewrites/unroll_phases.h"
#include "templates/sketch/seeds/block_seeds.h"
#include "templates/sketch/seeds/row_seeds.h"

namespace nestwright {
namespace {

constexpr std::size_t kSeeds = 12;

/// Makes the seeds of one register tile by formulas.
class TileSeeds {
 public:
  TileSeeds(const StageAnalysis& stage, const ReductionForm& form, const Target& target)
      : stage_(stage), form_(form), target_(target) {
    row_ = row_axis(stage, form.vector_axis);
    second_ = row_ < 0 ? -1 : row_axis(stage, form.vector_axis, row_);
    transposed_ = is_transposed(stage, form.vector_axis);
    overlaps_ = transposed_ && overlapping_steps(stage, row_, static_cast<int>(stage.extents.size()) - 1) > 0;
    for (int a = 0; a < stage.spatial; ++a) {
      if (a != form.vector_axis && a != row_) others_ *= extent(a);
    }
    const OperandAccess* along = nullptr;  // what is read in vectors: of several operands, one that would be gathered
    for (const OperandAccess& access : stage.accesses) {
      if (!access.tensor.defined() || !access.mentions(form.vector_axis)) continue;
      const bool gathers = is_packed(stage, access, form.vector_axis);
      if (along == nullptr || gathers) along = &access;
      if (gathers) break;
    }
    if (along == nullptr) return;
    const auto stride = along->strides[static_cast<std::size_t>(form.vector_axis)];
    const bool in_place = stride && *stride == 1;
    bytes_ = static_cast<double>(along->tensor.buffer()->elements()) * along->tensor.dtype().bytes();
    const bool is_large = bytes_ > 2.0 * static_cast<double>(target.l2_bytes) && reuse_of(stage, *along) >= 40;
    packs_ = !in_place || is_large;
    prepares_ = along->is_constant;
  }

  std::vector<StageSeed> all() const {
    std::vector<StageSeed> seeds{tile(2, "partition"), tile(2, "compose"), tile(4, "partition"), tile(3, "partition"),
                                 tile(1, "partition")};
    StageSeed panels = tile(2, "partition");
    set(panels, "pack_vectors", prepares_ ? "prepared" : packs_ != transposed_ ? "block" : "whole");
    set(panels, "block_order", block_order({2, 0, 1}));
    set(panels, "vector_blocks",
        std::max<std::int64_t>(target_.threads, static_cast<std::int64_t>(4 * bytes_) / target_.l2_bytes));
    seeds.push_back(panels);
    StageSeed blocked = tile(3, "partition");
    set(blocked, "reduction", "blocked");
    set(blocked, "blocks_k", ceil_div(extent(stage_.spatial), std::int64_t{384}));
    set(blocked, "prefetch_result", 1);
    seeds.push_back(blocked);
    StageSeed rows = tile(2, "compose");
    set(rows, "pack_rows", "block");
    set(rows, "prefetch_result", 1);
    seeds.push_back(rows);
    return seeds;
  }

 private:
  std::int64_t extent(int axis) const { return stage_.extents[static_cast<std::size_t>(axis)]; }

  /// `order` without the groups of blocks that the stage does not have.
  KnobValue block_order(KnobValue order) const {
    if (others_ == 1) std::erase(order, 0);
    if (row_ < 0) std::erase(order, 1);
    return order;
  }
  /// The extent of the first axis outside of the tile that has several iterations; 1: there is none.
  std::int64_t outermost_other() const {
    for (int a = 0; a < stage_.spatial; ++a) {
      if (a != form_.vector_axis && a != row_ && extent(a) > 1) return extent(a);
    }
    return 1;
  }

  static void set(StageSeed& seed, const std::string& knob, SeedValue value) {
    std::erase_if(seed, [&](const auto& entry) { return entry.first == knob; });
    seed.emplace_back(knob, std::move(value));
  }

  StageSeed tile(std::int64_t vectors, const char* tail) const {
    const std::int64_t lanes = full_lanes(extent(form_.vector_axis), widest_type(stage_), target_);
    vectors = std::min(vectors, ceil_div(extent(form_.vector_axis), lanes));
    const std::int64_t height = row_ < 0 ? 1 : extent(row_);
    const std::int64_t most = fitting_rows(vectors, 1000, target_);
    std::int64_t rows =
        tail == std::string("compose") ? std::min(height, most) : fitting_rows(vectors, height, target_);
    const std::int64_t second = second_ < 0 ? 1 : std::min(extent(second_), std::max<std::int64_t>(1, most / rows));
    const std::int64_t steps = stage_.extents.back();
    std::int64_t unroll = overlaps_ ? 1 : steps <= 8 ? steps : vectors == 1 ? 8 : 4;
    TileAxes axes;
    axes.vector = form_.vector_axis;
    axes.row = row_;
    axes.second_row = second_;
    const TileRegisters registers(stage_, axes, target_);
    const auto innermost = static_cast<std::size_t>(stage_.reduced() - 1);
    while (rows * unroll > 1 && !registers.hold({rows * second, vectors, unroll, lanes}, innermost)) {
      if (unroll > 1) {
        --unroll;
      } else {
        --rows;
      }
    }
    StageSeed seed{{"vectors_along", form_.label()},
                   {"vector_lanes", lanes},
                   {"register_vectors", vectors},
                   {"register_rows", rows},
                   {"second_rows", second},
                   {"tail", tail},
                   {"reduction", "whole"},
                   {"vector_blocks", 1},
                   {"pack_rows", "no"},
                   {"pack_vectors", prepares_ ? "prepared"
                                    : packs_  ? "whole"
                                              : "no"}};
    seed.emplace_back("unroll_k", unroll);
    const std::int64_t tasks = 2 * target_.threads;
    const bool others_suffice = others_ >= tasks;
    seed.emplace_back("row_blocks", others_suffice ? 1 : std::min(ceil_div(height, rows), tasks));
    seed.emplace_back("parallel_loops", others_suffice && outermost_other() < tasks ? 2 : 1);
    // Few rows: threads share the vectors.
    const bool shares_vectors = !others_suffice && ceil_div(height, rows) < target_.threads;
    if (shares_vectors) set(seed, "vector_blocks", tasks);
    seed.emplace_back("block_order",
                      block_order(shares_vectors || transposed_ ? KnobValue{2, 0, 1} : KnobValue{0, 1, 2}));
    // What is packed for the vectors of a tile is more than what its rows read: it stays in the cache for all rows.
    if (transposed_) {
      set(seed, "vector_blocks", ceil_div(extent(form_.vector_axis), vectors * lanes));
      if (!prepares_) set(seed, "pack_vectors", "block");
    }
    return seed;
  }

  const StageAnalysis& stage_;
  const ReductionForm& form_;
  const Target& target_;
  int row_ = -1, second_ = -1;
  std::int64_t others_ = 1;
  double bytes_ = 0;
  bool packs_ = false, prepares_ = false, transposed_ = false;
  bool overlaps_ = false;  ///< unrolled, steps of the innermost reduction read the same elements for several rows
};

std::vector<StageSeed> seeds_of(const StageAnalysis& stage, const Target& target) {
  if (!stage.is_reduction) return row_seeds(stage, target);
  std::vector<StageSeed> seeds;
  const std::vector<ReductionForm> forms = reduction_forms(stage, target);
  std::vector<std::vector<StageSeed>> of_forms;
  for (const ReductionForm& form : forms) {
    if (is_of_columns(stage, form)) {
      of_forms.push_back(column_seeds(stage, form, target));
    } else if (form.kind == ReductionForm::Kind::kTiles) {
      of_forms.push_back(TileSeeds(stage, form, target).all());
    } else {
      of_forms.push_back(row_seeds(stage, target));
      for (StageSeed& seed : of_forms.back()) seed.emplace_back("vectors_along", form.label());
    }
  }
  // Seeds are taken from the forms in turn, from the likeliest one twice as often.
  for (std::size_t i = 0; i < 2 * kSeeds; ++i) {
    for (std::size_t f = 0; f < of_forms.size(); ++f) {
      const std::size_t at = f == 0 ? i : i / 2;
      if ((f == 0 || i % 2 == 1) && at < of_forms[f].size()) seeds.push_back(of_forms[f][at]);
    }
  }
  return seeds;
}

/// Sets the knobs of sums of far rows (row_streams.h): data that stream from memory are fastest in half vectors.
void set_row_stream_knobs(Config& config, const StageAnalysis& sums, std::size_t seed, const Target& target) {
  constexpr std::array kStreams{"eight", "four", "one"};
  config.set("streams", {}, kStreams[seed % kStreams.size()]);
  set_knobs(config, sums.name + ".far",
            {{"vectors", 2}, {"vector_lanes", half_lanes(widest_type(sums), target)}, {"blocks", target.threads}});
}

/// The seeds of a definition whose axes are merged, with the parallel loops' ones first.
std::vector<Config> seeds_of_definition(const Definition& definition, const Target& target) {
  const std::vector<StageAnalysis> stages =
      analyse_stages(create_schedule(definition.outputs()), constant_inputs_of(definition));
  std::vector<std::vector<StageSeed>> stage_seeds;
  std::size_t count = 1;
  for (const StageAnalysis& stage : stages) {
    stage_seeds.push_back(seeds_of(stage, target));
    count = std::max(count, stage_seeds.back().size());
  }
  const bool row_streams = may_interleave_row_streams(definition, target);
  std::vector<Config> seeds;
  for (std::size_t i = 0; i < std::min(count, kSeeds); ++i) {
    Config& config = seeds.emplace_back();
    config.set("parallel", {}, "loops");
    for (std::size_t s = 0; s < stages.size(); ++s) {
      set_knobs(config, stages[s].name, stage_seeds[s][i % stage_seeds[s].size()]);
      if (stages[s].has_branch && !stages[s].is_reduction)
        config.set(stages[s].name + ".values", {}, i % 2 == 0 ? "stored" : "again");
    }
    if (i % 2 == 0) set_block_knobs(config, stages, target);
    if (row_streams) set_row_stream_knobs(config, stages.front(), i, target);
  }
  Config serial = seeds.front();
  serial.set("parallel", {}, "none");
  seeds.push_back(serial);
  return seeds;
}

}  // namespace

std::vector<Config> generated_seeds(const Template& t, const Workload& workload, const Target& target) {
  constexpr double kFewReads = 4;  // with more, unpacking takes longer than reading what was unpacked
  std::vector<Config> seeds;
  double most_reads = 0;
  for (const bool unpacks_again : {true, false}) {
    Definition definition = *workload.definition;
    std::vector<std::string> unpacked;
    unroll_phases(definition, [&](const std::string& stage, double reads) {
      unpacked.push_back(stage);
      most_reads = std::max(most_reads, reads);
      return unpacks_again;
    });
    if (unpacked.empty() && !unpacks_again) break;  // there is no choice
    merge_axes(definition);
    std::vector<Config> more = seeds_of_definition(definition, target);
    for (Config& config : more) {
      for (const std::string& stage : unpacked) config.set(stage + ".unpacked", {}, unpacks_again ? "again" : "stored");
    }
    seeds.insert(most_reads > kFewReads ? seeds.begin() : seeds.end(), more.begin(), more.end());
  }
  return complete_seeds(t, workload, target, seeds);
}

}  // namespace nestwright
