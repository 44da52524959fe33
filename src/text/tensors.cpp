#include "text/tensors.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <tuple>

#include "ir/simplify/simplify.h"
#include "nestwright/error.h"
#include "text/analysis/interval.h"
#include "text/analysis/phases.h"
#include "text/syntax/functions.h"

namespace nestwright::text {
namespace {

std::vector<Expr> extents_of(const TensorInfo& tensor) {
  std::vector<Expr> shape;
  for (const std::int64_t extent : tensor.shape) shape.emplace_back(extent);
  return shape;
}

using Ranges = std::vector<std::optional<ir::Interval>>;

/// The larger value; of equal ones the first. The identity has the last index, so that it yields to any element but
/// NaN.
Reducer argmax_reducer(ir::Type type, std::int64_t extent) {
  return {"argmax", {Expr(extent - 1), min_value(type)}, [type](std::span<const Expr> a, std::span<const Expr> b) {
            Expr takes_a = a[1] > b[1] || (a[1] == b[1] && a[0] < b[0]);
            if (type.is_float()) takes_a = takes_a || b[1] != b[1];
            return std::vector<Expr>{select(takes_a, a[0], b[0]), select(takes_a, a[1], b[1])};
          }};
}

class TensorMaker {
 public:
  TensorMaker(const Program& program, TensorForm form) : program_(program), form_(form) {}

  Signature run() {
    for (const TensorInfo& tensor : program_.tensors) {
      if (tensor.is_input) tensors_[tensor.name] = placeholder(extents_of(tensor), tensor.type, tensor.name);
    }
    for (const Stage& stage : program_.stages) {
      tensors_[program_.tensors[stage.tensor].name] = make(stage);
    }
    Signature signature;
    for (const std::size_t t : program_.parameters()) {
      signature.args.push_back(tensors_.at(program_.tensors[t].name));
      if (program_.tensors[t].is_input) ++signature.inputs;
    }
    return signature;
  }

 private:
  Tensor make(const Stage& stage) {
    if (stage.reduction == ReductionKind::kArgmax) return make_argmax(stage);
    const std::optional<PhasedSums> phased =
        form_ == TensorForm::kFast ? find_phases(stage) : std::optional<PhasedSums>();
    if (phased && reads_are_inside(*phased)) return make_phased(stage, *phased);
    return make_plain(stage, program_.tensors[stage.tensor].name);
  }

  /// Whether reads without padding are seen to be inside of their tensors where the conditions that phases decide no
  /// longer guard them.
  bool reads_are_inside(const PhasedSums& phased) {
    bool are_inside = true;
    for (const PhasedPart& part : phased.parts) {
      if (!part.sums) continue;
      stage_ = &*part.sums;
      for_each_access(stage_->body, [&](const Access& access, const Term&, bool guarded) {
        if (guarded || access.padding) return;
        const Ranges ranges = ranges_of(access);
        const std::vector<std::int64_t>& shape = program_.find_tensor(access.tensor)->shape;
        for (std::size_t d = 0; d < shape.size(); ++d) {
          are_inside = are_inside && ranges[d] && ranges[d]->lo >= 0 && ranges[d]->hi < shape[d];
        }
      });
    }
    return are_inside;
  }

  /// Sets the values of the stage's indices, and returns its reduce axes.
  std::vector<IterVar> bind(const Stage& stage, std::span<const Expr> indices) {
    stage_ = &stage;
    indices_.clear();
    for (std::size_t a = 0; a < stage.axes.size(); ++a) indices_[stage.axes[a].name] = indices[a];
    std::vector<IterVar> reduced;
    for (const Axis& axis : stage.reduce_axes) {
      reduced.push_back(axis.is_part ? reduce_axis(0, Expr(axis.extent), axis.name)
                                     : reduce_axis(Expr(axis.extent), axis.name));
      indices_[axis.name] = reduced.back();
    }
    return reduced;
  }

  Tensor make_plain(const Stage& stage, const std::string& name) {
    std::vector<Expr> extents;
    for (const Axis& axis : stage.axes) extents.emplace_back(axis.extent);
    return compute(
        extents,
        [&](std::span<const Expr> indices) {
          const std::vector<IterVar> reduced = bind(stage, indices);
          return combine(stage, typed(stage.body, program_.tensors[stage.tensor].type), reduced);
        },
        name);
  }

