#include "cost_model/loop_nest.h"

#include <algorithm>
#include <map>

#include "ir/preparation.h"
#include "ir/rewrite.h"
#include "ir/simplify.h"

namespace nestwright {

using namespace ir;  // NOLINT(google-build-using-namespace): this file is about the IR

double NestStore::trips() const {
  double product = share;
  for (const NestLoop& loop : loops) product *= loop.extent;
  return product;
}

namespace {

class Flattener {
 public:
  FlatProgram result;

  void walk(const Stmt& s) {
    if (!s.defined()) return;
    std::visit(overloaded{
                   [&](const For& n) { loop(n); },
                   [&](const Block& n) {
                     for (const Stmt& child : n.stmts) walk(child);
                   },
                   [&](const Let& n) {
                     lets_[n.var] = resolve(n.value);
                     ranges_.bind(n.var, bounds(n.value, ranges_));
                     walk(n.body);
                   },
                   [&](const IfThenElse& n) { branch(n); },
                   [&](const Store& n) { store(n); },
                   [&](const Allocate& n) { allocate(n); },
                   [&](const Prefetch&) { result.prefetches += 1; },
                   [&](const Barrier&) {},
                   [&](const Launch&) {},
               },
               s.node().value);
  }

 private:
  void loop(const For& n) {
    const Interval extent = bounds(n.extent, ranges_);
    ranges_.bind(n.var, n.min, n.extent);
    loops_.push_back(
        {n.var, extent.bounded() ? static_cast<double>(std::max<std::int64_t>(extent.hi, 1)) : 1.0, n.kind});
    walk(n.body);
    loops_.pop_back();
  }

  void branch(const IfThenElse& n) {
    const double outer = share_;
    const double taken = probability(n.condition);
    share_ = outer * taken;
    walk(n.then_case);
    share_ = outer * (1 - taken);
    walk(n.else_case);
    share_ = outer;
  }

  void store(const Store& n) {
    NestStore& out = result.stores.emplace_back();
    out.loops = loops_;
    out.share = share_;
    out.accesses.push_back({n.buffer, resolve_all(n.indices), true});
    for_each_expr(n.value, [&](const Expr& e) {
      if (const auto* load = e.as<Load>()) out.accesses.push_back({load->buffer, resolve_all(load->indices), false});
      if (!e.type().is_float()) return;
      if (const auto* binary = e.as<Binary>(); binary != nullptr && !is_comparison(binary->op)) out.flops += 1;
      if (e.as<Call>() != nullptr) out.flops += 1;
    });
  }

  void allocate(const Allocate& n) {
    double bytes = n.buffer->element.bytes();
    for (const Expr& extent : n.buffer->shape) {
      const Interval b = bounds(extent, ranges_);
      if (b.bounded()) bytes *= static_cast<double>(b.hi);
    }
    switch (n.buffer->scope) {
      case Scope::kRegister:
      case Scope::kTile:
      case Scope::kFragment:
        result.register_bytes = std::max(result.register_bytes, bytes);
        break;
      case Scope::kGlobal:
        result.global_bytes += bytes;
        break;
      default:
        result.local_bytes = std::max(result.local_bytes, bytes);
    }
    walk(n.body);
  }

  /// How often a comparison of index expressions holds, taking their difference as uniform over its bounds.
  double probability(const Expr& condition) {
    if (is_true(condition)) return 1;
    if (is_false(condition)) return 0;
    if (const auto* call = condition.as<Call>(); call != nullptr && call->intrinsic == Intrinsic::kLikely) {
      return probability(call->args[0]);
    }
    if (const auto* inverse = condition.as<Not>()) return 1 - probability(inverse->a);
    const auto* compare = condition.as<Binary>();
    if (compare == nullptr) return 0.5;
    if (compare->op == BinaryOp::kAnd) return probability(compare->a) * probability(compare->b);
    if (!is_comparison(compare->op) || !compare->a.type().is_int()) return 0.5;
    const Interval difference = bounds(compare->b - compare->a, ranges_);
    if (!difference.bounded()) return 0.5;
    const double count = static_cast<double>(difference.hi - difference.lo) + 1;
    const auto clamp = [&](double favourable) { return std::clamp(favourable / count, 0.0, 1.0); };
    const auto lo = static_cast<double>(difference.lo), hi = static_cast<double>(difference.hi);
    switch (compare->op) {
      case BinaryOp::kLt:
        return clamp(hi);
      case BinaryOp::kLe:
        return clamp(hi + 1);
      case BinaryOp::kGt:
        return clamp(-lo);
      case BinaryOp::kGe:
        return clamp(-lo + 1);
      case BinaryOp::kEq:
        return clamp(1);
      default:
        return clamp(count - 1);
    }
  }

  Linear resolve(const Expr& e) {
    const Linear raw = to_linear(e);
    Linear resolved;
    resolved.constant = raw.constant;
    for (const LinearTerm& term : raw.terms) {
      const auto* ref = term.atom.as<VarRef>();
      const auto let = ref != nullptr ? lets_.find(ref->var) : lets_.end();
      if (let == lets_.end()) {
        resolved.add(Linear{0, {term}});
      } else {
        resolved.add(let->second, term.coefficient);
      }
    }
    return resolved;
  }

  std::vector<Linear> resolve_all(const std::vector<Expr>& indices) {
    std::vector<Linear> out;
    out.reserve(indices.size());
    for (const Expr& index : indices) out.push_back(resolve(index));
    return out;
  }

  std::vector<NestLoop> loops_;
  std::map<Var, Linear> lets_;
  Ranges ranges_;
  double share_ = 1;
};

}  // namespace

FlatProgram flatten(const Program& program) {
  Flattener flattener;
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    if (ir::is_of_call(program, k)) flattener.walk(program.kernels[k].body);
  }
  return std::move(flattener.result);
}

}  // namespace nestwright
