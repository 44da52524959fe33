#include "cost_model/least_time.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cost_model/value_dependencies.h"
#include "ir/analysis/evaluate.h"
#include "ir/analysis/preparation.h"
#include "ir/core/intrinsic_table.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {

using namespace ir;  // NOLINT(google-build-using-namespace): this file is about the IR

namespace {

struct Loop {
  Var var;
  Expr min, extent;
  double least_trips = 0;
};

struct Guard {
  Expr condition;
  bool is_inverted = false;  ///< the else-case
};

// Whether ir::evaluate can compute its value from the loop variables.
bool is_of_indices(const Expr& e) {
  return !any_expr(e, [](const Expr& each) {
    const auto* const call = each.as<Call>();
    return each.as<Load>() != nullptr || each.type().is_float() || each.as<CallExtern>() != nullptr ||
           (call != nullptr && call->intrinsic != Intrinsic::kLikely);
  });
}

// The number of products of two loaded values that `e` itself computes, without its operands.
double products_of(const Expr& e) {
  const auto are_data = [](const Expr& a, const Expr& b) { return reads_memory(a) && reads_memory(b); };
  if (const auto* binary = e.as<Binary>(); binary != nullptr && binary->op == BinaryOp::kMul) {
    return are_data(binary->a, binary->b) ? 1 : 0;
  }
  const auto* call = e.as<Call>();
  if (call == nullptr) return 0;
  const int products = ir::intrinsic_info(call->intrinsic).products;
  if (products == 0) return 0;
  const std::size_t first = is_dot(call->intrinsic) ? 1 : 0;  // after the accumulator of a dot product
  return are_data(call->args[first], call->args[first + 1]) ? products : 0;
}

// A term of an index, of one loop: coefficient * (0 .. extent - 1).
struct Term {
  double coefficient, extent;
  Var var;
};

// The terms of a sum that act like digits of a number: each combination of their values gives a different sum.
std::vector<Term> digits_of(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.coefficient < b.coefficient; });
  double largest = 0;
  std::erase_if(terms, [&](const Term& term) {
    if (term.coefficient <= largest) return true;
    largest += term.coefficient * (term.extent - 1);
    return false;
  });
  return terms;
}

// A lower bound on the number of values of a sum without guards.
double distinct_values(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.coefficient < b.coefficient; });
  double count = 1, largest = 0;  // of values 0 .. largest
  for (const Term& term : terms) {
    const double reach = term.coefficient * (term.extent - 1);
    if (term.coefficient > largest) {
      count *= term.extent;
      largest += reach;
    } else if (count == largest + 1) {
      largest += reach;  // overlapping runs without gaps, as in the rows of a convolution
      count = largest + 1;
    }
  }
  return count;
}

class WorkCounter final : public Visitor {
 public:
  using Visitor::visit;

