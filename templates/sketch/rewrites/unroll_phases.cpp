#include "templates/sketch/rewrites/unroll_phases.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "expression/body_size.h"
#include "expression/check_reads.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "templates/sketch/rewrites/packed_bytes.h"
#include "templates/sketch/rewrites/replace_tensors.h"
#include "templates/sketch/rewrites/strided_reads.h"

namespace nestwright {
namespace {

constexpr std::int64_t kMaxPhases = 8;         ///< numbers in a byte
constexpr std::int64_t kMaxOperations = 2000;  ///< in the body that has the terms of all phases
constexpr int kMaxReads = 16;                  ///< of each element that a stage of its own unpacks

/// (index / step) % count
struct Phase {
  std::int64_t step = 1, count = 1;
  std::int64_t end() const { return step * count; }
};

std::int64_t constant_extent(const IterVar& axis) {
  const std::int64_t* const extent = ir::as_const_int(axis.extent());
  return extent != nullptr && ir::is_const_int(axis.min(), 0) ? *extent : 0;
}

/// Finds the phases of an index that choose data. Those in addresses alone do not count: what they read is affine in an
/// axis of their own.
class PhaseSearch final : public ir::Visitor {
 public:
  PhaseSearch(Var index, std::int64_t extent) : index_(std::move(index)), extent_(extent) {}
  using Visitor::visit;

  void visit(const Expr& e) override {
    if (!e.defined()) return;
    if (const auto* load = e.as<ir::Load>()) {
      for (const Expr& at : load->indices) {
        if (ir::reads_data(at)) visit(at);
      }
      return;
    }
    if (const std::optional<Phase> phase = phase_of(e)) {
      if (phase->count > 1 && phase->count <= kMaxPhases) found_.push_back(*phase);
      return;
    }
    visit_children(e);
  }

  /// The phases, joined where each follows on another one; the innermost ones of them.
  std::optional<Phase> innermost() {
    std::sort(found_.begin(), found_.end(), [](const Phase& a, const Phase& b) { return a.step < b.step; });
    std::optional<Phase> joined;
    for (const Phase& next : found_) {
      if (!joined) {
        joined = next;
        continue;
      }
      if (next.step > joined->end() || next.step % joined->step != 0) continue;
      const std::int64_t end = std::max(joined->end(), next.end());
      const bool nests = end % joined->end() == 0 && end % next.end() == 0 && joined->end() % next.step == 0;
      if (nests && end / joined->step <= kMaxPhases) joined->count = end / joined->step;
    }
    if (joined && extent_ % joined->end() != 0) return std::nullopt;
    return joined;
  }

 private:
  std::optional<Phase> phase_of(const Expr& e) const {
    const auto* const division = e.as<ir::Binary>();
    if (division == nullptr || (division->op != ir::BinaryOp::kMod && division->op != ir::BinaryOp::kDiv)) return {};
    const std::int64_t* const divisor = ir::as_const_int(division->b);
    if (divisor == nullptr || *divisor <= 0 || !ir::mentions(division->a, index_)) return {};
    if (division->op == ir::BinaryOp::kDiv) {
      if (!ir::is_var(division->a, index_)) return {};
      return Phase{*divisor, (extent_ + *divisor - 1) / *divisor};
    }
    const ir::Linear dividend = ir::to_linear(division->a);
    if (dividend.terms.size() != 1) return {};
    const ir::LinearTerm& term = dividend.terms.front();
    Phase phase{1, *divisor / std::gcd(*divisor, term.coefficient)};
    if (ir::is_var(term.atom, index_)) return phase;
    const auto* const quotient = term.atom.as<ir::Binary>();
    if (quotient == nullptr || quotient->op != ir::BinaryOp::kDiv || !ir::is_var(quotient->a, index_)) return {};
    const std::int64_t* const step = ir::as_const_int(quotient->b);
    if (step == nullptr || *step <= 0) return {};
    phase.step = *step;
    return phase;
  }

  Var index_;
  std::int64_t extent_;
  std::vector<Phase> found_;
};

/// The values of a reduction, whose axes may be replaced.
struct PackedReduction {
  ir::ReducerKind reducer;
  std::vector<IterVar> axes, reduce_axes;
  Expr value;
  double max_reads = static_cast<double>(kMaxReads);  ///< numbers that more results share are unpacked by a stage

