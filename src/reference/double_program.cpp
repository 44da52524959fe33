#include "reference/double_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using Indices = std::span<const Expr>;

Expr literal(double value) { return ir::make_float(value, kFloat64); }

/// Computes one operation over one region.
class OperationReference {
 public:
  OperationReference(const Operation& op, const ComputedRegion& region, Rounding rounding,
                     const std::map<Buffer, ErrorBoundedTensor>& tensors)
      : op_(op), compute_(*op.compute()), region_(region), rounding_(rounding), tensors_(tensors) {}

  std::vector<ErrorBoundedTensor> run() {
    const ir::Reduce* const reduction = compute_.reduction();
    if (reduction == nullptr) return elements();
    if (reduction->combiner != nullptr) return tuple(*reduction);
    switch (reduction->reducer) {
      case ir::ReducerKind::kSum:
        return {type().is_float() ? sum_of_floats() : of_kind(ir::ReducerKind::kSum, ir::ReducerKind::kSum)};
      case ir::ReducerKind::kProd:
        return {type().is_float() || !is_exact() ? running_product()
                                                 : of_kind(ir::ReducerKind::kProd, ir::ReducerKind::kProd)};
      case ir::ReducerKind::kMin:
      case ir::ReducerKind::kMax:
        return {of_order(reduction->reducer)};
      case ir::ReducerKind::kAny:
      case ir::ReducerKind::kAll:
        return {of_kind(reduction->reducer, ir::ReducerKind::kMax)};
      case ir::ReducerKind::kCustom:
        break;
    }
    throw InternalError("a user-made reduction has a combiner");
  }

  std::vector<Tensor> values() {
    const ir::Reduce* const reduction = compute_.reduction();
    std::vector<Tensor> results;
    if (reduction != nullptr && reduction->combiner != nullptr) {
      return best_of(*reduction);
    }
    for (std::size_t m = 0; m < op_->results.size(); ++m) {
      results.push_back(tensor("value" + std::to_string(m), [&](Indices x) {
        const At made = at(x);
        const Expr value = made.members[m].value;
        return reduction == nullptr ? value : reduce(reduction->reducer, value, made.reduced);
      }));
    }
    return results;
  }

 private:
  Type type() const { return op_->results.front()->element; }
  std::string name(const std::string& part) const { return op_->name + "." + part; }

  /// The members of the body (of what is reduced) at an element of the region, with errors as numbers, and new reduce
  /// axes.
  struct At {
    std::vector<IterVar> reduced;
    std::vector<ErrorBoundedExpr> members;
  };
  At at(Indices x) const {
    At made;
    ErrorBoundedLeaves leaves;
    leaves.element = [this](const Buffer& buffer, std::vector<Expr> indices) {
      const ErrorBoundedTensor& read = tensors_.at(buffer);
      ErrorBoundedExpr element{read.value.at(indices), {}};
      if (!read.bound.defined()) return element;
      const Expr bound = read.bound.at(std::move(indices));
      element.error = buffer->element.is_bool() ? bound > literal(0) : bound;
      return element;
    };
    const std::vector<Expr> axes = region_.axes(x);
    for (std::size_t d = 0; d < compute_.axes.size(); ++d) leaves.variables[compute_.axes[d].var()] = axes[d];
    for (const IterVar& axis : compute_.reduce_axes) {
      made.reduced.push_back(reduce_axis(axis.min(), axis.extent(), axis.name()));
      leaves.variables[axis.var()] = made.reduced.back();
    }
    const OneValue one_value = op_->inputs.empty() && made.reduced.empty() ? OneValue::kAll : OneValue::kIndices;
    for (const Expr& value : compute_.values()) {
      ErrorBoundedExpr judged = with_error_bound(value, leaves, rounding_, one_value);
      if (value.type().is_bool() && judged.error.defined()) {
        judged.error = ir::select(judged.error, literal(1), literal(0));
      } else if (judged.error.defined()) {
        // Infinite rather than not a number, as 0 times infinity is: a maximum may drop the latter.
        judged.error = ir::min(judged.error, literal(std::numeric_limits<double>::infinity()));
      }
      made.members.push_back(std::move(judged));
    }
    return made;
  }

  bool is_exact() const {
    std::vector<Expr> zeros(region_.shape.size(), Expr(0));
    const At made = at(zeros);
    return std::all_of(made.members.begin(), made.members.end(),
                       [](const ErrorBoundedExpr& m) { return m.is_exact(); });
  }

  Tensor tensor(const std::string& part, const std::function<Expr(Indices)>& body) const {
    return compute(region_.shape, body, name(part));
  }

