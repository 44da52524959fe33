#include "schedule/state/match_pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/core/one_of.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

using ir::Linear;

class Matcher {
 public:
  Matcher(const StageState& stage, const TensorIntrinsic& intrinsic)
      : stage_(stage),
        intrinsic_(intrinsic),
        loads_(intrinsic.inputs.size()),
        scalars_(intrinsic.scalars.size()),
        starts_(intrinsic.inputs.size()) {}

  PatternMatch run(const IterVar& loop) {
    const ComputeOp &pattern = *intrinsic_.pattern.op().compute(), &own = *stage_.op.compute();
    if (stage_.op->results.size() != 1) return differs(fmt::format("{} has several results", stage_.name));
    if (!stage_.layout.empty()) return differs(fmt::format("{} has a layout of its own", stage_.name));
    const auto first = std::find(stage_.leaves.begin(), stage_.leaves.end(), loop);
    for (const IterVar& leaf : stage_.leaves) ranges_.bind(leaf.var(), leaf.min(), leaf.extent());
    std::vector<IterVar> spatial, reduce;
    for (auto leaf = first; leaf != stage_.leaves.end(); ++leaf) {
      (leaf->is_reduce() ? reduce : spatial).push_back(*leaf);
      inner_.push_back(leaf->var());
    }
    if (!pair(spatial, pattern.axes, "spatial") || !pair(reduce, pattern.reduce_axes, "reduce")) return differs();
    if (!resolve()) return differs();
    const ir::Reduce *reduction = own.reduction(), *wanted = pattern.reduction();
    if ((reduction == nullptr) != (wanted == nullptr)) {
      return differs(fmt::format("{} {} reduction, unlike the pattern", stage_.name, reduction ? "is a" : "is no"));
    }
    if (reduction != nullptr && (reduction->reducer != wanted->reducer || reduction->combiner != wanted->combiner)) {
      return differs(fmt::format("{} reduces by {}, the pattern by {}", stage_.name,
                                 ir::reducer_name(reduction->reducer), ir::reducer_name(wanted->reducer)));
    }
    std::vector<Expr> ours(own.axes.begin(), own.axes.end()), theirs(pattern.axes.begin(), pattern.axes.end());
    if (!same_type(intrinsic_.pattern.dtype(), stage_.op->results[0]->element, "the result")) return differs();
    if (!moves_alike(theirs, ours, "the result", nullptr)) return differs();
    if (!same(pattern.values()[0], own.values()[0])) return differs();
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      if (!loads_[i].defined()) return differs(fmt::format("{} is not read", intrinsic_.inputs[i].name()));
    }
    for (std::size_t i = 0; i < scalars_.size(); ++i) {
      if (!scalars_[i].defined()) return differs(fmt::format("{} is not used", intrinsic_.scalars[i].name()));
    }
    return {loads_, scalars_, {}};
  }

 private:
  PatternMatch differs(const std::string& why = {}) const { return {{}, {}, why.empty() ? difference_ : why}; }
  bool fail(std::string why) {
    if (difference_.empty()) difference_ = std::move(why);
    return false;
  }

  bool pair(const std::vector<IterVar>& loops, const std::vector<IterVar>& axes, const char* kind) {
    if (loops.size() != axes.size()) {
      return fail(
          fmt::format("there are {} {} loops from there on, the pattern has {}", loops.size(), kind, axes.size()));
    }
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (!ir::equal(loops[i].extent(), axes[i].extent())) {
        return fail(fmt::format("loop {} has {} iterations, axis {} of the pattern {}", loops[i].name(),
                                ir::to_string(loops[i].extent()), axes[i].name(), ir::to_string(axes[i].extent())));
      }
      pattern_values_[axes[i].var()] = loops[i];
    }
    return true;
  }

  Expr value(const IterVar& axis) const {
    const auto found = values_.find(axis.var());
    return found != values_.end() ? found->second : Expr(axis);
  }

  bool is_inner(const Expr& e) const {
    return ir::any_expr(e, [&](const Expr& part) {
      const auto* ref = part.as<ir::VarRef>();
      return ref != nullptr && std::find(inner_.begin(), inner_.end(), ref->var) != inner_.end();
    });
  }

  /// Expresses the axes in terms of the loops. False where a split inside the tile has a tail.
  bool resolve() {
    for (auto relation = stage_.relations.rbegin(); relation != stage_.relations.rend(); ++relation) {
      if (const auto* fuse = std::get_if<FuseRelation>(&*relation)) {
        const Expr fused = value(fuse->fused);
        values_[fuse->outer.var()] = fused / fuse->inner.extent();
        values_[fuse->inner.var()] = fused % fuse->inner.extent();
      } else if (const auto* split = std::get_if<SplitRelation>(&*relation)) {
        const std::int64_t factor = split->factors.front();
        const Expr index = value(split->outer) * Expr(factor) + value(split->inner);
        const std::int64_t* extent = ir::as_const_int(split->parent.extent());
        const bool cut = !split->counts.empty() || extent == nullptr || *extent % factor != 0;
        // These two make separate loops for the tail, which the intrinsic does not replace.
        const bool apart = split->tail.kind == TailKind::kPartition || split->tail.kind == TailKind::kCompose;
        if (is_inner(index) && cut && (!apart || is_inner(value(split->outer)))) {
          return fail(
              fmt::format("the split of {} by {} leaves a tail inside the loops that it replaces: give it "
                          "Tail::partition(), which makes loops of the tail",
                          split->parent.name(), factor));
        }
        values_[split->parent.var()] = index;
      }
    }
    // Loops count from 0, an axis of the operation that was split or fused from its own start.
    const ComputeOp& own = *stage_.op.compute();
    for (const auto* axes : {&own.axes, &own.reduce_axes}) {
      for (const IterVar& axis : *axes) {
        const auto found = values_.find(axis.var());
        if (found != values_.end()) found->second = axis.min() + found->second;
      }
    }
    return true;
  }

  bool same_type(ir::Type wanted, ir::Type given, const std::string& what) {
    return wanted == given ||
           fail(fmt::format("{} is {} in the pattern and {} in {}", what, wanted.str(), given.str(), stage_.name));
  }

  /// Whether the last indices of `ours` are `theirs` plus offsets that are invariant in the tile, and the leading ones
  /// are invariant. Stores the offsets in `start`, which may be null.
  bool moves_alike(const std::vector<Expr>& theirs, const std::vector<Expr>& ours, const std::string& what,
                   std::vector<Linear>* start) {
    if (ours.size() < theirs.size()) {
      return fail(fmt::format("{} has {} dimensions in the pattern and {} in {}", what, theirs.size(), ours.size(),
                              stage_.name));
    }
    const std::size_t leading = ours.size() - theirs.size();
    for (std::size_t d = 0; d < ours.size(); ++d) {
      Linear rest = ir::to_linear(ir::simplify(ir::substitute(ours[d], values_), ranges_));
      if (d >= leading) rest.add(ir::to_linear(ir::substitute(theirs[d - leading], pattern_values_)), -1);
      if (is_inner(rest.expr())) {
        return fail(fmt::format("index {} of {}, {}, does not move with the loops as the pattern does", d, what,
                                ir::to_string(ours[d])));
      }
      if (start != nullptr) start->push_back(std::move(rest));
    }
    return true;
  }

  bool same_load(const ir::Load& theirs, const ir::Load& ours, const Expr& our_load) {
    std::size_t input = 0;
    while (input < loads_.size() && !(intrinsic_.inputs[input].buffer() == theirs.buffer)) ++input;
    const std::string what = fmt::format("{} (read as {})", ours.buffer->name, theirs.buffer->name);
    if (input == loads_.size()) return fail(fmt::format("{} is no input of the intrinsic", theirs.buffer->name));
    if (!same_type(theirs.buffer->element, ours.buffer->element, what)) return false;
    std::vector<Linear> start;
    if (!moves_alike(theirs.indices, ours.indices, what, &start)) return false;
    if (loads_[input].defined()) {
      const bool same_buffer = loads_[input].as<ir::Load>()->buffer == ours.buffer;
      for (std::size_t d = 0; same_buffer && d < start.size(); ++d) {
        const Linear distance = Linear(start[d]).add(starts_[input][d], -1);
        if (!distance.is_constant() || distance.constant != 0) return fail(what + " is read from two places");
      }
      return same_buffer || fail(fmt::format("{} stands for two tensors", theirs.buffer->name));
    }
    loads_[input] = our_load;
    starts_[input] = std::move(start);
    return true;
  }

  bool same_all(const std::vector<Expr>& theirs, const std::vector<Expr>& ours) {
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      if (!same(theirs[i], ours[i])) return false;
    }
    return true;
  }

  bool same_binary(const ir::Binary& theirs, const ir::Binary& ours) {
    using ir::BinaryOp;
    const bool commutes = theirs.op == BinaryOp::kAdd || theirs.op == BinaryOp::kMul || theirs.op == BinaryOp::kMin ||
                          theirs.op == BinaryOp::kMax;
    const Matcher before = *this;
    if (same(theirs.a, ours.a) && same(theirs.b, ours.b)) return true;
    if (!commutes) return false;
    const std::string reason = difference_;
    loads_ = before.loads_;
    starts_ = before.starts_;
    scalars_ = before.scalars_;
    if (same(theirs.a, ours.b) && same(theirs.b, ours.a)) {
      difference_ = before.difference_;
      return true;
    }
    difference_ = reason;
    return false;
  }

  /// Whether `ours` may be the value of scalar number `number`.
  bool same_scalar(std::size_t number, const Expr& ours) {
    const std::string& name = intrinsic_.scalars[number].name();
    if (!same_type(intrinsic_.scalars[number].type(), ours.type(), name)) return false;
    if (is_inner(ir::substitute(ours, values_))) {
      return fail(fmt::format("{}, which {} stands for, differs within the tile", ir::to_string(ours), name));
    }
    Expr& known = scalars_[number];
    if (known.defined() && !ir::equal(known, ours)) return fail(fmt::format("{} stands for two values", name));
    known = ours;
    return true;
  }

  bool same(const Expr& theirs, const Expr& ours) {
    if (const auto* ref = theirs.as<ir::VarRef>()) {
      const auto scalar = std::find(intrinsic_.scalars.begin(), intrinsic_.scalars.end(), ref->var);
      if (scalar != intrinsic_.scalars.end()) {
        return same_scalar(static_cast<std::size_t>(scalar - intrinsic_.scalars.begin()), ours);
      }
    }
    const auto unlike = [&] {
      return fail(
          fmt::format("{} has {} where the pattern has {}", stage_.name, ir::to_string(ours), ir::to_string(theirs)));
    };
    if (theirs.node().value.index() != ours.node().value.index()) return unlike();
    if (const auto* load = theirs.as<ir::Load>()) return same_load(*load, *ours.as<ir::Load>(), ours);
    if (theirs.type() != ours.type()) return unlike();
    return std::visit(
        ir::overloaded{
            [&](const ir::IntImm& n) { return n.value == ours.as<ir::IntImm>()->value || unlike(); },
            [&](const ir::FloatImm& n) { return n.value == ours.as<ir::FloatImm>()->value || unlike(); },
            [&](const ir::VarRef&) {
              return ir::equal(ir::substitute(theirs, pattern_values_), ir::substitute(ours, values_)) || unlike();
            },
            [&](const ir::Binary& n) {
              const auto& m = *ours.as<ir::Binary>();
              return n.op == m.op ? same_binary(n, m) : unlike();
            },
            [&](const ir::Not& n) { return same(n.a, ours.as<ir::Not>()->a); },
            [&](const ir::Select& n) {
              const auto& m = *ours.as<ir::Select>();
              return same(n.condition, m.condition) && same(n.if_true, m.if_true) && same(n.if_false, m.if_false);
            },
            [&](const ir::Cast& n) { return same(n.value, ours.as<ir::Cast>()->value); },
            [&](const ir::Call& n) {
              const auto& m = *ours.as<ir::Call>();
              return n.intrinsic == m.intrinsic ? same_all(n.args, m.args) : unlike();
            },
            [&](const ir::CallExtern& n) {
              const auto& m = *ours.as<ir::CallExtern>();
              return n.function == m.function && n.args.size() == m.args.size() ? same_all(n.args, m.args) : unlike();
            },
            [&](const ir::OneOf<ir::Load, ir::Ramp, ir::Broadcast, ir::Reduce> auto&) { return unlike(); }},
        theirs.node().value);
  }

  const StageState& stage_;
  const TensorIntrinsic& intrinsic_;
  std::vector<Var> inner_;                    ///< loop variables of the tile
  ir::Ranges ranges_;                         ///< of the loops
  ir::Substitution values_, pattern_values_;  ///< axes of the stage and of the pattern in terms of the loops
  std::vector<Expr> loads_, scalars_;
  std::vector<std::vector<Linear>> starts_;
  std::string difference_;
};

}  // namespace

PatternMatch match_pattern(const StageState& stage, const IterVar& loop, const TensorIntrinsic& intrinsic) {
  return Matcher(stage, intrinsic).run(loop);
}

}  // namespace nestwright
