#include "lower/nest/staged_fill.h"

#include <set>
#include <utility>

#include "ir/analysis/bounds.h"
#include "ir/core/one_of.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "lower/support/copier.h"
#include "target/description/gpu_target.h"

namespace nestwright {
namespace {

using namespace ir;

constexpr std::int64_t kMaxStaged = 16;  ///< elements of one store that a thread keeps in registers

/// The elements that a store may write during a fill, by bounds of its indices.
struct Footprint {
  Buffer buffer;
  std::vector<Interval> indices;

  bool may_overlap(const Footprint& other) const {
    if (buffer != other.buffer) return false;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (indices[d].hi < other.indices[d].lo || other.indices[d].hi < indices[d].lo) return false;
    }
    return true;
  }
};

class Splitter {
 public:
  explicit Splitter(bool has_async_copy) : has_async_copy_(has_async_copy) {}

  /// The loads of `fill`, and its stores. Valid only if fits().
  std::pair<Stmt, Stmt> split_fill(const Stmt& fill) {
    Halves halves = split(fill);
    std::set<Buffer> mixed = mixed_buffers();
    if (!fits_ || mixed.empty()) return halves;
    *this = Splitter(has_async_copy_);
    without_copies_ = std::move(mixed);
    return split(fill);
  }
  bool fits() const { return fits_; }
  bool has_copies() const { return !copied_.empty(); }
  std::vector<Buffer> registers() && { return std::move(registers_); }

 private:
  using Halves = std::pair<Stmt, Stmt>;

  Halves split(const Stmt& s) {
    if (!s.defined() || !fits_) return {};
    return std::visit([&](const auto& n) { return split(n); }, s.node().value);
  }

  Halves split(const For& loop) {
    const std::int64_t* extent = as_const_int(loop.extent);
    const bool is_plain = loop.kind == LoopKind::kSerial || loop.kind == LoopKind::kUnrolled;
    if (extent == nullptr || (!is_plain && loop.kind != LoopKind::kVectorized)) return refuse();
    loops_.push_back(&loop);
    ranges_.bind(loop.var, loop.min, loop.extent);
    auto [load, store] = split(loop.body);
    loops_.pop_back();
    if (!fits_) return {};
    if (!store.defined()) return {make_for(loop.var, loop.min, loop.extent, loop.kind, std::move(load)), Stmt()};
    // Registers cannot be indexed by a loop variable.
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
    if (reads_memory(let.value)) return refuse();
    auto [load, store] = split(let.body);
    if (!fits_) return {};
    if (store.defined()) store = make_let(let.var, let.value, std::move(store));
    return {make_let(let.var, let.value, std::move(load)), std::move(store)};
  }

  Halves split(const IfThenElse& branch) {
    if (branch.else_case.defined() || reads_memory(branch.condition)) return refuse();
    auto [load, store] = split(branch.then_case);
    if (!fits_) return {};
    if (store.defined()) store = make_if(branch.condition, std::move(store));
    return {make_if(branch.condition, std::move(load)), std::move(store)};
  }

  Halves split(const Store& store) {
    if (is_async_copy(store)) {
      copied_.push_back(footprint(store));
      return {make_store(store.buffer, store.indices, store.value), Stmt()};
    }
    const bool is_from_global = !any_expr(store.value, [](const Expr& e) {
      const auto* load = e.as<Load>();
      return load != nullptr && load->buffer->scope != Scope::kGlobal;
    });
    std::vector<Expr> shape, indices;
    std::int64_t elements = 1;
    for (const For* loop : loops_) {
      shape.push_back(loop->extent);
      indices.push_back(loop->var - loop->min);
      elements *= *as_const_int(loop->extent);
    }
    if (!is_from_global || store.buffer->scope != Scope::kShared || store.mask.defined() || elements > kMaxStaged) {
      return refuse();
    }
    if (shape.empty()) {
      shape.emplace_back(1);
      indices.emplace_back(0);
    }
    staged_.push_back(footprint(store));
    registers_.emplace_back(store.buffer->name + ".ahead", store.buffer->element, std::move(shape), Scope::kLocal);
    return {make_store(registers_.back(), indices, store.value),
            make_store(store.buffer, store.indices, make_load(registers_.back(), indices))};
  }

  Halves split(const OneOf<Allocate, Prefetch, CommitCopies, Barrier, Launch, TensorInstruction> auto&) {
    return refuse();
  }

  /// Whether the device can do the store as an asynchronous copy, which is contiguous on both sides.
  bool is_async_copy(const Store& store) const {
    const auto* load = store.value.as<Load>();
    if (!has_async_copy_ || load == nullptr || store.mask.defined() || store.buffer->scope != Scope::kShared ||
        load->buffer->scope != Scope::kGlobal || without_copies_.contains(store.buffer)) {
      return false;
    }
    std::int64_t lanes = 1;
    for (const For* loop : loops_) {
      if (loop->kind != LoopKind::kVectorized) continue;
      lanes = *as_const_int(loop->extent);
      if (!runs_along(loop->var, store.buffer, store.indices) || !runs_along(loop->var, load->buffer, load->indices)) {
        return false;
      }
    }
    return is_asynchronous_copy(lanes * store.buffer->element.bytes());
  }

  /// Whether consecutive iterations access consecutive elements.
  static bool runs_along(const Var& var, const Buffer& buffer, const std::vector<Expr>& indices) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Linear index = to_linear(indices[d]);
      if (index.is_nonlinear_in(var) || index.coefficient(var) != (d + 1 == indices.size() ? 1 : 0)) return false;
    }
    return is_const_int(buffer->stride(buffer->rank() - 1), 1);
  }

  Footprint footprint(const Store& store) const {
    Footprint result{store.buffer, {}};
    for (const Expr& index : store.indices) result.indices.push_back(interval_bounds(index, ranges_));
    return result;
  }

  /// The buffers of which an element may be written both from registers and by an asynchronous copy. The split halves
  /// would write the element from registers last, but the fill of a partial tile writes zeros first.
  std::set<Buffer> mixed_buffers() const {
    std::set<Buffer> result;
    for (const Footprint& staged : staged_) {
      for (const Footprint& copied : copied_) {
        if (staged.may_overlap(copied)) result.insert(staged.buffer);
      }
    }
    return result;
  }

  Halves refuse() {
    fits_ = false;
    return {};
  }

  bool has_async_copy_;
  std::set<Buffer> without_copies_;  ///< buffers that are filled from registers only
  std::vector<const For*> loops_;
  Ranges ranges_;  ///< of the variables of loops
  std::vector<Footprint> staged_, copied_;
  std::vector<Buffer> registers_;
  bool fits_ = true;
};

}  // namespace

std::optional<StagedFill> stage_in_registers(const ir::Stmt& fill, bool has_async_copy) {
  Splitter splitter(has_async_copy);
  auto [load, store] = splitter.split_fill(fill);
  if (!splitter.fits() || !store.defined()) return std::nullopt;
  return StagedFill{std::move(splitter).registers(), std::move(load), Copier({}, true).mutate(store)};
}

bool has_copies(const ir::Stmt& fill, bool has_async_copy) {
  Splitter splitter(has_async_copy);
  splitter.split_fill(fill);
  return splitter.fits() && splitter.has_copies();
}

}  // namespace nestwright
