#include "lower/support/lane_builder.h"

#include <fmt/format.h>

#include <utility>

#include "ir/construction/conjunction.h"
#include "ir/core/one_of.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "lower/support/copier.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright {

using namespace ir;

namespace {

/// Whether the body stores to a buffer that the value loads from.
bool is_overwritten_in_body(const Let& let) {
  return any_expr(let.value, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    return load != nullptr && any_stmt(let.body, [&](const Stmt& s) {
             const auto* store = s.as<Store>();
             return store != nullptr && store->buffer == load->buffer;
           });
  });
}

// Copies a statement for a single lane. Buffers that are private to lanes get the lane's number as their last index.
class LaneCopier final : public Copier {
 public:
  LaneCopier(const Var& lane, int number, const std::map<Buffer, Buffer>& private_buffers)
      : Copier({{lane, Expr(number)}}, true), number_(number), private_(private_buffers) {}
  using Copier::mutate;

  Expr mutate(const Expr& e) override {
    const auto* load = e.defined() ? e.as<Load>() : nullptr;
    const auto found = load ? private_.find(load->buffer) : private_.end();
    return found == private_.end() ? Copier::mutate(e)
                                   : make_load(found->second, with_lane(load->indices), Copier::mutate(load->mask));
  }
  Stmt mutate(const Stmt& s) override {
    const auto* store = s.defined() ? s.as<Store>() : nullptr;
    const auto found = store ? private_.find(store->buffer) : private_.end();
    if (found == private_.end()) return Copier::mutate(s);
    Store own = *store;
    own.buffer = found->second;
    own.indices = with_lane(store->indices);
    own.value = mutate(store->value);
    own.mask = {};
    return make_store(std::move(own));
  }

 private:
  std::vector<Expr> with_lane(const std::vector<Expr>& indices) {
    std::vector<Expr> result = mutate_all(indices);
    result.emplace_back(number_);
    return result;
  }

  int number_;
  const std::map<Buffer, Buffer>& private_;
};

}  // namespace

LaneBuilder::LaneBuilder(Var lane, int lanes, int active, bool has_masks, Ranges ranges, std::string loop)
    : lane_(std::move(lane)),
      lanes_(lanes),
      active_(active),
      has_masks_(has_masks),
      ranges_(std::move(ranges)),
      loop_(std::move(loop)) {
  ranges_.bind(lane_, Interval{0, active - 1});
  if (active < lanes) {
    mask_ = make_binary(BinaryOp::kLt, make_ramp(Expr(0), Expr(1), lanes), make_broadcast(Expr(active), lanes));
  }
}

bool LaneBuilder::varies(const Expr& e) const { return mentions(e, lane_) || reads_lane_private(e); }

bool LaneBuilder::reads_lane_private(const Expr& e) const {
  return any_expr(e, [&](const Expr& part) {
    if (const auto* ref = part.as<VarRef>()) return held_.count(ref->var) != 0;
    const auto* load = part.as<Load>();
    return load != nullptr && private_.count(load->buffer) != 0;
  });
}

bool LaneBuilder::is_inside(const Buffer& buffer, const std::vector<Expr>& at) const {
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (!prove(at[d] >= 0, ranges_) || !prove(at[d] < buffer->shape[d], ranges_)) return false;
  }
  return true;
}

Expr LaneBuilder::at_lane(const Expr& e, int lane) const { return Copier({{lane_, Expr(lane)}}, false).mutate(e); }

// A ramp if the index is affine in the lane, else undefined.
Expr LaneBuilder::vector_index(const Expr& e) {
  Linear linear = to_linear(e);
  if (linear.is_nonlinear_in(lane_)) linear = to_linear(simplify(e, ranges_));
  if (linear.is_nonlinear_in(lane_)) return {};
  const std::int64_t stride = linear.coefficient(lane_);
  linear.add(to_linear(lane_), -stride);
  return stride == 0 ? linear.expr() : make_ramp(linear.expr(), Expr(stride), lanes_);
}