  std::vector<ErrorBoundedTensor> elements() const {
    std::vector<ErrorBoundedTensor> results;
    std::vector<Expr> zeros(region_.shape.size(), Expr(0));
    const At first = at(zeros);
    for (std::size_t m = 0; m < compute_.bodies.size(); ++m) {
      const std::string number = compute_.bodies.size() == 1 ? "" : std::to_string(m);
      ErrorBoundedTensor& result = results.emplace_back();
      result.value = tensor("double" + number, [&](Indices x) { return at(x).members[m].value; });
      if (first.members[m].is_exact()) continue;
      result.bound = tensor("bound" + number, [&](Indices x) { return at(x).members[m].error; });
    }
    return results;
  }

  /// A reduction that rounds nothing: its errors are those of its values, combined by `of_errors`.
  ErrorBoundedTensor of_kind(ir::ReducerKind kind, ir::ReducerKind of_errors) const {
    ErrorBoundedTensor result;
    result.value = tensor("double", [&](Indices x) {
      const At made = at(x);
      return reduce(kind, made.members[0].value, made.reduced);
    });
    if (is_exact()) return result;
    result.bound = tensor("bound", [&](Indices x) {
      const At made = at(x);
      return reduce(of_errors, made.members[0].error, made.reduced);
    });
    return result;
  }

  /// A min or max.
  ErrorBoundedTensor of_order(ir::ReducerKind kind) const {
    ErrorBoundedTensor result = of_kind(kind, ir::ReducerKind::kMax);
    result.nan_count = nan_count(0);
    return result;
  }

  /// The number of values of a member that are not numbers; undefined where there can be none, as inputs are numbers.
  Tensor nan_count(std::size_t member) const {
    const auto is_input = [this](const Buffer& buffer) {
      return std::any_of(op_->inputs.begin(), op_->inputs.end(), [&](const Operation& input) {
        return input.is_placeholder() && input->results.front() == buffer;
      });
    };
    const Expr value = compute_.values()[member];
    const bool may_have_some =
        value.type().is_float() && ir::any_expr(value, [&](const Expr& part) {
          const auto* const load = part.as<ir::Load>();
          const auto* const binary = part.as<ir::Binary>();
          return part.as<ir::Call>() != nullptr || part.as<ir::CallExtern>() != nullptr ||
                 (binary != nullptr && binary->op == ir::BinaryOp::kDiv && part.type().is_float()) ||
                 (load != nullptr && !is_input(load->buffer));
        });
    if (!may_have_some) return {};
    return tensor("nan_count", [&](Indices x) {
      const At made = at(x);
      const Expr v = made.members[member].value;
      return sum(select(v <= literal(0) || v > literal(0), literal(0), literal(1)), made.reduced);
    });
  }

  double terms() const {
    double count = 1;
    for (const IterVar& axis : compute_.reduce_axes) count *= static_cast<double>(*ir::as_const_int(axis.extent()));
    return count;
  }

  /// The sum, the largest partial sum, the sum of squares and the sum of errors, in one pass.
  ErrorBoundedTensor sum_of_floats() const {
    const bool exact_terms = is_exact();
    std::vector<Expr> zeros(exact_terms ? 3 : 4, literal(0));
    const Reducer sums("sums", zeros, [](Indices a, Indices b) {
      const Expr total = a[0] + b[0];
      std::vector<Expr> combined{total, max(max(a[1], b[1]), abs(total)), a[2] + b[2]};
      if (a.size() == 4) combined.push_back(a[3] + b[3]);
      return combined;
    });
    const std::vector<Tensor> parts = compute_tuple(
        region_.shape,
        [&](Indices x) {
          const At made = at(x);
          const Expr term = made.members[0].value;
          std::vector<Expr> values{term, abs(term), term * term};
          if (!exact_terms) values.push_back(made.members[0].error);
          return sums(values, made.reduced);
        },
        name("sums"));
    const auto element = [](const Tensor& t, Indices x) { return t(x); };
    const double factor = 8 * std::sqrt(terms()) * rounding_error(type(), rounding_);
    const double smallest = terms() * smallest_error(type(), rounding_);
    ErrorBoundedTensor result;
    result.value = tensor("double", [&](Indices x) { return element(parts[0], x); });
    result.bound = tensor("bound", [&](Indices x) {
      const Expr size = element(parts[1], x);
      const Expr own = error_in_range(max(size, sqrt(element(parts[2], x))) * literal(factor) + literal(smallest), size,
                                      type(), rounding_);
      return exact_terms ? own : own + element(parts[3], x);
    });
    return result;
  }