  ir::Ranges ranges() const {
    ir::Ranges ranges;
    for (const std::vector<IterVar>* all : {&axes, &reduce_axes}) {
      for (const IterVar& axis : *all) ranges.bind(axis.var(), {0, constant_extent(axis) - 1});
    }
    return ranges;
  }

  std::optional<Phase> innermost_phase(std::size_t axis, const Expr& of) const {
    PhaseSearch search(reduce_axes[axis].var(), constant_extent(reduce_axes[axis]));
    search.visit(of);
    return search.innermost();
  }

  /// Whether an axis of the reduction has phases in `part`, a part of the value.
  bool has_phases(const Expr& part) const {
    for (std::size_t a = 0; a < reduce_axes.size(); ++a) {
      if (innermost_phase(a, part)) return true;
    }
    return false;
  }

  /// Unrolls the innermost phases of some axis. False: there are none.
  bool unroll_once() {
    for (std::size_t a = 0; a < reduce_axes.size(); ++a) {
      const std::optional<Phase> phase = innermost_phase(a, value);
      if (phase && phase->count * body_operations({value}) <= kMaxOperations) {
        unroll(a, *phase);
        return true;
      }
    }
    return false;
  }

 private:
  void unroll(std::size_t a, const Phase& phase) {
    const IterVar axis = reduce_axes[a];
    const std::int64_t blocks = constant_extent(axis) / phase.end();
    std::vector<IterVar> divided;
    Expr index = 0;
    if (blocks > 1 || phase.step == 1) {
      divided.push_back(reduce_axis(Expr(blocks), axis.name()));
      index = Expr(divided.back()) * phase.end();
    }
    if (phase.step > 1) {
      divided.push_back(reduce_axis(Expr(phase.step), axis.name() + ".in"));
      index = index + Expr(divided.back());
    }
    reduce_axes.erase(reduce_axes.begin() + static_cast<std::ptrdiff_t>(a));
    reduce_axes.insert(reduce_axes.begin() + static_cast<std::ptrdiff_t>(a), divided.begin(), divided.end());
    const ir::Ranges known = ranges();
    Expr all;
    for (std::int64_t p = 0; p < phase.count; ++p) {
      const Expr term = ir::simplify(ir::substitute(value, {{axis.var(), index + Expr(p * phase.step)}}), known);
      all = all.defined() ? ir::reducer_combine(reducer, all, term) : term;
    }
    value = all;
  }
};

/// The reduction of a single value by an operator; nullopt for any other operation.
std::optional<PackedReduction> reduction_of(const Operation& op) {
  const ComputeOp* const compute = op.compute();
  if (compute == nullptr || compute->reduction() == nullptr || op->results.size() != 1) return std::nullopt;
  const ir::Reduce& reduce = *compute->reduction();
  if (reduce.reducer == ir::ReducerKind::kCustom || !reduce.init.empty()) return std::nullopt;
  PackedReduction result{reduce.reducer, compute->axes, compute->reduce_axes, reduce.values.front()};
  for (const std::vector<IterVar>* axes : {&result.axes, &result.reduce_axes}) {
    for (const IterVar& axis : *axes) {
      if (constant_extent(axis) == 0) return std::nullopt;
    }
  }
  result.value = ir::simplify(result.value, result.ranges());
  return result;
}

std::int64_t points_of(const std::vector<IterVar>& axes) {
  return std::accumulate(axes.begin(), axes.end(), std::int64_t{1},
                         [](std::int64_t points, const IterVar& axis) { return points * constant_extent(axis); });
}

double terms_of(const PackedReduction& sums) {
  return static_cast<double>(points_of(sums.axes)) * static_cast<double>(points_of(sums.reduce_axes));
}

/// Finds the largest parts of a value that unpack numbers which several results share.
class SharedParts final : public ir::Mutator {
 public:
  /// What replaces a part, which depends on `axes`: spatial ones, then those of the reduction.
  using Replace = std::function<Expr(const Expr& part, const std::vector<IterVar>& axes)>;

  SharedParts(const PackedReduction& sums, Replace replace) : sums_(sums), replace_(std::move(replace)) {}
  using Mutator::mutate;