  explicit WorkCounter(const Program& program) : dependencies_(program) {
    for (const Parameter& parameter : program.parameters) {
      if (parameter.role != Role::kOutput) read_.emplace_back(parameter.buffer, 0);
    }
  }

  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    if (const auto* loop = s.as<For>()) return visit_loop(*loop);
    if (const auto* branch = s.as<IfThenElse>()) return visit_branch(*branch);
    if (const auto* store = s.as<Store>()) return visit_store(*store);
    if (const auto* let = s.as<Let>()) {
      lets_[let->var] = substitute(let->value, lets_);
      ranges_.bind(let->var, bounds(let->value, ranges_));
      return visit(let->body);
    }
    visit_children(s);
  }
  void visit(const Expr&) override {}

  bool is_for_device() const { return is_for_device_; }
  double multiplications() const { return multiplications_; }
  double read_bytes() const {
    double sum = 0;
    for (const auto& [buffer, elements] : read_) sum += elements * buffer->element.bytes();
    return sum;
  }

 private:
  void visit_loop(const For& n) {
    is_for_device_ = is_for_device_ || is_bound(n.kind);
    const Expr min = substitute(n.min, lets_), extent = substitute(n.extent, lets_);
    const Interval trips = bounds(n.extent, ranges_);
    ranges_.bind(n.var, n.min, n.extent);
    loops_.push_back({n.var, min, extent, static_cast<double>(std::max<std::int64_t>(trips.lo, 0))});
    visit(n.body);
    loops_.pop_back();
  }

  void visit_branch(const IfThenElse& n) {
    const Expr condition = substitute(n.condition, lets_);
    within({condition}, [&] { visit(n.then_case); });
    within({condition, true}, [&] { visit(n.else_case); });
  }

  template <class F>
  void within(Guard guard, F count_below) {
    guards_.push_back(std::move(guard));
    count_below();
    guards_.pop_back();
  }

  // The share of the combinations of values of `counted` for which the guards let some iteration pass: the product over
  // groups of guards that share no variable.
  double guarded_share(const std::set<Var>& counted) const {
    double product = 1;
    std::vector<std::pair<std::set<Var>, std::vector<const Guard*>>> groups;
    for (const Guard& guard : guards_) {
      std::set<Var> vars = variables_of(guard.condition);
      std::vector<const Guard*> members{&guard};
      std::erase_if(groups, [&](auto& group) {
        if (std::none_of(vars.begin(), vars.end(), [&](const Var& var) { return group.first.contains(var); })) {
          return false;
        }
        vars.merge(group.first);
        members.insert(members.end(), group.second.begin(), group.second.end());
        return true;
      });
      groups.emplace_back(std::move(vars), std::move(members));
    }
    for (const auto& [vars, members] : groups) product *= share_of(vars, members, counted);
    return product;
  }

  // The same for one group, by enumeration of the values of `vars`. 0 where these are too many or the guards cannot be
  // evaluated, because they depend on data or an extent is not constant.
  double share_of(std::set<Var> vars, const std::vector<const Guard*>& guards, const std::set<Var>& counted) const {
    constexpr std::int64_t kMaxPoints = 1 << 14;
    if (std::any_of(guards.begin(), guards.end(), [](const Guard* g) { return !is_of_indices(g->condition); }))
      return 0;
    std::vector<Var> tried;
    std::vector<std::int64_t> mins, extents;
    std::int64_t points = 1, combinations = 1;
    for (const Loop& loop : loops_) {
      if (vars.erase(loop.var) == 0) continue;
      const std::int64_t *min = as_const_int(loop.min), *extent = as_const_int(loop.extent);
      if (min == nullptr || extent == nullptr || *extent < 1 || points > kMaxPoints / *extent) return 0;
      points *= *extent;
      if (counted.contains(loop.var)) combinations *= *extent;
      tried.push_back(loop.var);
      mins.push_back(*min);
      extents.push_back(*extent);
    }
    if (!vars.empty()) return 0;  // symbols
    std::vector<bool> is_reached(static_cast<std::size_t>(combinations));
    std::vector<std::int64_t> values(tried.size());
    for (std::int64_t point = 0; point < points; ++point) {
      std::int64_t rest = point, combination = 0;
      for (std::size_t i = 0; i < tried.size(); ++i) {
        const std::int64_t digit = rest % extents[i];
        values[i] = mins[i] + digit;
        if (counted.contains(tried[i])) combination = combination * extents[i] + digit;
        rest /= extents[i];
      }
      if (is_reached[static_cast<std::size_t>(combination)]) continue;
      is_reached[static_cast<std::size_t>(combination)] = std::all_of(
          guards.begin(), guards.end(),
          [&](const Guard* guard) { return (evaluate(guard->condition, tried, values) != 0) != guard->is_inverted; });
    }
    return static_cast<double>(std::count(is_reached.begin(), is_reached.end(), true)) /
           static_cast<double>(combinations);
  }

  void visit_store(const Store& n) {
    const bool is_reached =
        std::all_of(loops_.begin(), loops_.end(), [](const Loop& loop) { return loop.least_trips > 0; });
    if (is_reached && !n.mask.defined()) count(substitute(n.value, lets_));
  }

  void count(const Expr& e) {
    if (const auto* choice = e.as<Select>()) {
      within({choice->condition}, [&] { count(choice->if_true); });
      within({choice->condition, true}, [&] { count(choice->if_false); });
      return;
    }
    if (const auto* load = e.as<Load>()) {
      if (!load->mask.defined()) return count_read(*load);
      return within({load->mask}, [&] { count_read(*load); });
    }
    if (const double products = products_of(e); products > 0) count_products(e, products, conditions_of(e));
    for_each_operand(e, [this](const Expr& operand) { count(operand); });
  }

  template <class F>
  static void for_each_operand(const Expr& e, F f) {
    if (const auto* binary = e.as<Binary>()) {
      f(binary->a);
      f(binary->b);
    } else if (const auto* cast = e.as<Cast>()) {
      f(cast->value);
    } else if (const auto* call = e.as<Call>()) {
      for (const Expr& argument : call->args) f(argument);
    }
  }

  // The conditions on which its factors depend: masks of loads and conditions of selects.
  static std::vector<Expr> conditions_of(const Expr& e) {
    std::vector<Expr> conditions;
    for_each_expr(e, [&](const Expr& each) {
      if (const auto* load = each.as<Load>(); load != nullptr && load->mask.defined()) conditions.push_back(load->mask);
      const auto* choice = each.as<Select>();
      if (choice == nullptr) return;
      const bool is_true_data = reads_memory(choice->if_true), is_false_data = reads_memory(choice->if_false);
      if (is_true_data && is_false_data) return;
      const Expr condition = is_true_data ? choice->condition : make_not(choice->condition);
      // Where neither value is data, add a condition that is always unknown.
      conditions.push_back(is_true_data || is_false_data ? condition : Expr(Var("unknown", kBool)));
    });
    return conditions;
  }

  void count_products(const Expr& e, double products, std::vector<Expr> conditions) {
    if (!conditions.empty()) {
      const Expr condition = conditions.back();
      conditions.pop_back();
      return within({condition}, [&] { count_products(e, products, std::move(conditions)); });
    }
    for (const Expr& other : counted_) {
      if (equal(other, e)) return;
    }
    counted_.push_back(e);
    const std::set<Var> dependencies = dependencies_.of(e);
    for (const Loop& loop : loops_) {
      if (dependencies.contains(loop.var)) products *= loop.least_trips;
    }
    multiplications_ += products * guarded_share(dependencies);
  }

  void count_read(const Load& load) {
    const auto found =
        std::find_if(read_.begin(), read_.end(), [&](const auto& of) { return of.first == load.buffer; });
    if (found == read_.end()) return;
    found->second = std::max(found->second, distinct_elements(load.indices));
  }

  // Goes through the dimensions in order: a loop that an earlier dimension depends on is constant for later ones.
  double distinct_elements(const std::vector<Expr>& indices) const {
    std::set<Var> used;
    double product = 1;
    for (const Expr& index : indices) {
      std::vector<Term> terms;
      if (!collect_terms(index, used, terms)) continue;  // counts as one value
      if (guards_.empty()) {
        product *= distinct_values(terms);
      } else {
        terms = digits_of(terms);
        for (const Term& term : terms) product *= term.extent;
      }
      for (const Term& term : terms) used.insert(term.var);
    }
    return product * guarded_share(used);
  }

  // The terms of loops that are not in `used`. False where the index is not affine, or where the start of a loop is not
  // constant and might offset the iterations.
  bool collect_terms(const Expr& index, const std::set<Var>& used, std::vector<Term>& terms) const {
    for (const LinearTerm& term : to_linear(index).terms) {
      const auto* ref = term.atom.as<VarRef>();
      if (ref == nullptr) return false;
      for (const Loop& loop : loops_) {
        if (!(loop.var == ref->var) || used.contains(loop.var)) continue;
        if (as_const_int(loop.min) == nullptr) return false;
        terms.push_back({std::abs(static_cast<double>(term.coefficient)), loop.least_trips, loop.var});
      }
    }
    return true;
  }

  ValueDependencies dependencies_;
  std::vector<Loop> loops_;
  std::vector<Guard> guards_;
  Substitution lets_;
  Ranges ranges_;
  std::vector<Expr> counted_;
  std::vector<std::pair<Buffer, double>> read_;  ///< elements read of each parameter
  double multiplications_ = 0;
  bool is_for_device_ = false;
};

