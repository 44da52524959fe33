#include "nestwright/reduction.h"

#include <fmt/format.h>

#include <set>

#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

std::vector<ir::ReduceAxis> checked_axes(const std::vector<IterVar>& axes) {
  if (axes.empty()) throw UsageError("a reduction needs an axis: make one by reduce_axis");
  std::vector<ir::ReduceAxis> result;
  std::set<IterVar> seen;
  for (const IterVar& axis : axes) {
    if (!axis.defined()) throw UsageError("an axis of a reduction is undefined: make it by reduce_axis");
    if (!axis.is_reduce()) {
      throw UsageError(fmt::format("axis '{}' cannot be reduced over: make it by reduce_axis", axis.name()));
    }
    if (!seen.insert(axis).second) {
      throw UsageError(fmt::format("reduce axis '{}' is named twice in one reduction", axis.name()));
    }
    result.push_back({axis.var(), axis.min(), axis.extent(), axis.may_be_part()});
  }
  return result;
}

/// Refuses a condition of a reduction that is defined and not a bool.
void check_where(const Expr& where) {
  if (!where.defined() || where.type() == ir::Type{kBool}) return;
  throw UsageError(fmt::format("where of a reduction is {}, but it takes a bool: compare first", where.type().str()));
}

/// Refuses an initial value that is no constant over the axes of its reduction, or is not of type `type`.
void check_init(const Expr& init, ir::Type type, const std::vector<IterVar>& axes) {
  if (!init.defined() || init.type() != type) {
    throw UsageError(fmt::format("init of a reduction is {}, but the value is {}: cast it",
                                 init.defined() ? init.type().str() : "undefined", type.str()));
  }
  for (const IterVar& axis : axes) {
    if (!ir::mentions(init, axis.var())) continue;
    throw UsageError(fmt::format(
        "init of a reduction depends on its axis '{}': it is used once, before the first value", axis.name()));
  }
}

bool is_literal(const Expr& e) { return e.as<ir::IntImm>() != nullptr || e.as<ir::FloatImm>() != nullptr; }

/// A literal in `type`, as operators convert it: a number as it was written, not as its own type has rounded it. Any
/// other expression, and a bool beside integers, as it is. Refuses a literal that is no value of `type`; `role` says
/// what it was given as.
Expr literal_of(ir::Type type, const Expr& given, const std::string& role) {
  if (!given.defined() || !is_literal(given)) return given;
  if (const Expr converted = ir::retype_literal(given, type); converted.defined()) return converted;
  if (given.type().is_bool()) return given;
  const auto* number = given.as<ir::FloatImm>();
  const Expr written = number != nullptr ? ir::make_float(number->written, kFloat64) : given;
  throw UsageError(fmt::format("the literal {} as {} is no value of {}: combine values of a type that has it",
                               ir::to_string(written), role, type.str()));
}

}  // namespace

Expr reduce(ir::ReducerKind reducer, Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options) {
  if (!value.defined()) throw UsageError("the value of a reduction is undefined");
  if (reducer == ir::ReducerKind::kCustom) throw UsageError("a user-made reduction is made by a Reducer: call that");
  const bool logical = reducer == ir::ReducerKind::kAny || reducer == ir::ReducerKind::kAll;
  std::vector<ir::ReduceAxis> checked = checked_axes(axes);
  if (logical != value.type().is_bool()) {
    throw UsageError(
        fmt::format("a value of type {} cannot be combined by {}", value.type().str(), ir::reducer_name(reducer)));
  }
  const ir::Type type = value.type();
  check_where(options.where);
  if (options.where.defined()) value = ir::select(options.where, value, ir::reducer_identity(reducer, type));
  if (!options.init.defined()) return ir::make_reduce(reducer, std::move(value), std::move(checked));
  const Expr init = literal_of(type, options.init, "init of a reduction");
  check_init(init, type, axes);
  return ir::make_reduce({reducer, {std::move(value)}, std::move(checked), nullptr, 0, {init}});
}

