#include "templates/sketch/rewrites/merge_axes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/tensor.h"

namespace nestwright {
namespace {

bool has_constant_shape(const Tensor& tensor) {
  return std::all_of(tensor.shape().begin(), tensor.shape().end(),
                     [](const Expr& extent) { return ir::as_const_int(extent) != nullptr; });
}

/// The axes of an operation, the spatial ones first, and which of them become one with the next.
struct OperationAxes {
  Operation op;
  std::vector<IterVar> axes;
  std::size_t spatial = 0;
  std::vector<bool> is_merged;  ///< of each axis: with the next one; of a placeholder: each dimension
  std::vector<Expr> bodies;     ///< as UnitAxisRemover makes them

  std::int64_t extent(std::size_t axis) const {
    return *ir::as_const_int(axes.empty() ? op->results.front()->shape[axis] : axes[axis].extent());
  }
  /// The axis that the index is; -1 if it is not an axis alone.
  int axis_of(const Expr& index) const {
    const ir::Linear linear = ir::to_linear(index);
    if (linear.terms.size() != 1 || linear.constant != 0 || linear.terms.front().coefficient != 1) return -1;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (ir::is_var(linear.terms.front().atom, axes[a].var())) return static_cast<int>(a);
    }
    return -1;
  }
};

/// Replaces axes of extent 1 by their only value. A spatial one that is an index by itself stays: it may be merged with
/// its neighbours, and rules see that a reader has the rows of what it reads.
class UnitAxisRemover final : public ir::Mutator {
 public:
  explicit UnitAxisRemover(const OperationAxes& op) {
    for (std::size_t a = 0; a < op.axes.size(); ++a) {
      const IterVar& axis = op.axes[a];
      if (!ir::is_const_int(axis.extent(), 1)) continue;
      points_.emplace(axis.var(), axis.min());
      if (a < op.spatial) spatial_.insert(axis.var());
    }
  }
  using Mutator::mutate;

  Expr mutate(const Expr& e) override {
    if (points_.empty() || !e.defined()) return e;
    if (const auto* ref = e.as<ir::VarRef>()) {
      const auto point = points_.find(ref->var);
      return point == points_.end() ? e : point->second;
    }
    const auto* const load = e.as<ir::Load>();
    if (load == nullptr) return mutate_children(e);
    std::vector<Expr> indices;
    for (const Expr& index : load->indices) {
      const auto* const ref = index.as<ir::VarRef>();
      indices.push_back(ref != nullptr && spatial_.contains(ref->var) ? index : mutate(index));
    }
    return ir::make_load(load->buffer, std::move(indices));
  }

 private:
  ir::Substitution points_;
  std::set<Var> spatial_;
};

/// Whether axes of the operation may be merged at all.
bool may_merge(const Operation& op) { return op->results.size() == 1 && op->results.front()->strides.empty(); }

OperationAxes axes_of(const Operation& op) {
  OperationAxes result{op, {}, op->results.front()->shape.size(), {}, {}};
  if (const ComputeOp* const compute = op.compute()) {
    result.axes = compute->axes;
    result.axes.insert(result.axes.end(), compute->reduce_axes.begin(), compute->reduce_axes.end());
    UnitAxisRemover remover(result);
    for (const Expr& body : compute->bodies) result.bodies.push_back(may_merge(op) ? remover.mutate(body) : body);
  }
  const std::size_t count = std::max(result.axes.size(), result.spatial);
  for (std::size_t a = 0; a < count; ++a) {
    const bool is_last = a + 1 == count || a + 1 == result.spatial;
    const auto starts_at_0 = [&](std::size_t axis) {
      return result.axes.empty() || ir::is_const_int(result.axes[axis].min(), 0);
    };
    result.is_merged.push_back(!is_last && may_merge(op) && starts_at_0(a) && starts_at_0(a + 1));
  }
  return result;
}

/// The first dimension or axis of each group of merged ones.
std::vector<std::size_t> starts_of(const std::vector<bool>& is_merged, std::size_t from, std::size_t to) {
  std::vector<std::size_t> starts;
  for (std::size_t a = from; a < to; ++a) {
    if (a == from || !is_merged[a - 1]) starts.push_back(a);
  }
  return starts;
}

/// Rewrites the bodies of one operation. Parts that bodies share stay shared, as the members of a tuple must be.
class BodyRewriter final : public ir::Mutator {
 public:
  using StartsOf = std::function<std::vector<std::size_t>(const Buffer&)>;

  /// `axes`: what replaces the first axis of each group. `reduce_axes`: those of the new reduction. `starts`: for a
  /// tensor that is read, the first dimension of each group of merged ones. `made`: what replaces each tensor that is
  /// read.
  BodyRewriter(ir::Substitution axes, std::vector<ir::ReduceAxis> reduce_axes, StartsOf starts,
               const std::map<Buffer, Tensor>& made)
      : axes_(std::move(axes)), reduce_axes_(std::move(reduce_axes)), starts_(std::move(starts)), made_(made) {}
  using Mutator::mutate;