std::vector<Expr> LaneBuilder::indices(const Buffer& buffer, const std::vector<Expr>& scalar, bool& differ) {
  std::vector<Expr> result;
  for (const Expr& index : scalar) {
    result.push_back(vector(index));
    differ |= result.back().lanes() > 1;
  }
  if (private_.count(buffer) != 0) {
    result.push_back(make_ramp(Expr(0), Expr(1), lanes_));
    differ = true;
  }
  return result;
}

Expr LaneBuilder::vector(const Expr& e) {
  if (!varies(e)) return e;
  if (e.type() == kIndex && !reads_lane_private(e)) {
    if (Expr ramp = vector_index(e); ramp.defined()) return ramp;
  }
  return std::visit(
      overloaded{[&](const VarRef& n) -> Expr { return held_.at(n.var); },
                 [&](const Binary& n) {
                   Expr a = vector(n.a), b = vector(n.b);
                   if (a.lanes() == 1 && b.lanes() == 1) return apply(n.op, a, b);
                   return make_binary(n.op, broadcast(a), broadcast(b));
                 },
                 [&](const Not& n) { return !vector(n.a); },
                 [&](const Select& n) {
                   const Expr condition = vector(n.condition), a = vector(n.if_true), b = vector(n.if_false);
                   if (condition.lanes() == 1 && a.lanes() == 1 && b.lanes() == 1) return select(condition, a, b);
                   return make_select(condition, broadcast(a), broadcast(b));
                 },
                 [&](const Cast& n) { return cast(e.type(), vector(n.value)); },
                 [&](const Load& n) {
                   bool differ = false;
                   std::vector<Expr> at = indices(n.buffer, n.indices, differ);
                   const auto own = private_.find(n.buffer);
                   const Buffer& buffer = own == private_.end() ? n.buffer : own->second;
                   const Expr mask = n.mask.defined() ? vector(n.mask) : Expr();
                   // A load with a uniform index needs the mask, too: if no lane is active, it may be out of bounds.
                   const bool is_masked = mask.defined() ? mask.lanes() > 1 : conditional_ && !is_inside(buffer, at);
                   if (!differ && is_masked) {
                     for (Expr& index : at) index = broadcast(index);
                     differ = true;
                   }
                   return make_load(buffer, std::move(at),
                                    differ && mask.defined() ? conjunction({mask_, broadcast(mask)})
                                    : differ                 ? mask_
                                                             : mask);
                 },
                 [&](const Call& n) {
                   if (n.intrinsic == Intrinsic::kLikely) return vector(n.args[0]);
                   auto [args, lanes] = arguments(n.args);
                   return make_call(n.intrinsic, std::move(args), e.type().with_lanes(lanes));
                 },
                 [&](const CallExtern& n) {
                   auto [args, lanes] = arguments(n.args);
                   return make_call_extern(n.function, std::move(args), e.type().with_lanes(lanes));
                 },
                 [&](const OneOf<IntImm, FloatImm, Ramp, Broadcast, Reduce> auto&) -> Expr {
                   throw LowerError(fmt::format("vectorized loop {} holds {}, which is a vector or a reduction already",
                                                loop_, to_string(e)));
                 }},
      e.node().value);
}

std::pair<std::vector<Expr>, int> LaneBuilder::arguments(const std::vector<Expr>& scalar) {
  std::vector<Expr> args;
  bool differ = false;
  for (const Expr& arg : scalar) {
    args.push_back(vector(arg));
    differ |= args.back().lanes() > 1;
  }
  if (differ) {
    for (Expr& arg : args) arg = broadcast(arg);
  }
  return {std::move(args), differ ? lanes_ : 1};
}

