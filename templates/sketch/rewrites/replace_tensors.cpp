#include "templates/sketch/rewrites/replace_tensors.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir/traversal/rewrite.h"
#include "nestwright/tensor.h"

namespace nestwright {
namespace {

using Replacements = std::map<Buffer, Tensor>;

/// Replaces axes, and the tensors that are read. Parts that bodies share stay shared, as the members of a tuple must
/// be.
class ReadReplacer final : public ir::Mutator {
 public:
  explicit ReadReplacer(const Replacements& made, ir::Substitution axes = {}) : made_(made), axes_(std::move(axes)) {}
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
      const auto axis = axes_.find(ref->var);
      return axis == axes_.end() ? e : axis->second;
    }
    const auto* const load = e.as<ir::Load>();
    if (load == nullptr) return mutate_children(e);
    std::vector<Expr> indices;
    for (const Expr& index : load->indices) indices.push_back(mutate(index));
    return ir::make_load(made_.at(load->buffer).buffer(), std::move(indices));
  }

  const Replacements& made_;
  ir::Substitution axes_;
  std::map<const ir::ExprNode*, Expr> rewritten_;
};

void add_operation(const Operation& op, std::set<Operation>& seen, std::vector<Operation>& all) {
  if (!seen.insert(op).second) return;
  for (const Operation& input : op->inputs) add_operation(input, seen, all);
  all.push_back(op);
}

/// The operation with the replacements of what it reads, by result.
std::vector<Tensor> computed_anew(const Operation& op, const Replacements& made) {
  const ComputeOp& compute = *op.compute();
  const auto bodies_at = [&](std::span<const Expr> indices) {
    ir::Substitution axes;
    for (std::size_t a = 0; a < indices.size(); ++a) axes.emplace(compute.axes[a].var(), indices[a]);
    ReadReplacer replacer(made, std::move(axes));
    std::vector<Expr> bodies;
    for (const Expr& body : compute.bodies) bodies.push_back(replacer.mutate(body));
    return bodies;
  };
  const std::vector<Expr>& shape = op->results.front()->shape;
  if (op->results.size() > 1) return compute_tuple(shape, bodies_at, op->name);
  return {compute_span(shape, [&](std::span<const Expr> indices) { return bodies_at(indices).front(); }, op->name)};
}

}  // namespace

std::vector<Operation> operations_of(const Definition& definition) {
  std::set<Operation> seen;
  std::vector<Operation> all;
  for (const Tensor& tensor : definition.args) add_operation(tensor.op(), seen, all);
  return all;
}

void replace_tensors(Definition& definition,
                     const std::function<Tensor(const Operation& op, const ReadReplacements& reads)>& replace) {
  Replacements made;
  const auto is_parameter = [&](const Tensor& tensor) {
    return std::find(definition.args.begin(), definition.args.end(), tensor) != definition.args.end();
  };
  for (const Operation& op : operations_of(definition)) {
    const auto is_same = [&](const Operation& input) { return made.at(input->results.front()).op() == input; };
    ReadReplacer replacer(made);
    const ReadReplacements reads = [&](const Expr& e) { return replacer.mutate(e); };
    std::vector<Tensor> results;
    if (!op.is_placeholder()) {
      if (const Tensor replaced = replace(op, reads); replaced.defined()) {
        results = {replaced};
      } else if (!std::all_of(op->inputs.begin(), op->inputs.end(), is_same)) {
        results = computed_anew(op, made);
      }
    }
    for (std::size_t r = 0; r < op->results.size(); ++r) {
      const Tensor before(op, static_cast<int>(r));
      Tensor& now = made[op->results[r]] = results.empty() ? before : results[r];
      if (!(now == before) && is_parameter(before) && results.size() == 1) now = passed_like(now, before);
    }
  }
  for (Tensor& tensor : definition.args) tensor = made.at(tensor.buffer());
}

}  // namespace nestwright