  Expr mutate(const Expr& e) override {
    if (!e.defined()) return e;
    const auto known = rewritten_.find(&e.node());
    if (known != rewritten_.end()) return known->second;
    return rewritten_[&e.node()] = rewrite(e);
  }

 private:
  Expr rewrite(const Expr& e) {
    if (const auto* ref = e.as<ir::VarRef>()) {
      const auto found = axes_.find(ref->var);
      return found == axes_.end() ? e : found->second;
    }
    if (const auto* load = e.as<ir::Load>()) {
      std::vector<Expr> indices;
      for (const std::size_t d : starts_(load->buffer)) indices.push_back(mutate(load->indices[d]));
      return made_.at(load->buffer).at(std::move(indices));
    }
    if (const auto* reduce = e.as<ir::Reduce>()) {
      ir::Reduce changed = *reduce;
      for (Expr& value : changed.values) value = mutate(value);
      for (Expr& init : changed.init) init = mutate(init);
      changed.axes = reduce_axes_;
      return ir::make_reduce(std::move(changed));
    }
    return mutate_children(e);
  }

  ir::Substitution axes_;
  std::vector<ir::ReduceAxis> reduce_axes_;
  StartsOf starts_;
  const std::map<Buffer, Tensor>& made_;
  std::map<const ir::ExprNode*, Expr> rewritten_;
};

class AxisMerger {
 public:
  explicit AxisMerger(Definition& definition) : definition_(definition) {}

  void run() {
    for (const Tensor& tensor : definition_.args) {
      if (!collect(tensor.op())) return;
    }
    while (restrict_all()) {
    }
    const bool merges = std::any_of(operations_.begin(), operations_.end(), [](const OperationAxes& o) {
      return std::find(o.is_merged.begin(), o.is_merged.end(), true) != o.is_merged.end();
    });
    if (!merges) return;
    for (const OperationAxes& each : operations_) rebuild(each);
    for (Tensor& tensor : definition_.args) tensor = made_.at(tensor.buffer());
  }

 private:
  /// Adds an operation after those that it reads. False: the definition stays as it is.
  bool collect(const Operation& op) {
    if (number_.contains(op->results.front())) return true;
    std::int64_t terms = 1;  // of a reduction
    const auto is_constant = [&](const IterVar& axis) {
      const std::int64_t* const extent = ir::as_const_int(axis.extent());
      return extent != nullptr && ir::as_const_int(axis.min()) != nullptr &&
             !__builtin_mul_overflow(terms, *extent, &terms);
    };
    if (op.scan() != nullptr || !has_constant_shape(Tensor(op))) return false;
    if (const ComputeOp* const compute = op.compute()) {
      if (!std::all_of(compute->reduce_axes.begin(), compute->reduce_axes.end(), is_constant)) return false;
    }
    if (!std::all_of(op->inputs.begin(), op->inputs.end(), [&](const Operation& input) { return collect(input); }))
      return false;
    for (const Buffer& result : op->results) number_[result] = operations_.size();
    operations_.push_back(axes_of(op));
    return true;
  }

  OperationAxes& producer_of(const Buffer& buffer) { return operations_[number_.at(buffer)]; }

  /// Takes back what an operation does not allow, readers first, since they restrict what they read. Returns whether
  /// anything changed.
  bool restrict_all() {
    bool changed = false;
    for (auto each = operations_.rbegin(); each != operations_.rend(); ++each) {
      changed |= restrict_dimensions(*each);
      changed |= restrict_axes(*each);
    }
    return changed;
  }

  /// Dimensions are merged only if each read of them is by two axes that are merged.
  bool restrict_dimensions(const OperationAxes& reader) {
    bool changed = false;
    for_each_load(reader, [&](const ir::Load& load, OperationAxes& read) {
      for (std::size_t d = 0; d + 1 < load.indices.size(); ++d) {
        if (!read.is_merged[d]) continue;
        const int axis = reader.axis_of(load.indices[d]);
        if (axis >= 0 && reader.is_merged[static_cast<std::size_t>(axis)] &&
            reader.axis_of(load.indices[d + 1]) == axis + 1 &&
            reader.extent(static_cast<std::size_t>(axis) + 1) == read.extent(d + 1))
          continue;
        read.is_merged[d] = false;
        changed = true;
      }
    });
    return changed;
  }

