#include "expression/check_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ir/simplify/inequality.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nestwright {
namespace {

using ir::Interval;

/// A witness search tries both ends of this many variables; further variables stay at their first value.
constexpr std::size_t kMaxVariables = 6;

class ReadCheck : public ir::Visitor {
 public:
  using Visitor::visit;
  ReadCheck(const std::string& tensor, std::span<const IterVar> axes, std::span<const IterVar> reduce_axes)
      : tensor_(tensor), axes_(axes.begin(), axes.end()), reduce_axes_(reduce_axes) {
    axes_.insert(axes_.end(), reduce_axes.begin(), reduce_axes.end());
    for (const IterVar& axis : axes_) {
      bind_symbols(axis.extent());
      ranges_.bind(axis.var(), axis.min(), axis.extent());
    }
  }

  void visit(const Expr& e) override {
    if (const auto* choice = e.as<ir::Select>(); choice != nullptr && choice->condition.type().is_scalar()) {
      visit(choice->condition);
      visit_under(choice->if_true, choice->condition);
      visit_under(choice->if_false, !choice->condition);
      return;
    }
    const auto* both = e.as<ir::Binary>();
    if (both != nullptr && (both->op == ir::BinaryOp::kAnd || both->op == ir::BinaryOp::kOr)) {
      visit(both->a);
      visit_under(both->b, both->op == ir::BinaryOp::kAnd ? both->a : !both->a);
      return;
    }
    visit_children(e);
    const auto* load = e.as<ir::Load>();
    if (load == nullptr) return;
    for (const Expr& extent : load->buffer->shape) bind_symbols(extent);
    for (std::size_t d = 0; d < load->indices.size(); ++d) {
      bind_symbols(load->indices[d]);
      check_index(load->buffer, d, load->indices[d]);
      note_whole_axis(load->buffer, d, load->indices[d]);
    }
  }

  std::vector<ir::Requirement> take_requirements() { return std::move(requirements_); }

 private:
  void bind_symbols(const Expr& e) {
    if (ir::as_const_int(e) != nullptr) return;
    ir::for_each_expr(e, [&](const Expr& part) {
      const auto* ref = part.as<ir::VarRef>();
      if (ref != nullptr && ref->var.type() == ir::Type{kIndex} && !is_axis(ref->var) && ranges_.find(ref->var).lo < 1)
        ranges_.bind(ref->var, {1, Interval::kMax});
    });
  }

  bool is_axis(const Var& var) const {
    return std::any_of(axes_.begin(), axes_.end(), [&](const IterVar& axis) { return axis.var() == var; });
  }

  void visit_under(const Expr& e, const Expr& condition) {
    const ir::Ranges outside = ranges_;
    ranges_.assume(condition);
    conditions_.push_back(condition);
    visit(e);
    conditions_.pop_back();
    ranges_ = outside;
  }

  void check_index(const ir::Buffer& read, std::size_t dimension, const Expr& index) {
    const Expr& extent = read->shape[dimension];
    const Interval range = ir::bounds(index, ranges_);
    const std::int64_t* constant = ir::as_const_int(extent);
    if (constant != nullptr && range.lo >= 0 && range.hi < *constant) return;
    if (is_witnessed(index,
                     [&](const Expr& at) { return ir::prove(at < 0, ranges_) || ir::prove(at >= extent, ranges_); }))
      refuse(read, dimension, index, range);
    if (conditions_.empty() && is_affine(index)) require(read, dimension, index, range);
  }

  /// Whether the index is a sum of multiples of axes and of loop-invariant terms.
  bool is_affine(const Expr& index) const {
    for (const ir::LinearTerm& term : ir::to_linear(index).terms) {
      if (term.atom.as<ir::VarRef>() != nullptr) continue;
      const bool varies = ir::any_expr(term.atom, [&](const Expr& part) {
        const auto* ref = part.as<ir::VarRef>();
        return part.as<ir::Load>() != nullptr || (ref != nullptr && is_axis(ref->var));
      });
      if (varies) return false;
    }
    return true;
  }

  void require(const ir::Buffer& read, std::size_t dimension, const Expr& index, Interval range) {
    const Expr least = extreme(index, false), most = extreme(index, true);
    for (const Expr& slack : {least, ir::simplify(read->shape[dimension] - 1 - most, ranges_)}) {
      if (!ir::non_negative(slack, ranges_)) requirements_.push_back({slack, outside(read, dimension, index, range)});
    }
  }

