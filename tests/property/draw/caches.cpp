// cache_read, cache_write, transform_layout, storage_align, rfactor.
#include <algorithm>

#include "tests/property/draw/drawer.h"

namespace nestwright::property {
namespace {

/// Attaches a cache to a loop of a reader: a private one must be attached, others may be.
void attach_soon(Draw& d, const Tensor& cache, const Tensor& host, ir::Scope scope) {
  const bool is_private = scope == ir::Scope::kLocal || scope == ir::Scope::kRegister;
  if (!d.choices.chance(is_private ? 92 : 50)) return;
  const std::vector<IterVar> loops = d.schedule()[host].loops();
  if (loops.empty()) return;
  d.then("compute_at", [&schedule = d.schedule(), cache, host, loop = d.choices.of(loops)] {
    schedule[cache].compute_at(schedule[host], loop);
  });
}

bool is_block_loop(const StageState& stage, const IterVar& loop) {
  return loop.is_reduce() && std::any_of(stage.relations.begin(), stage.relations.end(), [&](const Relation& relation) {
           const auto* split = std::get_if<SplitRelation>(&relation);
           return split != nullptr && split->outer == loop;
         });
}

/// A layout with each axis whole or, with a chance of `tiled` per cent, tiled, in any order.
std::vector<Expr> draw_layout(Choices& choices, std::span<const Expr> axes, std::uint32_t tiled = 45) {
  std::vector<Expr> indices;
  for (const Expr& axis : axes) {
    if (choices.chance(tiled)) {
      const Expr c = choices.between(2, 6);
      indices.push_back(axis / c);
      indices.push_back(axis % (choices.chance(3) ? c + 1 : c));
    } else {
      indices.push_back(axis);
    }
  }
  for (std::size_t n = indices.size(); n > 1; --n)
    std::swap(indices[n - 1], indices[choices.below(static_cast<std::uint32_t>(n))]);
  return indices;
}

}  // namespace

bool draw_cache_read(Draw& d) {
  const StageState* reader = d.stage([](const StageState& s) { return !s.op->inputs.empty(); });
  if (reader == nullptr || d.state().stages.size() > 10) return false;
  const std::vector<Tensor> sources = d.reads(*reader);
  if (sources.empty()) return false;
  const Tensor source = d.choices.of(sources), host = reader->origin;
  std::vector<Tensor> readers = {host};
  for (const StageState& other : d.state().stages) {
    const std::vector<Tensor> read = d.reads(other);
    const bool reads = std::find(read.begin(), read.end(), source) != read.end();
    if (&other != reader && d.choices.chance(reads ? 40 : 1)) readers.push_back(other.origin);
  }
  const ir::Scope scope = d.scope();
  const Tensor cache = d.schedule().cache_read(source, scope, readers);
  if (cache.rank() > 0 && d.choices.chance(30)) {
    d.then("transform_layout", [&d, cache] {
      d.schedule().transform_layout(cache, [&](std::span<const Expr> axes) { return draw_layout(d.choices, axes); });
    });
  }
  attach_soon(d, cache, host, scope);
  return true;
}

bool draw_cache_write(Draw& d) {
  if (d.state().stages.size() > 10) return false;
  if (d.choices.chance(50)) {
    const StageState* stage = d.stage([](const StageState& s) { return s.relations.empty() && s.kinds.empty(); });
    if (stage == nullptr) return false;
    const Tensor host = stage->origin;
    const ir::Scope scope = d.scope();
    attach_soon(d, d.schedule().cache_write(host, scope), host, scope);
    return true;
  }
  const auto has_blocks = [](const StageState& s) {
    return std::any_of(s.leaves.begin(), s.leaves.end(), [&](const IterVar& l) { return is_block_loop(s, l); });
  };
  const StageState* stage = d.stage(has_blocks);
  if (stage == nullptr) stage = d.stage([](const StageState& s) { return !s.op.compute()->reduce_axes.empty(); });
  if (stage == nullptr) return false;
  const auto below = d.loop(*stage, [&](const IterVar& l) { return is_block_loop(*stage, l); });
  if (!below) return false;
  const Tensor host = stage->origin;
  const ir::Scope scope = d.scope();
  const Tensor tile = d.schedule().cache_write(host, scope, *below);
  // The tile must be below the loop over its blocks.
  const std::vector<IterVar> loops = d.schedule()[host].loops();
  const auto at = std::find(loops.begin(), loops.end(), *below);
  const auto inside = static_cast<std::uint32_t>(loops.end() - at);
  const IterVar loop = *(at + (d.choices.chance(50) ? 0 : d.choices.below(inside)));
  d.then("compute_at",
         [&schedule = d.schedule(), tile, host, loop] { schedule[tile].compute_at(schedule[host], loop); });
  return true;
}

bool draw_transform_layout(Draw& d) {
  const auto is_unscheduled = [](const StageState& s) {
    return !s.is_output && s.relations.empty() && s.layout.empty() && !s.op.compute()->axes.empty();
  };
  const StageState* stage = d.choices.chance(5) ? d.stage() : d.stage(is_unscheduled);
  if (stage == nullptr || stage->leaves.empty()) return false;
  const std::uint32_t tiled = stage->copy_of.defined() ? 45 : 2;
  d.schedule().transform_layout(stage->origin,
                                [&](std::span<const Expr> axes) { return draw_layout(d.choices, axes, tiled); });
  return true;
}

bool draw_storage_align(Draw& d) {
  const auto fits = [](const StageState& s) { return !s.is_output && s.op->results[0]->rank() > 0; };
  const StageState* stage = d.choices.chance(5) ? d.stage() : d.stage(fits);
  if (stage == nullptr) return false;
  const std::vector<IterVar>& axes = stage->layout.empty() ? stage->op.compute()->axes : stage->layout;
  if (axes.empty()) return false;
  const int align = d.choices.between(1, 16);
  d.handle(*stage).storage_align(d.choices.of(axes), align,
                                 d.choices.between(0, d.choices.chance(5) ? align : align - 1));
  return true;
}

bool draw_rfactor(Draw& d) {
  if (d.state().stages.size() > 10) return false;
  const StageState* stage = d.stage([](const StageState& s) { return !s.op.compute()->reduce_axes.empty(); });
  if (stage == nullptr) return false;
  const auto loop = d.loop(*stage, [](const IterVar& l) { return l.is_reduce(); });
  if (!loop) return false;
  d.schedule().rfactor(stage->origin, *loop, d.choices.between(0, stage->origin.rank()));
  return true;
}

}  // namespace nestwright::property
