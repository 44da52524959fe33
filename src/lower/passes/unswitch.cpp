// Unswitches loops on the masks of their loads, such as those of padding: a condition that is invariant in a serial
// loop is tested once, before it, and the loop has no branch.
//
//   for k in 0..n:                                 if y + r >= 1:
//     t += (X[y + r - 1, k] if y + r >= 1)*W[k]      for k in 0..n: t += X[y + r - 1, k]*W[k]
//                                            ->    else:
//                                                    for k in 0..n: t += 0.0*W[k]
#include <algorithm>

#include "ir/analysis/bounds.h"
#include "ir/analysis/symbol_ranges.h"
#include "ir/construction/conjunction.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/equal.h"
#include "lower/passes.h"
#include "lower/support/copier.h"
#include "lower/support/ranges_mutator.h"

namespace nestwright::passes {
namespace {

using namespace ir;

constexpr std::size_t kMaxConditions = 6;  ///< of a loop; most imply others, so that n make about n + 1 versions
constexpr std::int64_t kMaxCopied = 2000;  ///< statements of a kernel

bool has_scalar_mask(const Load& load) { return load.mask.defined() && load.mask.type().is_scalar(); }

/// The load with the conjunction of these conditions as its mask; without a mask if there are none.
Expr load_under(const Load& load, const std::vector<Expr>& mask) {
  return make_load(load.buffer, load.indices, conjunction(mask));
}

/// Drops the conjuncts of scalar masks that always hold, and loads under those that never do.
class MaskSimplifier : public RangesMutator {
 public:
  using RangesMutator::RangesMutator;
  Expr mutate(const Expr& e) override {
    const Expr inside = mutate_children(e);
    const auto* load = inside.as<Load>();
    if (load == nullptr || !has_scalar_mask(*load)) return inside;
    std::vector<Expr> parts, open;
    conjuncts(load->mask, parts);
    for (const Expr& part : parts) {
      const Expr condition = simplify(part, known());
      if (is_always_true(condition, known())) continue;
      if (is_always_false(condition, known())) return make_const(0, inside.type());
      open.push_back(condition);
    }
    return load_under(*load, open);
  }
  Stmt mutate(const Stmt& s) override { return mutate_inside(s); }
};

/// Replaces a conjunct of scalar masks by its value.
class ConditionReplacer : public Mutator {
 public:
  ConditionReplacer(Expr condition, bool holds) : condition_(std::move(condition)), holds_(holds) {}
  using Mutator::mutate;
  Expr mutate(const Expr& e) override {
    const Expr inside = mutate_children(e);
    const auto* load = inside.as<Load>();
    if (load == nullptr || !has_scalar_mask(*load)) return inside;
    std::vector<Expr> parts;
    conjuncts(load->mask, parts);
    const auto is_decided = [&](const Expr& part) { return equal(part, condition_); };
    if (std::none_of(parts.begin(), parts.end(), is_decided)) return inside;
    if (!holds_) return make_const(0, inside.type());
    parts.erase(std::remove_if(parts.begin(), parts.end(), is_decided), parts.end());
    return load_under(*load, parts);
  }

 private:
  Expr condition_;
  bool holds_;
};

/// The conjuncts of scalar masks in the loop that have one value in all of its iterations.
std::vector<Expr> invariant_conditions(const Stmt& s) {
  std::vector<Var> bound;
  for_each_stmt(s, [&](const Stmt& inside) {
    if (const auto* loop = inside.as<For>()) bound.push_back(loop->var);
    if (const auto* let = inside.as<Let>()) bound.push_back(let->var);
  });
  std::vector<Expr> found;
  for_each_expr(s, [&](const Expr& e) {
    const auto* load = e.as<Load>();
    if (load == nullptr || !has_scalar_mask(*load)) return;
    std::vector<Expr> parts;
    conjuncts(load->mask, parts);
    for (const Expr& part : parts) {
      const bool varies = any_expr(part, [&](const Expr& inside) {
        const auto* ref = inside.as<VarRef>();
        return inside.as<Load>() != nullptr || inside.as<Call>() != nullptr ||
               (ref != nullptr && std::find(bound.begin(), bound.end(), ref->var) != bound.end());
      });
      const auto is_part = [&](const Expr& other) { return equal(other, part); };
      if (!varies && std::none_of(found.begin(), found.end(), is_part)) found.push_back(part);
    }
  });
  return found;
}

std::int64_t count_statements(const Stmt& s) {
  std::int64_t count = 0;
  for_each_stmt(s, [&](const Stmt& inside) { count += inside.as<Block>() == nullptr; });
  return count;
}

bool is_serial(const Stmt& s) {
  const auto* loop = s.as<For>();
  return loop != nullptr && loop->kind == LoopKind::kSerial && !any_stmt(s, [](const Stmt& inside) {
           const auto* nested = inside.as<For>();
           return nested != nullptr && nested->kind == LoopKind::kParallel;
         });
}

class Unswitcher : public RangesMutator {
 public:
  using RangesMutator::RangesMutator;
  Expr mutate(const Expr& e) override { return e; }
  Stmt mutate(const Stmt& s) override {
    if (!s.defined() || !is_serial(s)) return mutate_inside(s);
    std::vector<Expr> conditions = invariant_conditions(s);
    conditions.erase(std::remove_if(conditions.begin(), conditions.end(),
                                    [&](const Expr& condition) {
                                      return is_always_true(condition, known()) || is_always_false(condition, known());
                                    }),
                     conditions.end());
    const std::int64_t size = count_statements(s);
    if (conditions.empty() || conditions.size() > kMaxConditions || copied_ + size > kMaxCopied)
      return mutate_inside(s);
    copied_ += size;
    // The versions are unswitched on the other conditions in turn.
    const Expr& first = conditions.front();
    const Stmt where_false = Copier({}, true).mutate(ConditionReplacer(first, false).mutate(s));
    return mutate_inside(make_if(first, ConditionReplacer(first, true).mutate(s), where_false));
  }

 private:
  std::int64_t copied_ = 0;
};

}  // namespace

Program unswitch(Program program, PassContext&) {
  const Ranges symbols = ranges_of_symbols(program);
  return on_kernels(std::move(program), [&](const Stmt& body) {
    const bool has_masks = any_expr(body, [](const Expr& e) {
      const auto* load = e.as<Load>();
      return load != nullptr && has_scalar_mask(*load);
    });
    if (!has_masks) return body;
    const Stmt simplified = MaskSimplifier(symbols).mutate(body);
    const Stmt unswitched = Unswitcher(symbols).mutate(simplified);
    return unswitched.same_as(simplified) ? body : MaskSimplifier(symbols).mutate(unswitched);
  });
}

}  // namespace nestwright::passes