  /// The sums of phases are tensors of their own, from which the elements of the result are taken.
  Tensor make_phased(const Stage& stage, const PhasedSums& phased) {
    const TensorInfo& result = program_.tensors[stage.tensor];
    std::vector<std::optional<Tensor>> sums;
    note_ranges(phased);
    for (const PhasedPart& part : phased.parts) {
      const std::string number = phased.parts.size() == 1 ? "" : std::to_string(sums.size());
      sums.emplace_back();
      if (part.sums) sums.back() = make_plain(*part.sums, result.name + ".phases" + number);
    }
    ranges_.clear();
    return compute(
        extents_of(result),
        [&](std::span<const Expr> indices) {
          const Expr zero = ir::make_const(0, result.type);
          std::size_t next = 0;
          Expr value = choose_part(phased, indices, 0, next, [&](std::size_t part) {
            return sums[part] ? sums[part]->at(indices_of(phased, phased.parts[part], indices)) : zero;
          });
          for (const PhasedIndex& index : phased.indices) {
            if (index.step == 1) continue;
            value = select(indices[index.axis] % Expr(index.step) == Expr(index.first), value, zero);
          }
          return value;
        },
        result.name);
  }

  /// A read has the same range in all parts, so that they share its padded copy.
  void note_ranges(const PhasedSums& phased) {
    for (const PhasedPart& part : phased.parts) {
      if (!part.sums) continue;
      stage_ = &*part.sums;
      for_each_access(stage_->body, [&](const Access& access, const Term& term, bool) {
        const Ranges own = ranges_of(access);
        Ranges& all = ranges_.emplace(term.at, own).first->second;
        for (std::size_t d = 0; d < own.size(); ++d) {
          if (!own[d] || !all[d]) {
            all[d].reset();
          } else {
            all[d] = {std::min(all[d]->lo, own[d]->lo), std::max(all[d]->hi, own[d]->hi)};
          }
        }
      });
    }
  }

  static Expr phase_of(const PhasedIndex& index, std::span<const Expr> indices) {
    const Expr remainder = indices[index.axis] % Expr(index.modulus);
    const Expr k = index.step == 1 ? remainder : remainder / Expr(index.step);
    const bool is_same = index.factor == 1 && index.constant == 0;
    return is_same ? k : (k * Expr(index.factor) + Expr(index.constant)) % Expr(index.phases);
  }

  static std::vector<Expr> indices_of(const PhasedSums& phased, const PhasedPart& part, std::span<const Expr> indices) {
    std::vector<Expr> at;
    std::vector<std::vector<Expr>> of_axes;  // a quotient may be followed by its phase
    for (const Expr& index : indices) of_axes.push_back({index});
    for (std::size_t i = 0; i < phased.indices.size(); ++i) {
      const PhasedIndex& index = phased.indices[i];
      std::vector<Expr>& of_axis = of_axes[index.axis];
      of_axis.front() = indices[index.axis] / Expr(index.modulus);
      if (part.ranges[i].count == 1) continue;
      const Expr phase = phase_of(index, indices);
      (index.has_inner_phases() ? of_axis : at)
          .push_back(part.ranges[i].low == 0 ? phase : phase - Expr(part.ranges[i].low));
    }
    for (const std::vector<Expr>& of_axis : of_axes) at.insert(at.end(), of_axis.begin(), of_axis.end());
    return at;
  }

  /// The element of the part that the phases of the indices from `index` on choose, of the parts from `next` on that
  /// agree in the ranges of the indices before; `next` is then the first part after them. Conditions are nested, so
  /// that each read is guarded by a comparison of each phase.
  static Expr choose_part(const PhasedSums& phased, std::span<const Expr> indices, std::size_t index, std::size_t& next,
                          const std::function<Expr(std::size_t part)>& element) {
    if (index == phased.indices.size()) return element(next++);
    const PhaseRange range = phased.parts[next].ranges[index];
    const Expr inside = choose_part(phased, indices, index + 1, next, element);
    const std::int64_t end = range.low + range.count;
    if (end == phased.indices[index].phases) return inside;
    const Expr behind = choose_part(phased, indices, index, next, element);
    return select(phase_of(phased.indices[index], indices) < Expr(end), inside, behind);
  }

  static Expr combine(const Stage& stage, Expr value, const std::vector<IterVar>& reduced) {
    if (!stage.reduction) return value;
    switch (*stage.reduction) {
      case ReductionKind::kSum:
        return sum(std::move(value), reduced);
      case ReductionKind::kProd:
        return prod(std::move(value), reduced);
      case ReductionKind::kMin:
        return min(std::move(value), reduced);
      case ReductionKind::kMax:
        return max(std::move(value), reduced);
      case ReductionKind::kAny:
        return any(std::move(value), reduced);
      case ReductionKind::kAll:
        return all(std::move(value), reduced);
      case ReductionKind::kArgmax:
        break;
    }
    throw InternalError("argmax is a reduction of pairs");
  }