  /// The product, the running bound of its error, and of floats the largest absolute value that a product of some of
  /// the terms may have.
  ErrorBoundedTensor running_product() const {
    const bool exact_terms = is_exact();
    const double eps = rounding_error(type(), rounding_), smallest = smallest_error(type(), rounding_);
    const At first = at(std::vector<Expr>(region_.shape.size(), Expr(0)));
    const Expr one = cast(first.members[0].value.type(), Expr(1));
    const Reducer products("products", {one, literal(0), literal(1)}, [&](Indices a, Indices b) {
      const Expr product = a[0] * b[0];
      const auto size = [](const Expr& e) { return abs(cast(kFloat64, e)); };
      const Expr carried = size(a[0]) * b[1] + size(b[0]) * a[1] + a[1] * b[1];
      return std::vector<Expr>{product, carried + size(product) * literal(eps) + literal(smallest), a[2] * b[2]};
    });
    const std::vector<Tensor> parts = compute_tuple(
        region_.shape,
        [&](Indices x) {
          const At made = at(x);
          const Expr value = made.members[0].value;
          const Expr error = exact_terms ? literal(0) : made.members[0].error;
          return products({value, error, max(literal(1), abs(cast(kFloat64, value)) + error)}, made.reduced);
        },
        name("products"));
    const auto element = [](const Tensor& t, Indices x) { return t(x); };
    return {tensor("double", [&](Indices x) { return element(parts[0], x); }), tensor("bound", [&](Indices x) {
              return error_in_range(element(parts[1], x), element(parts[2], x), type(), rounding_);
            })};
  }

  /// The reducer of `combiner`, with its floating-point members in double.
  Reducer in_double_precision(const ir::Combiner& combiner) const {
    std::vector<Expr> identity;
    for (const Expr& value : combiner.identity) identity.push_back(with_error_bound(value, {}, rounding_).value);
    return {combiner.name, identity, [&](Indices a, Indices b) {
              ErrorBoundedLeaves leaves;
              for (std::size_t m = 0; m < combiner.left.size(); ++m) {
                leaves.variables[combiner.left[m]] = a[m];
                leaves.variables[combiner.right[m]] = b[m];
              }
              std::vector<Expr> combined;
              for (const Expr& value : combiner.combined) {
                const ErrorBoundedExpr judged = with_error_bound(value, leaves, rounding_);
                if (!judged.is_exact()) refuse_tuple();
                combined.push_back(judged.value);
              }
              return combined;
            }};
  }

  [[noreturn]] void refuse_tuple() const {
    throw UsageError("the user-made reduction of '" + op_->name +
                     "' has no error bound: it rounds, or chooses by values that are rounded; give a reference");
  }

  std::vector<Tensor> best_of(const ir::Reduce& reduction) const {
    const Reducer reducer = in_double_precision(*reduction.combiner);
    return compute_tuple(
        region_.shape,
        [&](Indices x) {
          const At made = at(x);
          std::vector<Expr> values;
          for (const ErrorBoundedExpr& member : made.members) values.push_back(member.value);
          return reducer(values, made.reduced);
        },
        name("double"));
  }

  std::vector<ErrorBoundedTensor> tuple(const ir::Reduce& reduction) const {
    const std::vector<Tensor> best = best_of(reduction);
    std::vector<ErrorBoundedTensor> results;
    for (const Tensor& member : best) results.push_back({member, {}});
    for (std::size_t m = 0; m < results.size(); ++m) results[m].nan_count = nan_count(m);
    if (is_exact()) return results;
    if (direction_of(*reduction.combiner) == 0) refuse_tuple();
    bound_choice(results, *reduction.combiner);
    return results;
  }

  /// The operation by which `part` combines the members number `m` of both pairs; nullopt where it does not.
  static std::optional<ir::BinaryOp> operation_on(const Expr& part, const ir::Combiner& combiner, std::size_t m) {
    const auto* binary = part.as<ir::Binary>();
    if (binary == nullptr) return std::nullopt;
    if (!ir::is_var(binary->a, combiner.left[m]) || !ir::is_var(binary->b, combiner.right[m])) return std::nullopt;
    return binary->op;
  }

  /// 1 where the reducer takes the pair whose second member is larger, -1 where the smaller; 0 where it does neither.
  static int direction_of(const ir::Combiner& combiner) {
    if (combiner.combined.size() != 2) return 0;
    const auto* index = combiner.combined[0].as<ir::Select>();
    if (index == nullptr) return 0;
    if (!ir::is_var(index->if_true, combiner.left[0]) || !ir::is_var(index->if_false, combiner.right[0])) return 0;
    int direction = 0;
    ir::for_each_expr(index->condition, [&](const Expr& part) {
      const std::optional<ir::BinaryOp> op = operation_on(part, combiner, 1);
      if (direction != 0) return;
      if (op == ir::BinaryOp::kGt || op == ir::BinaryOp::kGe) direction = 1;
      if (op == ir::BinaryOp::kLt || op == ir::BinaryOp::kLe) direction = -1;
    });
    return direction;
  }

