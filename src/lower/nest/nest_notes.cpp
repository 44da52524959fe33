#include "lower/nest/nest_notes.h"

#include <algorithm>

#include "ir/traversal/rewrite.h"

namespace nestwright {
namespace {

using ir::Stmt;
using Rewrite = std::function<Stmt(const Stmt&, const LoopPragma&)>;

class LoopRewriter final : public ir::Mutator {
 public:
  LoopRewriter(const std::vector<LoopPragma>& pragmas, PragmaKind kind, const Rewrite& rewrite)
      : pragmas_(pragmas), kind_(kind), rewrite_(rewrite) {}
  using Mutator::mutate;
  ir::Expr mutate(const ir::Expr& e) override { return e; }
  Stmt mutate(const Stmt& s) override {
    const auto* loop = s.defined() ? s.as<ir::For>() : nullptr;
    Stmt result = mutate_children(s);
    if (loop == nullptr) return result;
    for (const LoopPragma& pragma : pragmas_) {
      if (pragma.kind == kind_ && pragma.loop == loop->var) result = rewrite_(result, pragma);
    }
    return result;
  }

 private:
  const std::vector<LoopPragma>& pragmas_;
  PragmaKind kind_;
  const Rewrite& rewrite_;
};

}  // namespace

ir::Program on_pragmas(ir::Program program, const std::vector<NestNotes>& notes, PragmaKind kind,
                       const Rewrite& rewrite) {
  for (std::size_t k = 0; k < notes.size(); ++k) {
    const std::vector<LoopPragma>& pragmas = notes[k].pragmas;
    if (std::none_of(pragmas.begin(), pragmas.end(), [&](const LoopPragma& p) { return p.kind == kind; })) continue;
    ir::Stmt& body = program.kernels[k].body;
    body = LoopRewriter(pragmas, kind, rewrite).mutate(body);
  }
  return program;
}

}  // namespace nestwright
