#include "cost_model/value_dependencies.h"

#include "ir/traversal/rewrite.h"

namespace nestwright {

using namespace ir;  // NOLINT(google-build-using-namespace): this file is about the IR

ValueDependencies::ValueDependencies(const Program& program) {
  for (const Kernel& kernel : program.kernels) {
    for_each_stmt(kernel.body, [this](const Stmt& s) {
      if (const auto* let = s.as<Let>()) lets_[let->var] = let->value;
      if (const auto* store = s.as<Store>()) {
        std::vector<Expr>& stored = stores_[store->buffer];
        stored.push_back(store->value);
        stored.insert(stored.end(), store->indices.begin(), store->indices.end());
      }
    });
  }
}

std::set<Var> ValueDependencies::of(const Expr& e) const {
  std::set<Var> vars;
  std::set<Buffer> buffers;
  collect(e, vars, buffers);
  return vars;
}

void ValueDependencies::collect(const Expr& e, std::set<Var>& vars, std::set<Buffer>& buffers) const {
  for_each_expr(e, [&](const Expr& each) {
    if (const auto* ref = each.as<VarRef>(); ref != nullptr && vars.insert(ref->var).second) {
      if (const auto let = lets_.find(ref->var); let != lets_.end()) collect(let->second, vars, buffers);
    }
    const auto* load = each.as<Load>();
    if (load == nullptr || !buffers.insert(load->buffer).second) return;
    const auto stored = stores_.find(load->buffer);
    if (stored == stores_.end()) return;
    for (const Expr& value : stored->second) collect(value, vars, buffers);
  });
}

}  // namespace nestwright