  /// Whether the reducer takes the smaller index where two values are equal.
  static bool takes_first(const ir::Combiner& combiner) {
    return ir::any_expr(combiner.combined[0].as<ir::Select>()->condition, [&](const Expr& part) {
      const std::optional<ir::BinaryOp> op = operation_on(part, combiner, 0);
      return op == ir::BinaryOp::kLt || op == ir::BinaryOp::kLe;
    });
  }

  /// An index may be the result where its value, plus its error, exceeds the largest of the others minus theirs. It may
  /// also be where both are equal, unless the first of equal ones is taken and another one before it is as large in any
  /// case.
  void bound_choice(std::vector<ErrorBoundedTensor>& results, const ir::Combiner& combiner) const {
    const int sign = direction_of(combiner);
    const auto signed_value = [sign](const ErrorBoundedExpr& e) {
      const Expr value = cast(kFloat64, e.value);
      return sign > 0 ? value : -value;
    };
    const auto error_of = [](const ErrorBoundedExpr& e) { return e.is_exact() ? literal(0) : e.error; };
    const auto element = [](const Tensor& t, Indices x) { return t(x); };
    const auto lowest = [&](const ErrorBoundedExpr& e) { return signed_value(e) - error_of(e); };
    const Tensor least = tensor("least", [&](Indices x) {
      const At made = at(x);
      return max(lowest(made.members[1]), made.reduced);
    });
    Tensor first;  // of those that are as large in any case
    if (takes_first(combiner)) {
      first = tensor("first", [&](Indices x) {
        const At made = at(x);
        return min(made.members[0].value, made.reduced, {.where = lowest(made.members[1]) >= element(least, x)});
      });
    }
    const Tensor chosen = results[0].value;
    results[0].bound = tensor("bound0", [&](Indices x) {
      const At made = at(x);
      const Expr index = made.members[0].value, limit = element(least, x);
      const Expr most = signed_value(made.members[1]) + error_of(made.members[1]);
      const Expr may_be =
          first.defined() ? most > limit || (most == limit && index <= element(first, x)) : most >= limit;
      const Expr distance = abs(index - element(chosen, x));
      return max(select(may_be, cast(kFloat64, distance), literal(0)), made.reduced);
    });
    results[1].bound = tensor("bound1", [&](Indices x) {
      const At made = at(x);
      return max(error_of(made.members[1]), made.reduced);
    });
  }

  const Operation& op_;
  const ComputeOp& compute_;
  const ComputedRegion& region_;
  Rounding rounding_;
  const std::map<Buffer, ErrorBoundedTensor>& tensors_;
};

void add_computes(const Operation& op, std::vector<Operation>& list, std::set<Operation>& seen) {
  if (op.is_placeholder() || !seen.insert(op).second) return;
  for (const Operation& input : op->inputs) add_computes(input, list, seen);
  list.push_back(op);
}

}  // namespace

void DoubleProgram::set(const Buffer& buffer, ErrorBoundedTensor judged) { tensors_[buffer] = std::move(judged); }

namespace {

void require_compute(const Operation& op) {
  if (op.compute() != nullptr && op.scan() == nullptr) {
    const ir::Reduce* const reduction = op.compute()->reduction();
    if (reduction == nullptr || reduction->init.empty()) return;
    throw UsageError("the reduction of '" + op->name +
                     "' starts from a value of its own, whose errors have no bound: give a reference");
  }
  throw UsageError("'" + op->name + "' is a scan, whose errors have no bound: give a reference");
}

}  // namespace

std::vector<ErrorBoundedTensor> DoubleProgram::compute_region(const Operation& op, const ComputedRegion& region) const {
  require_compute(op);
  return OperationReference(op, region, rounding_, tensors_).run();
}

std::vector<Tensor> DoubleProgram::compute_values(const Operation& op, const ComputedRegion& region) const {
  require_compute(op);
  return OperationReference(op, region, rounding_, tensors_).values();
}

std::vector<Operation> computes_of(std::span<const Tensor> outputs) {
  std::vector<Operation> list;
  std::set<Operation> seen;
  for (const Tensor& output : outputs) add_computes(output.op(), list, seen);
  return list;
}

}  // namespace nestwright
