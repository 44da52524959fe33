#include "ir/verify/fragments.h"

#include <algorithm>

#include "ir/gpu/divergence.h"
#include "ir/gpu/fragment_layout.h"
#include "ir/traversal/quote.h"
#include "ir/traversal/rewrite.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {
namespace {

static_assert(kWarpX * kWarpY == kWarp);

bool is_fragment(const Buffer& buffer) { return buffer->scope == Scope::kFragment; }

class Checker final : public Visitor {
 public:
  using Visitor::visit;

  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    if (const auto* loop = s.as<For>()) return warp_.within(*loop, [&] { visit(loop->body); });
    if (const auto* choice = s.as<IfThenElse>()) {
      return warp_.within(*choice, [&] {
        visit(choice->then_case);
        visit(choice->else_case);
      });
    }
    if (const auto* let = s.as<Let>()) warp_.define(*let);
    if (const auto* store = s.as<Store>(); store != nullptr && is_fragment(store->buffer)) check_store(*store, s);
    if (const auto* allocation = s.as<Allocate>(); allocation != nullptr && is_fragment(allocation->buffer)) {
      if (warp_.threads(0) != kWarpX || warp_.threads(1) != kWarpY) {
        report("fragment buffer " + allocation->buffer->name +
               " is allocated where there is no warp: bind a loop of 8 to threadIdx.y and one of 4 to threadIdx.x "
               "around it");
      }
    }
    visit_children(s);
  }

  std::vector<std::string> violations;

 private:
  void report(std::string what) { violations.push_back(std::move(what)); }

  void check_store(const Store& store, const Stmt& s) {
    const bool place =
        std::any_of(store.indices.begin(), store.indices.end(), [&](const Expr& e) { return warp_.is_divergent(e); });
    if (!place && !warp_.is_divergent(store.value) && !warp_.is_divergent(store.mask) &&
        warp_.innermost_divergence().empty())
      return;
    report("fragment buffer " + store.buffer->name + " is stored to in " + quote(s) +
           ", which differs between the threads of a warp: compute it for all of them, outside of what depends on "
           "threadIdx.x and threadIdx.y");
  }

  DivergenceAnalysis warp_;
};

}  // namespace

std::vector<std::string> check_fragments(const Program& program) {
  Checker checker;
  for (const Kernel& kernel : program.kernels) {
    if (has_fragments(kernel.body)) checker.visit(kernel.body);
  }
  return std::move(checker.violations);
}

}  // namespace nestwright::ir
