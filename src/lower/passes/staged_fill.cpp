#include "lower/passes/staged_fill.h"

#include "ir/rewrite.h"
#include "lower/passes/copier.h"

namespace nestwright {
namespace {

using namespace ir;

constexpr std::int64_t kMostStaged = 16;  ///< elements of one store that a thread keeps in registers

class Splitter {
 public:
  /// The statement with loads only, and that with stores only; `fits()` tells whether there are such.
  std::pair<Stmt, Stmt> split(const Stmt& s) {
    if (!s.defined() || !fits_) return {};
    return std::visit([&](const auto& n) { return split(n); }, s.node().value);
  }
  bool fits() const { return fits_; }
  std::vector<Buffer> registers() && { return std::move(registers_); }

 private:
  using Halves = std::pair<Stmt, Stmt>;

  Halves split(const For& loop) {
    const std::int64_t* extent = as_const_int(loop.extent);
    const bool is_plain = loop.kind == LoopKind::kSerial || loop.kind == LoopKind::kUnrolled;
    if (extent == nullptr || (!is_plain && loop.kind != LoopKind::kVectorized)) return refuse();
    loops_.push_back(&loop);
    auto [load, store] = split(loop.body);
    loops_.pop_back();
    if (!fits_) return {};
    // Registers have no addresses.
    const LoopKind kind = is_plain ? LoopKind::kUnrolled : loop.kind;
    return {make_for(loop.var, loop.min, loop.extent, kind, std::move(load)),
            make_for(loop.var, loop.min, loop.extent, kind, std::move(store))};
  }

  Halves split(const Block& sequence) {
    std::vector<Stmt> loads, stores;
    for (const Stmt& s : sequence.stmts) {
      auto [load, store] = split(s);
      loads.push_back(std::move(load));
      stores.push_back(std::move(store));
    }
    return {block(std::move(loads)), block(std::move(stores))};
  }

  Halves split(const Let& let) {
    if (reads(let.value)) return refuse();
    auto [load, store] = split(let.body);
    if (!fits_) return {};
    return {make_let(let.var, let.value, std::move(load)), make_let(let.var, let.value, std::move(store))};
  }

  Halves split(const IfThenElse& branch) {
    if (branch.else_case.defined() || reads(branch.condition)) return refuse();
    auto [load, store] = split(branch.then_case);
    if (!fits_) return {};
    return {make_if(branch.condition, std::move(load)), make_if(branch.condition, std::move(store))};
  }

  Halves split(const Store& store) {
    bool from_global = true;
    for_each_expr(store.value, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      from_global = from_global && (load == nullptr || load->buffer->scope == Scope::kGlobal);
    });
    std::vector<Expr> shape, indices;
    std::int64_t elements = 1;
    for (const For* loop : loops_) {
      shape.push_back(loop->extent);
      indices.push_back(loop->var - loop->min);
      elements *= *as_const_int(loop->extent);
    }
    if (!from_global || store.buffer->scope != Scope::kShared || store.mask.defined() || elements > kMostStaged) {
      return refuse();
    }
    if (shape.empty()) {
      shape.emplace_back(1);
      indices.emplace_back(0);
    }
    registers_.emplace_back(store.buffer->name + ".ahead", store.buffer->element, std::move(shape), Scope::kLocal);
    return {make_store(registers_.back(), indices, store.value),
            make_store(store.buffer, store.indices, make_load(registers_.back(), indices))};
  }

  Halves split(const auto&) { return refuse(); }

  Halves refuse() {
    fits_ = false;
    return {};
  }

  static bool reads(const Expr& e) {
    bool found = false;
    for_each_expr(e, [&](const Expr& part) { found = found || part.as<Load>() != nullptr; });
    return found;
  }

  std::vector<const For*> loops_;
  std::vector<Buffer> registers_;
  bool fits_ = true;
};

}  // namespace

std::optional<StagedFill> stage_in_registers(const ir::Stmt& fill) {
  Splitter splitter;
  auto [load, store] = splitter.split(fill);
  if (!splitter.fits()) return std::nullopt;
  return StagedFill{std::move(splitter).registers(), std::move(load), expansion::Copier({}, true).mutate(store)};
}

}  // namespace nestwright
