#include "text_operator/finished_sums.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ir/traversal/rewrite.h"
#include "text/analysis/epilogue.h"

namespace nestwright {
namespace {

std::int64_t extent_of(const Expr& e) { return *ir::as_const_int(e); }

/// Replaces reads of tensors that are computed after the first one by their expressions.
class Substitution : public ir::Mutator {
 public:
  Substitution(const Tensor& result, const std::string& first) : first_(first) { add(result.op()); }
  using ir::Mutator::mutate;
  Expr mutate(const Expr& e) override {
    const auto* const load = e.as<ir::Load>();
    const auto found = load == nullptr ? computed_.end() : computed_.find(load->buffer);
    if (found == computed_.end()) return mutate_children(e);
    const ComputeOp& compute = *found->second.compute();
    ir::Substitution at;
    for (std::size_t a = 0; a < compute.axes.size(); ++a) at[compute.axes[a].var()] = load->indices[a];
    return mutate(ir::substitute(compute.bodies.front(), at));
  }

 private:
  void add(const Operation& op) {
    for (const Operation& input : op->inputs) {
      if (input.is_placeholder() || input->results.front()->name == first_) continue;
      if (computed_.emplace(input->results.front(), input).second) add(input);
    }
  }

  const std::string& first_;
  std::map<Buffer, Operation> computed_;
};

class SumsFinisher : public ir::Mutator {
 public:
  SumsFinisher(const std::vector<Tensor>& args, const std::string& first, const SumsDimensions& dimensions)
      : dimensions_(dimensions), result_(args.back()) {
    body_ = Substitution(result_, first).mutate(result_.op().compute()->bodies.front());
    const std::vector<IterVar>& axes = result_.op().compute()->axes;
    for (std::size_t a = 0; a < axes.size(); ++a) places_[axes[a].var()] = a;
    for (const Tensor& arg : args) {
      if (!arg.op().is_placeholder()) continue;
      const std::optional<std::vector<Part>> layout = layout_of(arg);
      inputs_.push_back({arg, layout ? taken_as(arg, *layout) : arg, layout});
    }
  }

  using ir::Mutator::mutate;
  Expr mutate(const Expr& e) override {
    if (const auto* const ref = e.as<ir::VarRef>()) {
      const auto axis = places_.find(ref->var);
      return axis == places_.end() ? e : axis_values_[axis->second];
    }
    const auto* const load = e.as<ir::Load>();
    if (load == nullptr) return mutate_children(e);
    const auto input = std::ranges::find(inputs_, load->buffer, [](const Input& i) { return i.given.buffer(); });
    if (input == inputs_.end()) return (*sums_)(at_);
    if (!input->layout) return mutate_children(e);
    std::vector<Expr> indices;
    for (const Part& part : *input->layout) {
      indices.push_back(part.is_dimension ? at_[part.place] : axis_values_[part.place]);
    }
    return input->taken.at(std::move(indices));
  }

  Tensor result(const SumsElement& sums) {
    sums_ = &sums;
    std::vector<Expr> shape;
    for (const std::vector<std::size_t>& axes : dimensions_) shape.emplace_back(combinations(axes));
    const Tensor computed = compute(
        shape,
        [&](std::span<const Expr> at) {
          at_.assign(at.begin(), at.end());
          axis_values_ = values_of_axes();
          return mutate(body_);
        },
        result_.name());
    return passed_like(computed, result_);
  }

  /// The tensor that takes the place of `given`.
  Tensor taken(const Tensor& given) const { return std::ranges::find(inputs_, given, &Input::given)->taken; }

 private:
  /// A dimension of an input: one of the sums', or an axis of the result.
  struct Part {
    bool is_dimension;
    std::size_t place;
  };
  struct Input {
    Tensor given, taken;
    std::optional<std::vector<Part>> layout;  ///< of `taken`; nullopt: it is `given`
  };

  std::int64_t axis_extent(std::size_t axis) const { return extent_of(result_.shape()[axis]); }

  std::int64_t combinations(const std::vector<std::size_t>& axes) const {
    std::int64_t count = 1;
    for (const std::size_t axis : axes) count *= axis_extent(axis);
    return count;
  }