  /// The pairs are a tensor of their own, because an output is one tensor.
  Tensor make_argmax(const Stage& stage) {
    const TensorInfo& result = program_.tensors[stage.tensor];
    const std::int64_t extent = stage.reduce_axes.front().extent;
    const std::vector<Tensor> best = compute_tuple(
        extents_of(result),
        [&](std::span<const Expr> indices) {
          const std::vector<IterVar> reduced = bind(stage, indices);
          const Expr value = expr(stage.body);
          return argmax_reducer(value.type(), extent)({reduced.front(), value}, reduced);
        },
        result.name + ".best");
    return compute(
        extents_of(result), [&](std::span<const Expr> indices) { return best.front()(indices); }, result.name);
  }

  /// A body that is a literal alone has the type of the tensor.
  Expr typed(const Term& body, ir::Type type) {
    const Expr value = expr(body);
    return value.type() == type ? value : cast(type, value);
  }

  std::vector<Expr> exprs(const std::vector<Term>& terms) {
    std::vector<Expr> list;
    for (const Term& term : terms) list.push_back(expr(term));
    return list;
  }

  Expr expr(const Term& term) {
    return std::visit(
        ir::overloaded{
            [](const Integer& n) { return Expr(n.value); },
            [](const Real& n) { return Expr(n.value); },
            [&](const IndexValue& n) { return indices_.at(n.name); },
            [&](const Access& n) { return read(n, term.at); },
            [&](const Negation& n) { return -expr(n.operand[0]); },
            [&](const Complement& n) { return !expr(n.operand[0]); },
            [&](const BinaryTerm& n) { return ir::apply(n.op, expr(n.operands[0]), expr(n.operands[1])); },
            [&](const FunctionCall& n) { return call(n); },
        },
        term.value);
  }

  Expr call(const FunctionCall& function) {
    const std::optional<ir::Type> type = find_type(function.name);
    if (type && type->is_float()) {
      const auto* number = std::get_if<Real>(&function.arguments[0].value);
      if (number != nullptr) return ir::make_float(number->value, *type);
    }
    const std::vector<Expr> arguments = exprs(function.arguments);
    if (type) return cast(*type, arguments[0]);
    return find_function(function.name)->build(arguments);
  }

  /// Returns the interval of each index.
  Ranges ranges_of(const Access& access) const {
    Ranges ranges;
    for (const Term& index : access.indices) ranges.push_back(interval_of(index, leaves()));
    return ranges;
  }

  /// `at`: the place in the text.
  Expr read(const Access& access, std::size_t at) {
    std::vector<Expr> indices = exprs(access.indices);
    const Tensor& tensor = tensors_.at(access.tensor);
    if (!access.padding) {
      clamp_data(access, indices);
      return tensor.at(affine(std::move(indices)));
    }
    const std::vector<std::int64_t>& shape = program_.find_tensor(access.tensor)->shape;
    const auto known = ranges_.find(at);
    const Ranges ranges = known != ranges_.end() ? known->second : ranges_of(access);
    if (form_ == TensorForm::kFast && stage_->reduction && is_worth_padding(ranges, shape)) {
      for (std::size_t d = 0; d < indices.size(); ++d) {
        // The type of the index itself may not hold the constant.
        if (ranges[d]->lo != 0) indices[d] = cast(kIndex, indices[d]) + Expr(-ranges[d]->lo);
      }
      return padded(access, ranges, shape).at(affine(std::move(indices)));
    }
    return or_padding(access, indices, ranges, shape);
  }

  /// Rewrites indices that contain a phase, such as (2*y + p + 2*r)/2, as sums, y + r + p/2; others stay as they are.
  std::vector<Expr> affine(std::vector<Expr> indices) const {
    if (ranges_.empty()) return indices;
    ir::Ranges ranges;
    for (const auto& [name, value] : indices_) {
      if (const auto* var = value.as<ir::VarRef>()) ranges.bind(var->var, {0, stage_->find_axis(name)->extent - 1});
    }
    for (Expr& index : indices) {
      const Expr sum = ir::simplify(index, ranges);
      // A part of a dimension that an axis of the reduction alone reads would look like a mistake.
      const auto is_sum = [&](const Axis& axis) { return sum.same_as(indices_.at(axis.name)); };
      if (std::none_of(stage_->reduce_axes.begin(), stage_->reduce_axes.end(), is_sum)) index = sum;
    }
    return indices;
  }

