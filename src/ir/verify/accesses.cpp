// Collects the accesses of a program, with what is known and which loops enclose each.
#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/symbol_ranges.h"
#include "ir/core/one_of.h"
#include "ir/gpu/barriers.h"
#include "ir/simplify/inequality.h"
#include "ir/traversal/rewrite.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {
namespace {

/// An expression for a value that is not analysed: like a loaded element, it may have any value.
Expr unknown(const Var& var) { return make_load(Buffer(var.name(), var.type().element(), {}), {}); }

/// The value of one lane of a vector expression.
class AtLane : public Mutator {
 public:
  explicit AtLane(Expr lane) : lane_(std::move(lane)) {}
  using Mutator::mutate;
  Expr mutate(const Expr& e) override {
    if (e.type().is_scalar()) return e;
    if (const auto* broadcast = e.as<Broadcast>()) return broadcast->value;
    if (const auto* ref = e.as<VarRef>()) return unknown(ref->var);
    if (const auto* ramp = e.as<Ramp>()) return ramp->base + ramp->stride * cast(ramp->base.type(), lane_);
    return Rebuild(*this).of(e);
  }

 private:
  /// Types of nodes contain lanes, so vector nodes are rebuilt from scalar operands.
  struct Rebuild {
    explicit Rebuild(AtLane& lane) : at(lane) {}
    Expr of(const Expr& e) {
      return std::visit(
          overloaded{[&](const Binary& n) { return make_binary(n.op, at.mutate(n.a), at.mutate(n.b)); },
                     [&](const Not& n) { return make_not(at.mutate(n.a)); },
                     [&](const Select& n) {
                       return make_select(at.mutate(n.condition), at.mutate(n.if_true), at.mutate(n.if_false));
                     },
                     [&](const Cast& n) { return make_cast(e.type().element(), at.mutate(n.value)); },
                     [&](const Load& n) {
                       return make_load(n.buffer, all(n.indices), n.mask.defined() ? at.mutate(n.mask) : Expr());
                     },
                     [&](const Call& n) { return make_call(n.intrinsic, all(n.args), e.type().element()); },
                     [&](const CallExtern& n) { return make_call_extern(n.function, all(n.args), e.type().element()); },
                     [&](const OneOf<IntImm, FloatImm, VarRef, Ramp, Broadcast, Reduce> auto&) { return e; }},
          e.node().value);
    }
    std::vector<Expr> all(const std::vector<Expr>& in) {
      std::vector<Expr> out;
      for (const Expr& e : in) out.push_back(at.mutate(e));
      return out;
    }
    AtLane& at;
  };

  Expr lane_;
};

/// Assumes that a loop has an iteration: its extent is at least 1, and so is every factor of an extent that is a
/// product of non-negative factors. `extent` is not simplified, which would multiply out its factors.
void assume_iteration(const Expr& extent, Ranges& known) {
  const auto* product = extent.as<Binary>();
  if (product == nullptr || product->op != BinaryOp::kMul) return;
  if (!non_negative(product->a, known) || !non_negative(product->b, known)) return;
  for (const Expr& factor : {product->a, product->b}) {
    if (as_const_int(factor) != nullptr) continue;
    known.assume(factor >= 1);
    assume_iteration(factor, known);
  }
}

class Collector {
 public:
  explicit Collector(const Program& program) : program_(program) {
    known_ = std::make_shared<const Ranges>(ranges_of_symbols(program));
  }

  std::vector<Access> collect() {
    visit(program_.preparation);
    visit(program_.host);
    // A kernel is visited at its launch, within the loops around it. Kernels that are never launched are visited here.
    for (std::size_t k = 0; k < program_.kernels.size(); ++k) visit_kernel(k);
    return std::move(accesses_);
  }

 private:
  /// Runs `body` with `known` as what is known.
  template <class F>
  void within(std::shared_ptr<const Ranges> known, F&& body) {
    std::swap(known_, known);
    body();
    std::swap(known_, known);
  }
  template <class F>
  std::shared_ptr<const Ranges> refined(F&& refine) const {
    auto next = std::make_shared<Ranges>(*known_);
    refine(*next);
    return next;
  }

  Expr resolve(const Expr& e) const { return values_.empty() ? e : substitute(e, values_); }
  Expr resolve_lane(const Expr& e, int lanes) { return resolve(AtLane(lane(lanes)).mutate(e)); }
  /// Simplifies the condition as indices are simplified, so that one on f / 2 * 2 + f % 2 becomes one on f.
  Expr resolve_condition(const Expr& e, int lanes) {
    const Expr resolved = resolve_lane(e, lanes);
    return simplify(resolved, *known_);  // known_ after resolve_lane(), which adds the lane of a vector
  }
  /// The variable that represents any lane of all vectors of `lanes` lanes.
  Expr lane(int lanes) {
    if (lanes == 1) return 0;
    const auto [it, made] = lanes_.try_emplace(lanes, Var("lane"));
    if (made || !known_->find(it->second).bounded())
      known_ = refined([&](Ranges& next) { next.bind(it->second, Interval{0, lanes - 1}); });
    return it->second;
  }

  void visit_kernel(std::size_t k) {
    if (k < program_.kernels.size() && visited_.insert(k).second) visit(program_.kernels[k].body);
  }

  void visit(const Stmt& s) {
    if (!s.defined()) return;
    const Stmt* const outer = statement_;
    statement_ = &s;
    std::visit([&](const auto& value) { visit(value); }, s.node().value);
    statement_ = outer;
  }