  /// The axes that all reads of the input have as its indices, dimensions of extent 1 aside; nullopt where there is
  /// another index, or reads differ.
  std::optional<std::vector<std::size_t>> axes_of(const Tensor& input) const {
    std::optional<std::vector<std::size_t>> axes;
    bool agree = true;
    ir::for_each_expr(body_, [&](const Expr& e) {
      const auto* const load = e.as<ir::Load>();
      if (load == nullptr || load->buffer != input.buffer()) return;
      std::vector<std::size_t> own;
      for (std::size_t d = 0; d < load->indices.size(); ++d) {
        const std::int64_t extent = extent_of(input.shape()[d]);
        if (extent == 1) continue;
        const auto* const ref = load->indices[d].as<ir::VarRef>();
        const auto place = ref == nullptr ? places_.end() : places_.find(ref->var);
        agree = agree && place != places_.end() && axis_extent(place->second) == extent;
        if (agree) own.push_back(place->second);
      }
      agree = agree && (!axes || *axes == own);
      axes = own;
    });
    return agree ? axes : std::nullopt;
  }

  std::optional<std::vector<Part>> layout_of(const Tensor& input) const {
    const std::optional<std::vector<std::size_t>> axes = axes_of(input);
    if (!axes) return std::nullopt;
    std::vector<Part> layout;
    for (auto next = axes->begin(); next != axes->end();) {
      const auto starts_here = [&](const std::vector<std::size_t>& group) {
        return !group.empty() && std::mismatch(group.begin(), group.end(), next, axes->end()).first == group.end();
      };
      const auto dimension = std::ranges::find_if(dimensions_, starts_here);
      if (dimension == dimensions_.end()) {
        layout.push_back({false, *next++});
      } else {
        layout.push_back({true, static_cast<std::size_t>(dimension - dimensions_.begin())});
        next += static_cast<std::ptrdiff_t>(dimension->size());
      }
    }
    return layout;
  }

  /// The input in its layout, passed as the text says.
  Tensor taken_as(const Tensor& given, const std::vector<Part>& layout) const {
    std::vector<std::int64_t> extents;
    for (const Part& part : layout) {
      extents.push_back(part.is_dimension ? combinations(dimensions_[part.place]) : axis_extent(part.place));
    }
    const std::vector<std::int64_t> passed = ir::constants_of(given.shape());
    if (extents == passed) return given;
    return passed_as(placeholder({extents.begin(), extents.end()}, given.dtype(), given.name()), passed);
  }

  std::vector<Expr> values_of_axes() const {
    std::vector<Expr> values(result_.shape().size(), Expr(0));
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      std::int64_t step = combinations(dimensions_[d]);
      for (const std::size_t axis : dimensions_[d]) {
        const bool is_first = axis == dimensions_[d].front();
        step /= axis_extent(axis);
        const Expr quotient = step == 1 ? at_[d] : at_[d] / Expr(step);
        values[axis] = is_first ? quotient : quotient % Expr(axis_extent(axis));
      }
    }
    return values;
  }

  const SumsDimensions& dimensions_;
  Tensor result_;
  Expr body_;
  std::map<ir::Var, std::size_t> places_;  ///< of the result's axes
  std::vector<Input> inputs_;
  const SumsElement* sums_ = nullptr;
  std::vector<Expr> at_, axis_values_;
};

}  // namespace

void finish_sums(std::vector<Tensor>& args, const std::string& first, const SumsDimensions& dimensions,
                 const SumsElement& sums) {
  SumsFinisher finisher(args, first, dimensions);
  const Tensor result = finisher.result(sums);
  for (Tensor& arg : args) arg = arg.op().is_placeholder() ? finisher.taken(arg) : result;
}

SumsDimensions dimensions_in(const Tensor& result, const text::Program& program,
                             const std::vector<std::vector<std::string>>& axes) {
  // The long axes of the first statement are those of the result, in the same order.
  const std::vector<std::string> names = text::long_axes(program.stages.front());
  std::vector<std::size_t> places;
  for (std::size_t d = 0; d < result.shape().size(); ++d) {
    if (extent_of(result.shape()[d]) > 1) places.push_back(d);
  }
  SumsDimensions dimensions;
  for (const std::vector<std::string>& group : axes) {
    std::vector<std::size_t>& dimension = dimensions.emplace_back();
    for (const std::string& name : group) {
      const auto at = std::ranges::find(names, name);
      if (at != names.end()) dimension.push_back(places[static_cast<std::size_t>(at - names.begin())]);
    }
  }
  return dimensions;
}

}  // namespace nestwright