  /// Axes are merged only if they occur nowhere but in reads of merged dimensions.
  bool restrict_axes(OperationAxes& reader) {
    std::vector<int> occurrences(reader.axes.size()), merged(reader.axes.size());
    for (const Expr& body : reader.bodies) {
      ir::for_each_expr(body, [&](const Expr& part) {
        for (std::size_t a = 0; a < reader.axes.size(); ++a) occurrences[a] += ir::is_var(part, reader.axes[a].var());
      });
    }
    for_each_load(reader, [&](const ir::Load& load, const OperationAxes& read) {
      for (std::size_t d = 0; d + 1 < load.indices.size(); ++d) {
        if (read.is_merged[d]) ++merged[static_cast<std::size_t>(reader.axis_of(load.indices[d]))];
      }
    });
    bool changed = false;
    for (std::size_t a = 0; a + 1 < reader.axes.size(); ++a) {
      // Each such read counts once for this axis, and the next dimension of it once for the next axis.
      if (!reader.is_merged[a] || (occurrences[a] == merged[a] && occurrences[a + 1] == merged[a])) continue;
      reader.is_merged[a] = false;
      changed = true;
    }
    return changed;
  }

  template <class F>
  void for_each_load(const OperationAxes& reader, const F& visit) {
    for (const Expr& body : reader.bodies) {
      ir::for_each_expr(body, [&](const Expr& part) {
        if (const auto* load = part.as<ir::Load>()) visit(*load, producer_of(load->buffer));
      });
    }
  }

  /// Whether an operation stays as it is.
  bool is_kept(const OperationAxes& old) const {
    return std::find(old.is_merged.begin(), old.is_merged.end(), true) == old.is_merged.end() &&
           std::all_of(old.op->inputs.begin(), old.op->inputs.end(),
                       [&](const Operation& input) { return made_.at(input->results.front()).op() == input; });
  }

  /// The product of the extents of the axes of a group.
  static std::int64_t group_extent(const OperationAxes& old, std::size_t start) {
    std::int64_t extent = old.extent(start);
    for (std::size_t a = start; old.is_merged[a]; ++a) extent *= old.extent(a + 1);
    return extent;
  }

  /// Makes the replacement of an operation. Requires the replacements of all that it reads.
  void rebuild(const OperationAxes& old) {
    const std::vector<Buffer>& results = old.op->results;
    if (is_kept(old)) {
      for (std::size_t r = 0; r < results.size(); ++r) made_[results[r]] = Tensor(old.op, static_cast<int>(r));
      return;
    }
    std::vector<Expr> shape;
    for (const std::size_t d : starts_of(old.is_merged, 0, old.spatial)) shape.emplace_back(group_extent(old, d));
    const Buffer& first = results.front();
    if (old.op.is_placeholder()) {
      made_[first] = as_passed(placeholder(shape, first->element, first->name), old);
    } else if (results.size() == 1) {
      made_[first] = as_passed(compute_span(
                                   shape, [&](std::span<const Expr> indices) { return rewrite(old, indices).front(); },
                                   old.op->name, first->strides),
                               old);
    } else {
      const std::vector<Tensor> tuple =
          compute_tuple(shape, [&](std::span<const Expr> indices) { return rewrite(old, indices); }, old.op->name);
      for (std::size_t r = 0; r < results.size(); ++r) made_[results[r]] = tuple[r];
    }
  }

  /// A parameter is passed as it was before.
  Tensor as_passed(const Tensor& made, const OperationAxes& old) const {
    const Tensor before(old.op);
    const auto& args = definition_.args;
    return std::find(args.begin(), args.end(), before) == args.end() ? made : passed_like(made, before);
  }

  /// The bodies for new indices.
  std::vector<Expr> rewrite(const OperationAxes& old, std::span<const Expr> indices) const {
    ir::Substitution axes;
    for (std::size_t next = 0; const std::size_t a : starts_of(old.is_merged, 0, old.spatial))
      axes.emplace(old.axes[a].var(), indices[next++]);
    std::vector<ir::ReduceAxis> reduced;
    for (const std::size_t a : starts_of(old.is_merged, old.spatial, old.axes.size())) {
      const IterVar& axis = old.axes[a];
      if (!old.is_merged[a]) {
        reduced.push_back({axis.var(), axis.min(), axis.extent(), axis.may_be_part()});
        continue;
      }
      const IterVar merged = reduce_axis(Expr(group_extent(old, a)), axis.name());
      axes.emplace(axis.var(), merged);
      reduced.push_back({merged.var(), merged.min(), merged.extent(), axis.may_be_part()});
    }
    const auto starts = [&](const Buffer& read) {
      const OperationAxes& producer = operations_[number_.at(read)];
      return starts_of(producer.is_merged, 0, producer.spatial);
    };
    BodyRewriter rewriter(std::move(axes), std::move(reduced), starts, made_);
    std::vector<Expr> bodies;
    for (const Expr& body : old.bodies) bodies.push_back(rewriter.mutate(body));
    return bodies;
  }

  Definition& definition_;
  std::vector<OperationAxes> operations_;  ///< producers before consumers
  std::map<Buffer, std::size_t> number_;   ///< in `operations_`
  std::map<Buffer, Tensor> made_;          ///< in place of each result
};

}  // namespace

void merge_axes(Definition& definition) { AxisMerger(definition).run(); }

}  // namespace nestwright
