// The CPU template of softmax. A row stays in the nearest cache, or in registers, from its first pass to its last:
//
//   for rows (in blocks, which threads share):
//     largest = max of X's row                                  (in vectors, then by halves)
//     power   = exp(X - largest)                                (kept; or computed again by each reader)
//     total   = sum of power
//     Y       = power * (1 / total)
//
// Where there are few rows, threads share the columns, one pass after the other:
//
//   for blocks of columns: largest of the block;   largest of all
//   for blocks of columns: power
//   for blocks of columns: total of the block;     total of all
//   for blocks of columns: Y
#include "templates/framework/completion.h"
#include "templates/framework/seed_table.h"
#include "templates/loops/divide.h"
#include "templates/loops/vectors.h"
#include "templates/softmax/softmax.h"

namespace nestwright {
namespace {

constexpr std::int64_t kFewRows = 8;  ///< a thread: fewer do not keep all threads busy to the end

/// The stages between X and Y.
struct Stages {
  Tensor largest, power, total, share;
};

Stages stages_of(const Tensor& y) {
  const auto& made_from = y.op()->inputs;
  Stages stages{{}, Tensor(made_from.at(0)), {}, Tensor(made_from.at(1))};
  stages.total = Tensor(stages.share.op()->inputs.at(0));
  stages.largest = Tensor(stages.power.op()->inputs.at(1));
  return stages;
}

enum class Powers : std::uint8_t { kMemory, kRegisters, kAgain };

Powers choose_powers(Tuning& t, std::int64_t columns, const Target& target) {
  std::vector<std::string> options{"memory", "again"};
  const std::int64_t vectors = ceil_div(columns, target.lanes(kFloat32));
  if (target.has_fma() && vectors + 8 <= target.vector_registers) options.emplace_back("registers");
  const std::string chosen = t.choose("powers", options);
  return chosen == "memory" ? Powers::kMemory : chosen == "again" ? Powers::kAgain : Powers::kRegisters;
}

void schedule_rows(Tuning& t, Schedule& s, const Tensor& y, const Target& target, bool parallel, std::int64_t columns) {
  const Stages at = stages_of(y);
  const Powers powers = choose_powers(t, columns, target);
  VectorTile tile;
  if (powers == Powers::kRegisters) {
    tile.lanes = full_lanes(columns, kFloat32, target);
    tile.vectors = ceil_div(columns, tile.lanes);
  } else {
    tile = define_vectors(t, columns, kFloat32, target, max_expanded(target)).in_run();
  }
  const IterVar row = parallel ? share_loop(t, s[y], s[y].axis(0)).second : s[y].axis(0);
  split_vectors(s[y], s[y].axis(1), tile);
  if (define_streaming(t, y, columns, target)) s[y].stream();

  if (powers == Powers::kAgain) {
    s[at.power].compute_inline();
  } else {
    split_vectors(s[at.power], s[at.power].axis(1), tile);
    if (powers == Powers::kRegisters) s[at.power].set_scope(ir::Scope::kRegister);
    s[at.power].compute_at(s[y], row);
  }
  for (const Tensor& reduced : {at.largest, at.total}) {
    const std::vector<Tensor> partial = reduce_in_vectors(s, reduced, s[reduced].reduce_axis(0), tile);
    s[reduced].set_scope(ir::Scope::kRegister).compute_at(s[y], row);
    for (const Tensor& stage : partial) s[stage].compute_at(s[y], row);
  }
  s[at.share].set_scope(ir::Scope::kRegister).compute_at(s[y], row);
}

void schedule_columns(Tuning& t, Schedule& s, const Tensor& y, const Target& target, std::int64_t columns) {
  const Stages at = stages_of(y);
  const VectorTileKnobs knobs = define_vectors(t, columns, kFloat32, target, max_expanded(target));
  const VectorBlocks blocks = define_vector_blocks(t, columns, knobs);
  t.require(columns % (knobs.width() * blocks.count) == 0,
            "the columns do not divide into blocks of whole tiles, so that partial results would need masks");
  const VectorTile tile = knobs.in_run();
  const std::int64_t elements = blocks.elements;
  for (const Tensor& wide : {at.power, y}) {
    const auto [block, inside] = s[wide].split(s[wide].axis(1), factor(elements), Tail::partition());
    s[wide].parallel(block);
    split_vectors(s[wide], inside, tile);
  }
  for (const Tensor& reduced : {at.largest, at.total}) {
    const IterVar block = s[reduced].split(s[reduced].reduce_axis(0), factor(elements)).first;
    const Tensor of_block = s.rfactor(reduced, block, 1);
    const IterVar each = s[of_block].axis(1);
    s[of_block].parallel(each);
    for (const Tensor& stage : reduce_in_vectors(s, of_block, s[of_block].reduce_axis(0), tile)) {
      s[stage].compute_at(s[of_block], each);
    }
  }
}

Schedule schedule_softmax(Tuning& t, const Workload& workload, const Definition& definition, const Target& target) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Tensor y = definition.args[1];
  Schedule s = create_schedule(y);
  std::vector<std::string> options{"none"};
  if (rows > 1) options.emplace_back("rows");
  if (rows < kFewRows * target.threads && columns % (2 * target.lanes(kFloat32)) == 0 &&
      columns > 4 * target.lanes(kFloat32))
    options.emplace_back("columns");
  const std::string parallel = choose_parallel(t, target, options);
  if (parallel == "columns") {
    schedule_columns(t, s, y, target, columns);
  } else {
    schedule_rows(t, s, y, target, parallel == "rows", columns);
  }
  return s;
}

std::vector<Config> softmax_seeds(const Workload& workload, const Target& target) {
  const char* parallel = workload.size("rows") >= target.threads ? "rows" : "columns";
  return complete_seeds(softmax_cpu_template(), workload, target,
                        seed_product({{"powers", {"registers", "memory", "again"}},
                                      {"vectors", {8, 4}},
                                      {"parallel", {parallel, "none"}},
                                      {"blocks", {target.threads}}}));
}

}  // namespace

Template softmax_cpu_template() { return {"softmax.cpu", 1, {DeviceKind::kCpu}, schedule_softmax, softmax_seeds}; }

}  // namespace nestwright
