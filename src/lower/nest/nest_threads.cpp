// Builds stages that the threads of a block share. A stage in shared scope is computed inside the loops over threads,
// once for all of them: its region is the union of the regions that the threads read, and its own loops bound to
// threadIdx use the index of the open loops, so that the threads share the work. passes/hoist_shared.cpp moves its
// storage outside the loops over threads, and passes/place_barriers.cpp adds barriers.
#include <fmt/format.h>

#include <algorithm>

#include "ir/traversal/rewrite.h"
#include "lower/nest/nest_builder.h"
#include "nestwright/error.h"

namespace nestwright {

using ir::as_const_int;
using ir::Expr;
using ir::Linear;
using ir::Stmt;

namespace {

bool is_shared(const StageGraph& graph) { return graph.state->scope == ir::Scope::kShared; }

}  // namespace

bool NestBuilder::in_threads() const {
  return std::any_of(bound_.begin(), bound_.end(),
                     [](const BoundLoop& loop) { return ir::is_thread_index(loop.kind); });
}

bool NestBuilder::differs_between_threads(const Expr& e) const {
  return ir::any_expr(facts_.expanded(e), [&](const Expr& part) {
    const auto* ref = part.as<ir::VarRef>();
    if (ref == nullptr) return false;
    return std::any_of(thread_vars_.begin(), thread_vars_.end(),
                       [&](const auto& thread) { return thread.first == ref->var; });
  });
}

void NestBuilder::require_storable(const StageState& stage) const {
  if (is_private(stage)) return;
  if (stage.scope == ir::Scope::kShared) {
    if (bound_.empty()) {
      throw LowerError(
          fmt::format("{} is kept in shared scope but computed outside of all bound loops: attach it to a "
                      "loop inside those of its consumer",
                      stage.name));
    }
    for (const Operation& input : stage.op->inputs) {
      const int found = schedule_.find(input);
      if (found < 0 || !in_threads()) continue;
      const StageState& source = schedule_.stages[static_cast<std::size_t>(found)];
      // A stage computed inside this one belongs to the thread that computes it.
      if (!is_private(source) || !storages_[static_cast<std::size_t>(found)].has_value()) continue;
      throw LowerError(
          fmt::format("{} is computed by all threads of a block together, but reads {}, which each thread keeps for "
                      "itself: keep that in shared scope, too",
                      stage.name, source.name));
    }
    return;
  }
  if (bound_.empty()) return;
  throw LowerError(fmt::format(
      "{} is kept in {} scope but computed inside loop {}, which is bound to {}: keep it in local scope, or "
      "in shared scope for all threads of a block",
      stage.name, ir::scope_name(stage.scope), bound_.back().name, ir::loop_kind_name(bound_.back().kind)));
}

void NestBuilder::enter_bound(const Frame& frame, int axis, const ir::Var& var, std::string name) {
  const ir::LoopKind kind = frame.graph->kinds[axis];
  for (const BoundLoop& around : bound_) {
    if (around.kind != kind || kind == ir::LoopKind::kVirtualThread) continue;
    throw LowerError(fmt::format("loop {} is bound to {} inside loop {}, which is bound to it already: leave it serial",
                                 name, ir::loop_kind_name(kind), around.name));
  }
  const bool has_threads = std::any_of(bound_.begin(), bound_.end(), [&](const BoundLoop& around) {
    return ir::is_thread_index(around.kind) && around.stage != frame.graph->stage;
  });
  if (is_shared(*frame.graph) && has_threads) {
    throw LowerError(
        fmt::format("loop {} is bound to {}, which no loop around {} is: bind it to an index of its "
                    "consumer's threads, or leave it serial",
                    name, ir::loop_kind_name(kind), frame.graph->state->name));
  }
  bound_.push_back({frame.graph->stage, kind, var, frame.extent[axis], std::move(name)});
  if (ir::is_thread_index(kind)) thread_vars_.emplace_back(var, frame.extent[axis]);
}

/// The loop around this point that is bound to the same thread index as this axis; nullptr if the axis needs a loop.
const BoundLoop* NestBuilder::shared_index(const StageGraph& graph, int axis) const {
  const ir::LoopKind kind = graph.kinds[axis];
  if (!is_shared(graph) || !ir::is_device_thread(kind)) return nullptr;
  const auto found =
      std::find_if(bound_.begin(), bound_.end(), [&](const BoundLoop& loop) { return loop.kind == kind; });
  return found == bound_.end() ? nullptr : &*found;
}

Stmt NestBuilder::share_loop(Frame frame, int position, const BoundLoop& around) {
  const StageGraph& graph = *frame.graph;
  const int axis = graph.leaves[position];
  const Expr var = around.var, extent = frame.extent[axis];
  const std::int64_t *own = as_const_int(extent), *threads = as_const_int(around.extent);
  if (own == nullptr || threads == nullptr || *own > *threads) {
    throw LowerError(fmt::format(
        "loop {} of {} is bound to {}, of which loop {} has {} threads, fewer than its {}: split it by this number",
        graph.axes[axis].name(), graph.state->name, ir::loop_kind_name(around.kind), around.name,
        threads != nullptr ? std::to_string(*threads) : "an unknown number of",
        own != nullptr ? std::to_string(*own) : "unknown number"));
  }
  const bool partly = *own < *threads;
  const Facts::Mark mark = facts_.mark();
  facts_.bind(around.var, {0, *own - 1});
  frame.value[axis] = var;
  Stmt body = settle(std::move(frame), position);
  facts_.reset(mark);
  return partly ? ir::make_if(ir::likely(var < extent), std::move(body)) : body;
}

/// `nest`, restricted to one thread along each thread index that a stage in shared scope does not use.
Stmt NestBuilder::once_per_block(const StageGraph& graph, Stmt nest) const {
  if (!is_shared(graph)) return nest;
  Expr condition;
  for (const BoundLoop& around : bound_) {
    if (!ir::is_thread_index(around.kind) || ir::is_const_int(around.extent, 1)) continue;
    const bool used = around.kind != ir::LoopKind::kVirtualThread &&
                      std::any_of(graph.leaves.begin(), graph.leaves.end(),
                                  [&](int leaf) { return graph.kinds[leaf] == around.kind; });
    if (used) continue;
    const Expr first = around.var < Expr(1);
    condition = condition.defined() ? condition && first : first;
  }
  return condition.defined() ? ir::make_if(condition, std::move(nest)) : nest;
}

/// Whether the threads of a loop around this point have one element each along this axis of a stage in shared scope.
bool NestBuilder::maps_one_element_per_thread(const StageGraph& graph, int axis) const {
  const BoundLoop* around = shared_index(graph, axis);
  const bool is_leaf = std::find(graph.leaves.begin(), graph.leaves.end(), axis) != graph.leaves.end();
  if (around == nullptr || !is_leaf) return false;
  const Expr extent = graph.axes[axis].extent();
  const std::int64_t *own = as_const_int(extent), *threads = as_const_int(around->extent);
  return own != nullptr && threads != nullptr && *own == *threads;
}

/// Union of the regions of all threads that share the stage, those of the block or of a warp, given the `region` of
/// one. Along an axis that maps one element to each thread it is the whole axis: that takes no longer, needs no guard,
/// and lets the threads of a warp exchange elements.
std::vector<Span> NestBuilder::region_of_all_threads(int stage, std::vector<Span> region) const {
  const StageGraph& graph = graphs_[stage];
  const bool is_fragment = graph.state->scope == ir::Scope::kFragment;
  if ((!is_shared(graph) && !is_fragment) || !in_threads()) return region;
  const auto is_in_warp = [&](const ir::Var& var) {
    return std::any_of(bound_.begin(), bound_.end(), [&](const BoundLoop& loop) {
      return loop.var == var && (loop.kind == ir::LoopKind::kThreadX || loop.kind == ir::LoopKind::kThreadY);
    });
  };
  for (int r = 0; r < graph.rank; ++r) {
    const IterVar& axis = graph.axes[graph.roots[r]];
    const Linear min = ir::to_linear(facts_.expanded(region[r].min));
    Span all{0, region[r].extent};
    Linear start;
    start.constant = min.constant;
    bool regular = true;
    for (const ir::LinearTerm& term : min.terms) {
      const auto* ref = term.atom.as<ir::VarRef>();
      const auto thread = std::find_if(thread_vars_.begin(), thread_vars_.end(),
                                       [&](const auto& known) { return ref != nullptr && known.first == ref->var; });
      if (thread == thread_vars_.end() || (is_fragment && !is_in_warp(thread->first))) {
        if (is_fragment || !differs_between_threads(term.atom)) {
          start.add(Linear{0, {term}});
          continue;
        }
        const ir::Interval range = facts_.range(Linear{0, {term}});
        regular = regular && range.lo > -ir::Interval::kFar && range.hi < ir::Interval::kFar;
        if (!regular) break;
        start.constant += range.lo;
        all.extent = all.extent + Expr(range.hi - range.lo);
        continue;
      }
      const Expr reach = (thread->second - 1) * Expr(std::abs(term.coefficient));
      all.extent = all.extent + reach;
      if (term.coefficient < 0) start.add(ir::to_linear(reach), -1);
    }
    all.min = start.expr();
    const std::int64_t *extent = as_const_int(all.extent), *whole = as_const_int(axis.extent());
    const bool is_whole = extent != nullptr && whole != nullptr && *extent >= *whole;
    if (!regular || is_whole || maps_one_element_per_thread(graph, graph.roots[r])) all = {axis.min(), axis.extent()};
    region[r] = std::move(all);
  }
  return region;
}

}  // namespace nestwright
