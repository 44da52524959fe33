// The CPU template of layer normalisation. A row stays in the nearest cache from its first pass to its last:
//
//   for rows (in blocks, which threads share):
//     mean     = sum of X's row / columns                       (in vectors, then by halves)
//     inverse  = 1 / sqrt(sum of (X - mean)^2 / columns + epsilon)
//     Y        = (X - mean) * inverse * scale + shift
//
// (X - mean) is computed where it is read, or kept: in registers where the row is short.
#include "templates/framework/completion.h"
#include "templates/framework/seed_table.h"
#include "templates/layer_norm/layer_norm.h"
#include "templates/loops/divide.h"
#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

/// The stages between X and Y.
struct Stages {
  Tensor total, mean, centred, squares, inverse;
};

Stages stages_of(const Tensor& y) {
  const auto& made_from = y.op()->inputs;
  Stages stages;
  stages.centred = Tensor(made_from.at(0));
  stages.inverse = Tensor(made_from.at(1));
  stages.mean = Tensor(stages.centred.op()->inputs.at(1));
  stages.total = Tensor(stages.mean.op()->inputs.at(0));
  stages.squares = Tensor(stages.inverse.op()->inputs.at(0));
  return stages;
}

Schedule schedule_layer_norm(Tuning& t, const Workload& workload, const Definition& definition, const Target& target) {
  const std::int64_t rows = workload.size("rows"), columns = workload.size("columns");
  const Tensor y = definition.args[3];
  const Type type = y.dtype();
  Schedule s = create_schedule(y);
  const Stages at = stages_of(y);
  const bool parallel =
      choose_parallel(t, target,
                      rows > 1 ? std::vector<std::string>{"none", "rows"} : std::vector<std::string>{"none"}) == "rows";
  std::vector<std::string> options{"again", "memory"};
  const std::int64_t row_vectors = ceil_div(columns, target.lanes(type));
  if (row_vectors + 8 <= target.vector_registers) options.emplace_back("registers");
  const std::string centred = t.choose("centred", options);
  VectorTile tile{full_lanes(columns, type, target), 0};
  tile.vectors = ceil_div(columns, tile.lanes);
  if (centred != "registers") tile = define_vectors(t, columns, type, target, max_sums(target)).in_run();

  const IterVar row = parallel ? share_loop(t, s[y], s[y].axis(0)).second : s[y].axis(0);
  split_vectors(s[y], s[y].axis(1), tile);
  if (define_streaming(t, y, columns, target)) s[y].stream();

  if (centred == "again") {
    s[at.centred].compute_inline();
  } else {
    split_vectors(s[at.centred], s[at.centred].axis(1), tile);
    if (centred == "registers") s[at.centred].set_scope(ir::Scope::kRegister);
    s[at.centred].compute_at(s[y], row);
  }
  for (const Tensor& reduced : {at.total, at.squares}) {
    const std::vector<Tensor> partial = reduce_in_vectors(s, reduced, s[reduced].reduce_axis(0), tile);
    s[reduced].set_scope(ir::Scope::kRegister).compute_at(s[y], row);
    for (const Tensor& stage : partial) s[stage].compute_at(s[y], row);
  }
  for (const Tensor& stage : {at.mean, at.inverse}) s[stage].set_scope(ir::Scope::kRegister).compute_at(s[y], row);
  return s;
}

std::vector<Config> layer_norm_seeds(const Workload& workload, const Target& target) {
  return complete_seeds(layer_norm_cpu_template(), workload, target,
                        seed_product({{"parallel", {"rows", "none"}},
                                      {"centred", {"registers", "again", "memory"}},
                                      {"vectors", {4, 8}},
                                      {"blocks", {target.threads}}}));
}

}  // namespace

Template layer_norm_cpu_template() {
  return {"layer_norm.cpu", 1, {DeviceKind::kCpu}, schedule_layer_norm, layer_norm_seeds};
}

}  // namespace nestwright