  /// Whether some reachable iteration provably evaluates `index` to a value that is `bad`. Tries the corners of the
  /// domain of the variables that occur in the index and its conditions.
  template <class Bad>
  bool is_witnessed(const Expr& index, const Bad& bad) const {
    std::vector<const IterVar*> variables;
    const auto gather = [&](const Expr& e) {
      ir::for_each_expr(e, [&](const Expr& part) {
        const auto* ref = part.as<ir::VarRef>();
        if (ref == nullptr) return;
        const auto axis =
            std::find_if(axes_.begin(), axes_.end(), [&](const IterVar& a) { return a.var() == ref->var; });
        if (axis != axes_.end() && std::find(variables.begin(), variables.end(), &*axis) == variables.end())
          variables.push_back(&*axis);
      });
    };
    gather(index);
    for (const Expr& condition : conditions_) gather(condition);
    const std::size_t tried = std::min(variables.size(), kMaxVariables);
    for (std::size_t corner = 0; corner < std::size_t{1} << tried; ++corner) {
      ir::Substitution at;
      for (std::size_t v = 0; v < variables.size(); ++v) {
        const bool last = v < tried && (corner >> v & 1) != 0;
        at.emplace(variables[v]->var(), end_of(*variables[v], last));
      }
      const bool reached = std::all_of(conditions_.begin(), conditions_.end(), [&](const Expr& condition) {
        return ir::prove(ir::substitute(condition, at), ranges_);
      });
      if (reached && bad(ir::simplify(ir::substitute(index, at), ranges_))) return true;
    }
    return false;
  }

  Expr end_of(const IterVar& axis, bool last) const {
    const Interval known = ranges_.find(axis.var());
    const Expr end = last ? axis.min() + axis.extent() - 1 : axis.min();
    if (ir::as_const_int(end) == nullptr) return end;
    return last ? known.hi : known.lo;
  }

  [[noreturn]] void refuse(const ir::Buffer& read, std::size_t dimension, const Expr& index, Interval range) const {
    throw UsageError(outside(read, dimension, index, range) + ": correct the index, or select what lies inside");
  }

  std::string outside(const ir::Buffer& read, std::size_t dimension, const Expr& index, Interval range) const {
    std::string runs;
    if (range.bounded()) {
      runs = fmt::format("{}..{}", range.lo, range.hi);
    } else {
      const Expr first = extreme(index, false), last = extreme(index, true);
      runs = fmt::format("{}..{}", ir::to_string(first), ir::to_string(last));
    }
    return fmt::format(
        "tensor '{}' reads '{}' out of bounds: index {} is {}, which runs over {}, but dimension {} has extent {}",
        tensor_, read->name, dimension, ir::to_string(index), runs, dimension, ir::to_string(read->shape[dimension]));
  }

  /// The index with every axis at the end of its domain that minimises or maximises an affine index.
  Expr extreme(const Expr& index, bool greatest) const {
    const ir::Linear sum = ir::to_linear(index);
    ir::Substitution at;
    for (const IterVar& axis : axes_)
      at.emplace(axis.var(), end_of(axis, (sum.coefficient(axis.var()) >= 0) == greatest));
    return ir::simplify(ir::substitute(index, at), ranges_);
  }

  void note_whole_axis(const ir::Buffer& read, std::size_t dimension, const Expr& index) {
    const auto* ref = index.as<ir::VarRef>();
    const std::int64_t* extent = ir::as_const_int(read->shape[dimension]);
    if (ref == nullptr || extent == nullptr) return;
    for (const IterVar& axis : reduce_axes_) {
      const std::int64_t* length = ir::as_const_int(axis.extent());
      if (!(axis.var() == ref->var) || length == nullptr || axis.may_be_part()) continue;
      // What a condition guards, as padding does, may be read in part.
      if (!conditions_.empty()) continue;
      uses_.push_back({axis, read, dimension, *extent == *length});
      for (const Use& use : uses_) {
        if (!(use.axis == axis) || use.is_whole == (*extent == *length)) continue;
        const Use &whole = use.is_whole ? use : uses_.back(), &part = use.is_whole ? uses_.back() : use;
        throw UsageError(fmt::format(
            "tensor '{}' reduces over '{}', which is all of dimension {} of '{}', {}, but only a part of dimension {} "
            "of '{}', {}: give both one extent, or write reduce_axis(0, {}, \"{}\") if the part is meant",
            tensor_, axis.name(), whole.dimension, whole.read->name, *length, part.dimension, part.read->name,
            ir::to_string(part.read->shape[part.dimension]), *length, axis.name()));
      }
    }
  }

  struct Use {
    IterVar axis;
    ir::Buffer read;
    std::size_t dimension;
    bool is_whole;
  };

  const std::string& tensor_;
  std::vector<IterVar> axes_;
  std::span<const IterVar> reduce_axes_;
  ir::Ranges ranges_;
  std::vector<Expr> conditions_;  ///< of the enclosing selects
  std::vector<Use> uses_;
  std::vector<ir::Requirement> requirements_;
};

}  // namespace

std::vector<ir::Requirement> check_reads(const std::string& tensor, std::span<const IterVar> axes,
                                         std::span<const IterVar> reduce_axes, const Expr& body) {
  ReadCheck check(tensor, axes, reduce_axes);
  check.visit(body);
  return check.take_requirements();
}

}  // namespace nestwright