Stmt LaneBuilder::build(const Stmt& s) {
  if (!s.defined()) return s;
  return std::visit(
      overloaded{[&](const For& n) { return build_for(n); },
                 [&](const Block& n) {
                   std::vector<Stmt> stmts;
                   for (const Stmt& child : n.stmts) stmts.push_back(build(child));
                   return block(std::move(stmts));
                 },
                 [&](const Let& n) { return build_let(n); }, [&](const IfThenElse& n) { return build_if(n, s); },
                 [&](const Store& n) { return build_store(n); }, [&](const Allocate& n) { return build_allocate(n); },
                 [&](const Prefetch& n) {
                   // The vector lies within a cache line or two: prefetching its first element suffices.
                   std::vector<Expr> at;
                   for (const Expr& index : n.indices) at.push_back(at_lane(index, 0));
                   return make_prefetch(n.buffer, std::move(at), n.for_write, n.locality);
                 },
                 [&](const CommitCopies&) { return s; }, [&](const Barrier&) { return s; },
                 [&](const OneOf<Launch, TensorInstruction> auto&) { return s; }},
      s.node().value);
}

Stmt LaneBuilder::build_store(const Store& store) {
  bool differ = false;
  Store vector_store = store;
  vector_store.indices = indices(store.buffer, store.indices, differ);
  vector_store.value = vector(store.value);
  if (differ) {
    if (const auto own = private_.find(store.buffer); own != private_.end()) vector_store.buffer = own->second;
    vector_store.value = broadcast(vector_store.value);
    vector_store.mask = mask_;
    return make_store(std::move(vector_store));
  }
  const bool reads_itself = any_expr(store.value, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    return load != nullptr && load->buffer == store.buffer;
  });
  if (vector_store.value.lanes() > 1 || reads_itself) {
    throw LowerError(
        fmt::format("vectorized loop {} stores to one element of {} in every lane: a reduction cannot be vectorized, "
                    "vectorize an axis "
                    "of the output instead",
                    loop_, store.buffer->name));
  }
  if (conditional_) {
    throw LowerError(
        fmt::format("vectorized loop {} stores to one element of {} under a condition that differs between "
                    "lanes: do not vectorize it",
                    loop_, store.buffer->name));
  }
  vector_store.mask = {};
  return make_store(std::move(vector_store));
}

Stmt LaneBuilder::build_for(const For& loop) {
  if (loop.kind == LoopKind::kVectorized || loop.kind == LoopKind::kParallel) {
    throw LowerError(fmt::format("{} loop {} is inside vectorized loop {}: reorder them, or make one serial",
                                 loop_kind_name(loop.kind), loop.var.name(), loop_));
  }
  const Expr first = vector(loop.min), extent = vector(loop.extent);
  if (first.lanes() > 1 || extent.lanes() > 1) {
    throw LowerError(
        fmt::format("loop {} inside vectorized loop {} has other iterations in each lane: do not vectorize it",
                    loop.var.name(), loop_));
  }
  ranges_.bind(loop.var, first, extent);
  return make_for(loop.var, first, extent, loop.kind, build(loop.body));
}

Stmt LaneBuilder::build_let(const Let& let) {
  if (!varies(let.value)) return make_let(let.var, let.value, build(let.body));
  if (is_overwritten_in_body(let)) {  // the let holds the value from before the stores
    const Expr value = broadcast(vector(let.value));
    const Var whole(let.var.name(), value.type());
    held_[let.var] = whole;
    return make_let(whole, value, build(let.body));
  }
  return build(substitute(let.body, {{let.var, let.value}}));
}

Stmt LaneBuilder::build_allocate(const Allocate& allocate) {
  const BufferNode& b = *allocate.buffer.operator->();
  std::vector<Expr> shape = b.shape;
  shape.emplace_back(active_);
  const Buffer own(b.name, b.element, std::move(shape), b.scope, {}, b.alignment);
  private_[allocate.buffer] = own;
  return with_body(allocate, own, build(allocate.body));
}