  /// The element at `indices`, whose values are in `ranges`, or the padding where they are outside of the tensor.
  Expr or_padding(const Access& access, const std::vector<Expr>& indices, const Ranges& ranges,
                  const std::vector<std::int64_t>& shape) {
    const Tensor& tensor = tensors_.at(access.tensor);
    const Expr value = tensor.at(indices);
    Expr is_inside;
    const auto require = [&](const Expr& condition) {
      is_inside = is_inside.defined() ? is_inside && condition : condition;
    };
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Expr index = cast(kIndex, indices[d]);  // the type of the index itself may not hold the extent
      if (!ranges[d] || ranges[d]->lo < 0) require(index >= 0);
      if (!ranges[d] || ranges[d]->hi >= shape[d]) require(index < Expr(shape[d]));
    }
    return is_inside.defined() ? select(is_inside, value, ir::make_const(*access.padding, tensor.dtype())) : value;
  }

  /// Whether a reduction reads a padded copy, whose elements need no condition in its innermost loop. The copy has the
  /// elements from the least to the largest index, which must not be far more than there are.
  static bool is_worth_padding(const Ranges& ranges, const std::vector<std::int64_t>& shape) {
    constexpr double kMaxGrowth = 4;
    double growth = 1;
    bool is_outside = false;
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      if (!ranges[d]) return false;
      growth *= static_cast<double>(ranges[d]->hi - ranges[d]->lo + 1) / static_cast<double>(shape[d]);
      is_outside = is_outside || ranges[d]->lo < 0 || ranges[d]->hi >= shape[d];
    }
    return is_outside && growth <= kMaxGrowth;
  }

  /// The padded copy, a tensor of its own. Reads of the same ranges share it.
  Tensor padded(const Access& access, const Ranges& ranges, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> lows, extents;
    for (const std::optional<ir::Interval>& range : ranges) {
      lows.push_back(range->lo);
      extents.push_back(range->hi - range->lo + 1);
    }
    Tensor& copy = padded_[{access.tensor, std::bit_cast<std::uint64_t>(*access.padding), lows, extents}];
    if (copy.defined()) return copy;
    const std::vector<Expr> all(extents.begin(), extents.end());
    copy = compute(
        all,
        [&](std::span<const Expr> at) {
          std::vector<Expr> indices;
          for (std::size_t d = 0; d < at.size(); ++d) indices.push_back(lows[d] == 0 ? at[d] : at[d] + Expr(lows[d]));
          return or_padding(access, indices, ranges, shape);
        },
        access.tensor + ".padded");
    return copy;
  }

  /// Clamps indices that may be outside although the text was checked: elements of tensors, since a caller need not
  /// keep to their declared range, and conversions of floating-point numbers.
  void clamp_data(const Access& access, std::vector<Expr>& indices) const {
    const std::vector<std::int64_t>& shape = program_.find_tensor(access.tensor)->shape;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      bool is_data = converts_float(access.indices[d], leaves());
      for_each_access(access.indices[d], [&](const Access&, const Term&, bool) { is_data = true; });
      if (!is_data) continue;
      const std::optional<ir::Interval> values = interval_of(access.indices[d], leaves());
      if (values && values->lo >= 0 && values->hi < shape[d]) continue;
      indices[d] = clamp(cast(kIndex, indices[d]), Expr(0), Expr(shape[d] - 1));
    }
  }

  Leaves leaves() const {
    return {[this](const std::string& name) { return std::optional(stage_->find_axis(name)->extent); },
            [](const Access&) { return std::optional<ir::Interval>(); },
            [this](const Access& access) { return program_.find_tensor(access.tensor)->type; }};
  }

  const Program& program_;
  TensorForm form_;
  std::map<std::string, Tensor, std::less<>> tensors_;
  /// By the tensor, the bits of the padding (0.0 and -0.0 differ), the least indices and the extents.
  std::map<std::tuple<std::string, std::uint64_t, std::vector<std::int64_t>, std::vector<std::int64_t>>, Tensor>
      padded_;
  const Stage* stage_ = nullptr;
  std::map<std::size_t, Ranges> ranges_;  ///< of the reads in sums by phases, by their places in the text
  std::map<std::string, Expr, std::less<>> indices_;
};

}  // namespace

Signature make_tensors(const Program& program, TensorForm form) { return TensorMaker(program, form).run(); }

}  // namespace nestwright::text