// 0 for a symbolic extent.
double elements_of(const Buffer& buffer) {
  double product = 1;
  for (const Expr& extent : buffer->shape) {
    const std::int64_t* constant = as_const_int(extent);
    product *= constant != nullptr ? static_cast<double>(*constant) : 0;
  }
  return product;
}

}  // namespace

LeastWork least_work(const Program& program) {
  WorkCounter counter(program);
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    if (is_of_call(program, k)) counter.visit(program.kernels[k].body);
  }
  if (counter.is_for_device()) return {};
  LeastWork work{counter.multiplications(), counter.read_bytes(), 0};
  for (const Parameter& parameter : program.parameters) {
    if (parameter.role != Role::kOutput) continue;
    work.written_bytes += elements_of(parameter.buffer) * parameter.buffer->element.bytes();
  }
  return work;
}

LeastWork limit_work(const LeastWork& work, double operations, double bytes) {
  return {std::min(work.multiplications, operations / 2), std::min(work.read_bytes, bytes),
          std::min(work.written_bytes, bytes)};
}

double least_time_ns(const LeastWork& work, const HighestRates& rates) {
  const auto time = [](double amount, double per_ns) { return per_ns > 0 ? amount / per_ns : 0; };
  return std::max({time(2 * work.multiplications, rates.fma_gflops * rates.product_scale),
                   time(work.read_bytes, rates.read_gb_s), time(work.written_bytes, rates.read_gb_s)});
}

}  // namespace nestwright