Expr sum(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options) {
  return reduce(ir::ReducerKind::kSum, std::move(value), axes, options);
}
Expr prod(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options) {
  return reduce(ir::ReducerKind::kProd, std::move(value), axes, options);
}
Expr min(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options) {
  return reduce(ir::ReducerKind::kMin, std::move(value), axes, options);
}
Expr max(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options) {
  return reduce(ir::ReducerKind::kMax, std::move(value), axes, options);
}
Expr any(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options) {
  return reduce(ir::ReducerKind::kAny, std::move(value), axes, options);
}
Expr all(Expr value, const std::vector<IterVar>& axes, const ReduceOptions& options) {
  return reduce(ir::ReducerKind::kAll, std::move(value), axes, options);
}

Reducer::Reducer(std::string name, std::vector<Expr> identity, const Combine& combine) {
  ir::Combiner combiner;
  if (identity.empty()) throw UsageError(fmt::format("reducer '{}' has no identity: give a value a member", name));
  if (!combine) throw UsageError(fmt::format("reducer '{}' has no function that combines two values", name));
  for (const Expr& value : identity) {
    if (!value.defined() || !value.type().is_scalar()) {
      throw UsageError(fmt::format("an identity of reducer '{}' is undefined or a vector", name));
    }
    combiner.left.emplace_back("a", value.type());
    combiner.right.emplace_back("b", value.type());
  }
  combiner.combined = combine(std::vector<Expr>(combiner.left.begin(), combiner.left.end()),
                              std::vector<Expr>(combiner.right.begin(), combiner.right.end()));
  if (combiner.combined.size() != identity.size()) {
    throw UsageError(fmt::format("reducer '{}' combines {} values into {}: give as many as it takes", name,
                                 identity.size(), combiner.combined.size()));
  }
  for (std::size_t m = 0; m < identity.size(); ++m) {
    Expr& combined = combiner.combined[m];
    combined =
        literal_of(identity[m].type(), combined, fmt::format("member {} of the combination of reducer '{}'", m, name));
    if (!combined.defined() || combined.type() != identity[m].type()) {
      throw UsageError(fmt::format("member {} of reducer '{}' is combined into {}, but its identity is {}: cast it", m,
                                   name, combined.defined() ? combined.type().str() : "nothing",
                                   identity[m].type().str()));
    }
  }
  combiner.identity = std::move(identity);
  combiner.name = std::move(name);
  combiner_ = std::make_shared<const ir::Combiner>(std::move(combiner));
}

std::vector<Expr> Reducer::operator()(std::vector<Expr> values, const std::vector<IterVar>& axes, const Expr& where,
                                      std::vector<Expr> init) const {
  const std::size_t members = combiner_->identity.size();
  if (values.size() != members) {
    throw UsageError(
        fmt::format("reducer '{}' takes {} values, {} were given", combiner_->name, members, values.size()));
  }
  for (std::size_t m = 0; m < members; ++m) {
    const ir::Type type = combiner_->identity[m].type();
    values[m] = literal_of(type, values[m], fmt::format("value {} of reducer '{}'", m, combiner_->name));
    if (!values[m].defined() || values[m].type() != type) {
      throw UsageError(fmt::format("value {} of reducer '{}' is {}, but {} is expected: cast it", m, combiner_->name,
                                   values[m].defined() ? values[m].type().str() : "undefined", type.str()));
    }
  }
  if (!init.empty() && init.size() != members) {
    throw UsageError(fmt::format("reducer '{}' starts from {} values, but {} were given: give one a member, or none",
                                 combiner_->name, members, init.size()));
  }
  check_where(where);
  for (std::size_t m = 0; m < members && where.defined(); ++m) {
    values[m] = ir::select(where, values[m], combiner_->identity[m]);
  }
  const std::vector<ir::ReduceAxis> checked = checked_axes(axes);
  for (std::size_t m = 0; m < init.size(); ++m) {
    const ir::Type type = combiner_->identity[m].type();
    init[m] = literal_of(type, init[m], fmt::format("init {} of reducer '{}'", m, combiner_->name));
    check_init(init[m], type, axes);
  }
  std::vector<Expr> result;
  for (std::size_t m = 0; m < members; ++m) {
    result.push_back(
        ir::make_reduce({ir::ReducerKind::kCustom, values, checked, combiner_, static_cast<int>(m), init}));
  }
  return result;
}

Expr min_value(ir::Type type) { return ir::reducer_identity(ir::ReducerKind::kMax, type); }
Expr max_value(ir::Type type) { return ir::reducer_identity(ir::ReducerKind::kMin, type); }

}  // namespace nestwright