  Expr mutate(const Expr& e) override {
    if (!e.defined()) return e;
    if (!e.type().is_bool() && ir::reads_memory(e) && sums_.has_phases(e)) {
      std::vector<IterVar> axes;
      for (const std::vector<IterVar>* all : {&sums_.axes, &sums_.reduce_axes}) {
        for (const IterVar& axis : *all) {
          if (ir::mentions(e, axis.var())) axes.push_back(axis);
        }
      }
      if (static_cast<double>(points_of(axes)) < terms_of(sums_)) return replace_(e, axes);
    }
    return e.as<ir::Load>() == nullptr ? mutate_children(e) : e;
  }

 private:
  const PackedReduction& sums_;
  Replace replace_;
};

/// The numbers of results that share the parts.
std::vector<double> sharing_results(const PackedReduction& sums) {
  std::vector<double> found;
  SharedParts(sums, [&](const Expr& part, const std::vector<IterVar>& axes) {
    found.push_back(terms_of(sums) / static_cast<double>(points_of(axes)));
    return part;
  }).mutate(sums.value);
  return found;
}

/// Puts the bodies of stages that unpack numbers in the place of reads of them.
class Unpacker final : public ir::Mutator {
 public:
  Unpacker(const Definition& definition, const UnpacksAgain& unpacks_again)
      : definition_(definition), unpacks_again_(unpacks_again) {
    for (const Operation& op : operations_of(definition)) {
      for (const Operation& input : op->inputs) ++readers_[input];
      for (const Buffer& result : op->results) producers_[result] = op;
    }
  }

  Expr unpacked(const PackedReduction& sums) {
    sums_ = &sums;
    ir::for_each_expr(sums.value, [&](const Expr& e) {
      if (const auto* load = e.as<ir::Load>()) ++loads_[load->buffer];
    });
    return mutate(sums.value);
  }
  using Mutator::mutate;

  Expr mutate(const Expr& e) override {
    if (!e.defined()) return e;
    const auto* const load = e.as<ir::Load>();
    if (load == nullptr || !is_stage(load->buffer)) return mutate_children(e);
    const Operation& stage = producers_.at(load->buffer);
    ir::Substitution at;
    for (std::size_t d = 0; d < load->indices.size(); ++d) {
      at.emplace(stage.compute()->axes[d].var(), load->indices[d]);
    }
    const Expr body = ir::simplify(mutate(ir::substitute(stage.compute()->bodies.front(), at)), sums_->ranges());
    return sums_->has_phases(body) && is_worth_it(stage, load->buffer) ? body : e;
  }

 private:
  /// Whether the tensor is computed for one reader alone, without a reduction.
  bool is_stage(const Buffer& buffer) const {
    const Operation& op = producers_.at(buffer);
    if (op.is_placeholder() || op.compute()->reduction() != nullptr || op->results.size() > 1) return false;
    const auto& args = definition_.args;
    return readers_.at(op) == 1 && std::find(args.begin(), args.end(), Tensor(op)) == args.end();
  }

  bool is_worth_it(const Operation& stage, const Buffer& buffer) {
    const auto loads = loads_.find(buffer);
    const double reads = terms_of(*sums_) * (loads == loads_.end() ? 1 : loads->second);
    const auto points = static_cast<double>(points_of(stage.compute()->axes));
    return reads <= points || (reads <= kMaxReads * points && unpacks_again_(stage->name, reads / points));
  }