Stmt LaneBuilder::build_if(const IfThenElse& branch, const Stmt& self) {
  if (prove(branch.condition, ranges_)) return build(branch.then_case);
  if (disprove(branch.condition, ranges_)) return build(branch.else_case);
  if (!varies(branch.condition)) {
    return make_if(branch.condition, build(branch.then_case), build(branch.else_case));
  }
  std::vector<Expr> parts, same_parts, differing_parts;
  conjuncts(branch.condition, parts);
  for (const Expr& part : parts) {
    if (prove(part, ranges_)) continue;
    (varies(part) ? differing_parts : same_parts).push_back(without_likely(part));
  }
  Expr same = conjunction(same_parts), differing = conjunction(differing_parts);
  if (branch.else_case.defined() && same.defined()) {  // an else belongs to the whole condition
    differing = conjunction({same, differing});
    same = {};
  }
  Stmt result;
  if (!differing.defined()) {
    result = build(branch.then_case);
  } else if (has_masks_) {
    result = build_varying_if(differing, branch.then_case, branch.else_case);
  } else if (branch.else_case.defined() || !is_monotone(differing)) {
    return scalarize(self);
  } else {
    const Expr full = at_lane(differing, 0) && at_lane(differing, active_ - 1);
    const Stmt single = scalarize(make_if(differing, branch.then_case));
    if (prove(full, ranges_)) {
      result = build(branch.then_case);
    } else {
      result = disprove(full, ranges_) ? single : make_if(full, build(branch.then_case), single);
    }
  }
  return same.defined() ? make_if(same, result) : result;
}

Stmt LaneBuilder::build_varying_if(const Expr& condition, const Stmt& then_case, const Stmt& else_case) {
  const Expr outer = mask_;
  const bool outer_conditional = std::exchange(conditional_, true);
  const Expr here = broadcast(condition_vector(condition));
  mask_ = conjunction({outer, here});
  std::vector<Stmt> stmts{build(then_case)};
  mask_ = conjunction({outer, make_not(here)});
  stmts.push_back(build(else_case));
  mask_ = outer;
  conditional_ = outer_conditional;
  return block(std::move(stmts));
}

// Rewrites `lane + rest < bound` to ramp < broadcast, which backends lower to a count of lanes.
Expr LaneBuilder::condition_vector(const Expr& condition) {
  const Expr bare = without_likely(condition);
  const auto* n = bare.as<Binary>();
  if (n && n->op == BinaryOp::kAnd) {
    return make_binary(n->op, broadcast(condition_vector(n->a)), broadcast(condition_vector(n->b)));
  }
  // Loaded data may be the largest integer, for which b + 1 would wrap around.
  if (!n || n->a.type() != kIndex || depends_on_data(bare)) return vector(bare);
  switch (n->op) {
    case BinaryOp::kLt:
      return make_binary(BinaryOp::kLt, broadcast(vector(n->a)), broadcast(vector(n->b)));
    case BinaryOp::kLe:
      return make_binary(BinaryOp::kLt, broadcast(vector(n->a)), broadcast(vector(n->b + 1)));
    case BinaryOp::kGt:
      return make_binary(BinaryOp::kLt, broadcast(vector(n->b)), broadcast(vector(n->a)));
    case BinaryOp::kGe:
      return make_binary(BinaryOp::kLt, broadcast(vector(n->b)), broadcast(vector(n->a + 1)));
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMod:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      break;
  }
  return vector(bare);
}

bool LaneBuilder::is_monotone(const Expr& condition) const {
  std::vector<Expr> parts;
  conjuncts(condition, parts);
  for (const Expr& part : parts) {
    const auto* n = without_likely(part).as<Binary>();
    const bool bound =
        n && n->a.type() == kIndex &&
        (n->op == BinaryOp::kLt || n->op == BinaryOp::kLe || n->op == BinaryOp::kGt || n->op == BinaryOp::kGe);
    if (!bound || to_linear(n->a - n->b).is_nonlinear_in(lane_)) return false;
  }
  return true;
}

Stmt LaneBuilder::scalarize(const Stmt& s) {
  for_each_expr(s, [&](const Expr& e) {
    if (reads_lane_private(e)) {
      throw LowerError(fmt::format(
          "vectorized loop {} has a condition that differs between lanes around a part of a tuple's reduction: do not "
          "vectorize it on a machine without masks",
          loop_));
    }
  });
  std::vector<Stmt> copies;
  for (int lane = 0; lane < active_; ++lane) copies.push_back(LaneCopier(lane_, lane, private_).mutate(s));
  return block(std::move(copies));
}

}  // namespace nestwright