  void visit(const For& loop) {
    loads(loop.min);
    loads(loop.extent);
    const Expr min = resolve(loop.min), factors = resolve(loop.extent), extent = simplify(factors, *known_);
    Var var = loop.var;
    if (!as_const_int(min)) {
      var = offsets_.try_emplace(&loop, Var(loop.var.name(), loop.var.type())).first->second;
      values_[loop.var] = min + Expr(var);
    }
    const Expr first = as_const_int(min) ? min : make_int(0, var.type());
    const bool is_sequential = loop.kind == LoopKind::kSerial || loop.kind == LoopKind::kUnrolled;
    loops_.push_back({&loop, var, is_sequential && always_reaches_barrier(loop.body)});
    const auto in_iteration = [&](const Var& of) {
      return refined([&](Ranges& next) {
        assume_iteration(factors, next);
        next.bind(of, first, extent);
      });
    };
    const std::set<int> before = phases_;
    within(in_iteration(var), [&] { visit(loop.body); });
    // The end of one iteration and the start of the next have a phase in common: a second visit collects both.
    if (is_sequential && has_barrier(loop.body)) {
      const Var other(loop.var.name(), loop.var.type());
      loops_.back().var = other;
      values_[loop.var] = as_const_int(min) ? Expr(other) : min + Expr(other);
      within(in_iteration(other), [&] { visit(loop.body); });
    }
    loops_.pop_back();
    values_.erase(loop.var);
    if (phases_ != before && !prove(extent >= 1, *known_)) phases_.insert(before.begin(), before.end());
  }

  void visit(const Block& b) {
    for (const Stmt& s : b.stmts) visit(s);
  }
  void visit(const Let& let) {
    loads(let.value);
    // Indices rarely depend on vectors and floats, whose expressions can be very large.
    values_[let.var] = let.var.type().is_int() && let.var.type().is_scalar() ? resolve(let.value) : unknown(let.var);
    visit(let.body);
    values_.erase(let.var);
  }
  void visit(const IfThenElse& choice) {
    loads(choice.condition);
    const Expr condition = resolve_condition(choice.condition, choice.condition.lanes());
    const std::set<int> before = phases_;
    std::set<int> after;
    const auto visit_case = [&](const Stmt& body, const auto& assume) {
      phases_ = before;
      within(refined(assume), [&] { visit(body); });
      after.insert(phases_.begin(), phases_.end());
    };
    if (!disprove(condition, *known_)) visit_case(choice.then_case, [&](Ranges& next) { next.assume(condition); });
    if (!prove(condition, *known_)) visit_case(choice.else_case, [&](Ranges& next) { next.assume_not(condition); });
    phases_ = std::move(after);
  }
  void visit(const Store& store) {
    for (const Expr& index : store.indices) loads(index);
    loads(store.value);
    loads(store.mask);
    add(store.buffer, store.indices, store.mask, true);
  }
  void visit(const Allocate& allocation) {
    allocated_[allocation.buffer] = loops_.size();
    visit(allocation.body);
  }
  void visit(const Prefetch& prefetch) {
    for (const Expr& index : prefetch.indices) loads(index);
  }
  void visit(const CommitCopies&) {}
  void visit(const Barrier&) { phases_ = {++barriers_}; }
  void visit(const TensorInstruction& instruction) { visit(instruction.body); }
  void visit(const Launch& launch) {
    if (launch.kernel >= 0) visit_kernel(static_cast<std::size_t>(launch.kernel));
  }

  void loads(const Expr& e) {
    if (!e.defined()) return;
    for_each_expr(e, [&](const Expr& inner) {
      if (const auto* load = inner.as<Load>()) add(load->buffer, load->indices, load->mask, false);
    });
  }

  void add(const Buffer& buffer, const std::vector<Expr>& indices, const Expr& mask, bool stores) {
    int lanes = 1;
    for (const Expr& index : indices) lanes = std::max(lanes, index.lanes());
    lane(lanes);
    Expr condition;
    if (mask.defined()) {
      condition = resolve_condition(mask, lanes);
      if (disprove(condition, *known_)) return;  // it is never executed
    }
    Access access;
    access.statement = statement_;
    access.buffer = buffer;
    access.stores = stores;
    access.loops = loops_;
    access.phases = phases_;
    for (const Expr& index : indices) access.indices.push_back(resolve_lane(index, lanes));
    for (const Expr& extent : buffer->shape) access.shape.push_back(resolve(extent));
    access.known = known_;
    if (lanes > 1) access.lane = lanes_.at(lanes);
    if (mask.defined()) access.known = refined([&](Ranges& next) { next.assume(condition); });
    const auto it = allocated_.find(buffer);
    access.private_loops = it == allocated_.end() ? 0 : it->second;
    accesses_.push_back(std::move(access));
  }

  const Program& program_;
  std::vector<Access> accesses_;
  std::shared_ptr<const Ranges> known_;
  Substitution values_;  ///< the values of lets, and of variables of loops that do not start at a constant
  std::map<const For*, Var> offsets_;        ///< the variable from 0 of each such loop
  std::map<int, Var> lanes_;                 ///< by number of lanes
  std::map<Buffer, std::size_t> allocated_;  ///< number of loops around the allocation
  std::vector<Access::Enclosing> loops_;
  std::set<std::size_t> visited_;  ///< kernels
  const Stmt* statement_ = nullptr;
  int barriers_ = 0;
  std::set<int> phases_ = {0};
};

}  // namespace

std::vector<Access> collect_accesses(const Program& program) { return Collector(program).collect(); }

}  // namespace nestwright::ir