  const Definition& definition_;
  const UnpacksAgain& unpacks_again_;
  std::map<Operation, int> readers_;  ///< the number of operations that read each
  std::map<Buffer, Operation> producers_;
  const PackedReduction* sums_ = nullptr;
  std::map<Buffer, int> loads_;  ///< in the value of the sums
};

/// The value with wider bytes, without factors that all terms have, and with reads of copies, which are appended. In
/// narrow floats a factor stays, as a sum without it may overflow.
Expr cheaper_form(const PackedReduction& sums, std::vector<Tensor>& copies) {
  const Expr wider = widen_bytes(sums.value);
  const bool is_float_sum =
      sums.reducer == ir::ReducerKind::kSum && wider.type().is_float() && !wider.type().is_narrow_float();
  const bool has_bytes = !ir::equal(wider, sums.value);
  return read_by_phases(is_float_sum && has_bytes ? take_out_factors(wider) : wider, sums.reduce_axes, terms_of(sums),
                        copies);
}

/// The sums with the bodies of stages that unpack numbers; nullopt if they have neither phases nor a cheaper form.
std::optional<PackedReduction> packed_sums(const Operation& op, const Definition& definition,
                                           const UnpacksAgain& unpacks_again) {
  std::optional<PackedReduction> sums = reduction_of(op);
  if (!sums) return std::nullopt;
  double most = 0;  // of the reads that are a choice
  bool stores = false;
  for (const double sharing : sharing_results(*sums)) {
    stores = stores || sharing > kMaxReads;
    if (sharing <= kMaxReads) most = std::max(most, sharing);
  }
  if (most > 0 && !unpacks_again(op->name, most)) {
    sums->max_reads = 1;
    stores = true;
  }
  sums->value = Unpacker(definition, unpacks_again).unpacked(*sums);
  PackedReduction unrolled = *sums;
  if (stores || unrolled.unroll_once()) return sums;
  std::vector<Tensor> copies;
  return ir::equal(cheaper_form(*sums, copies), sums->value) ? std::nullopt : sums;
}

/// A stage that computes `part` for all values of the axes.
Tensor stage_of(const Expr& part, const std::vector<IterVar>& axes, const std::string& name) {
  std::vector<Expr> shape;
  for (const IterVar& axis : axes) shape.emplace_back(constant_extent(axis));
  const auto body = [&](std::span<const Expr> indices) {
    ir::Substitution values;
    for (std::size_t a = 0; a < indices.size(); ++a) values.emplace(axes[a].var(), indices[a]);
    return ir::substitute(part, values);
  };
  return compute_span(shape, body, name);
}

/// Whether no axis of the reduction alone reads all of one dimension and a part of another, which is refused.
bool may_be_scheduled(const Tensor& sums) {
  const ComputeOp& compute = *sums.op().compute();
  try {
    for (const Expr& value : compute.values()) check_reads(sums.name(), compute.axes, compute.reduce_axes, value);
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

/// Whether all tensors have constant shapes and no strides, and none is a scan.
bool is_plain(const Operation& op) {
  return op.scan() == nullptr && std::all_of(op->results.begin(), op->results.end(), [](const Buffer& result) {
           return result->strides.empty() &&
                  std::all_of(result->shape.begin(), result->shape.end(),
                              [](const Expr& extent) { return ir::as_const_int(extent) != nullptr; });
         });
}

}  // namespace

void unroll_phases(Definition& definition, const UnpacksAgain& unpacks_again) {
  const std::vector<Operation> all = operations_of(definition);
  if (!std::all_of(all.begin(), all.end(), is_plain)) return;
  std::map<Operation, PackedReduction> packed;
  for (const Operation& op : all) {
    if (std::optional<PackedReduction> sums = packed_sums(op, definition, unpacks_again))
      packed.emplace(op, *std::move(sums));
  }
  if (packed.empty()) return;
  replace_tensors(definition, [&](const Operation& op, const ReadReplacements& reads) {
    const auto found = packed.find(op);
    if (found == packed.end()) return Tensor();
    PackedReduction sums = found->second;
    sums.value = reads(sums.value);
    const double terms = terms_of(sums);
    std::vector<Tensor> stages;  // a read does not keep a tensor
    const auto stored = [&](const Expr& part, const std::vector<IterVar>& axes) {
      if (terms <= sums.max_reads * static_cast<double>(points_of(axes))) return part;
      stages.push_back(stage_of(part, axes, op->name + ".unpacked"));
      return stages.back().at({axes.begin(), axes.end()});
    };
    sums.value = SharedParts(sums, stored).mutate(sums.value);
    while (sums.unroll_once()) {
    }
    sums.value = cheaper_form(sums, stages);
    const auto body = [&](std::span<const Expr> indices) {
      ir::Substitution axes;
      for (std::size_t a = 0; a < indices.size(); ++a) axes.emplace(sums.axes[a].var(), indices[a]);
      return reduce(sums.reducer, ir::substitute(sums.value, axes), sums.reduce_axes);
    };
    const Tensor made = compute_span(op->results.front()->shape, body, op->name);
    return may_be_scheduled(made) ? made : Tensor();
  });
}

}  // namespace nestwright
