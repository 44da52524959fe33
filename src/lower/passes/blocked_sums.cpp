// Blocked summation: a long sum in a register buffer becomes partial sums of a few hundred terms that are added up,
// since the rounding error of one chain of additions grows with its length (Higham, Accuracy and Stability of
// Numerical Algorithms, 4.2). Libraries of matrix products divide the reduction in the same way.
//
//   for k in 0..4096:            for k.block in 0..8:
//     T[0] = T[0] + A[k]           register T.partial
//                          ->      T.partial[0] = 0
//                                  for k in k.block*512..k.block*512 + 512:
//                                    T.partial[0] = T.partial[0] + A[k]
//                                  T[0] = T[0] + T.partial[0]
//
// Runs where the indices of register buffers are constant. Sums of integers or float64 and sums in memory stay as they
// are.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "lower/support/constant_index.h"
#include "nestwright/program.h"

namespace nestwright::passes {
namespace {

using namespace ir;

constexpr std::int64_t kTerms = 512;             ///< of a partial sum, at most
constexpr std::int64_t kUndivided = 2 * kTerms;  ///< terms of a sum that is not divided
/// The same for a buffer that is filled from memory, where the sum of earlier terms lies.
constexpr std::int64_t kUndividedPart = 64;

bool is_sum_type(Type type) { return type.is_float() && type.bits <= 32; }

bool same(const Expr& a, const Expr& b) { return a.defined() == b.defined() && (!a.defined() || equal(a, b)); }

bool reads(const Expr& e, const Buffer& buffer) {
  return any_expr(e, [&](const Expr& part) {
    const auto* load = part.as<Load>();
    return load != nullptr && load->buffer == buffer;
  });
}

/// The term of a store `T[i] = T[i] + term` or `T[i] = T[i] - term`; undefined for any other store.
Expr term_of(const Store& store) {
  const auto* sum = store.value.as<Binary>();
  if (sum == nullptr || (sum->op != BinaryOp::kAdd && sum->op != BinaryOp::kSub)) return {};
  const auto is_old_value = [&](const Expr& e) {
    const auto* load = e.as<Load>();
    return load != nullptr && load->buffer == store.buffer && same(load->mask, store.mask) &&
           std::ranges::equal(load->indices, store.indices, same);
  };
  Expr term;
  if (is_old_value(sum->a)) {
    term = sum->b;
  } else if (sum->op == BinaryOp::kAdd && is_old_value(sum->b)) {
    term = sum->a;
  }
  return term.defined() && !reads(term, store.buffer) ? term : Expr();
}

/// The elements that the lanes of an access belong to, by their position in the buffer; nothing if they are not
/// constant.
std::optional<std::vector<std::int64_t>> elements_of(const Store& store) {
  std::vector<std::int64_t> elements(static_cast<std::size_t>(store.value.lanes()), 0);
  for (std::size_t d = 0; d < store.indices.size(); ++d) {
    const std::int64_t* extent = as_const_int(store.buffer->shape[d]);
    const std::optional<ConstantIndex> index = constant_index(store.indices[d]);
    if (extent == nullptr || !index) return std::nullopt;
    std::int64_t at = index->base;
    for (std::int64_t& element : elements) {
      element = element * *extent + at;
      at += index->stride;
    }
  }
  return elements;
}

/// A vector of a register buffer to which a statement adds terms.
struct Sum {
  Store store;  ///< the first one to it
  std::vector<std::int64_t> elements;
  std::int64_t terms = 0;
};

/// What a statement does with a register buffer.
struct Use {
  std::vector<Sum> sums;
  bool is_other = false;  ///< something else than adding terms
};

/// Finds how a statement uses the register buffers that are allocated outside of it.
class UseFinder final : public Visitor {
 public:
  using Visitor::visit;

  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    if (const auto* loop = s.as<For>()) {
      inner_.insert(loop->var);
      const std::int64_t* extent = as_const_int(loop->extent);
      const std::int64_t outside = times_;
      if (extent != nullptr) times_ *= *extent;
      visit_children(s);
      times_ = outside;
      return;
    }
    if (const auto* let = s.as<Let>()) inner_.insert(let->var);
    if (const auto* store = s.as<Store>(); store != nullptr && store->buffer->scope == Scope::kRegister) {
      if (note_sum(*store)) return visit(term_of(*store));
      uses_[store->buffer].is_other = true;
    }
    visit_children(s);
    if (const auto* allocate = s.as<Allocate>()) uses_.erase(allocate->buffer);
  }

  void visit(const Expr& e) override {
    if (!e.defined()) return;
    if (const auto* load = e.as<Load>(); load != nullptr && load->buffer->scope == Scope::kRegister) {
      uses_[load->buffer].is_other = true;
    }
    visit_children(e);
  }

  const std::map<Buffer, Use>& uses() const { return uses_; }

 private:
  /// Whether the store adds a term to elements that are the same whenever the statement runs.
  bool note_sum(const Store& store) {
    if (!is_sum_type(store.value.type()) || !term_of(store).defined()) return false;
    std::optional<std::vector<std::int64_t>> elements = elements_of(store);
    if (!elements || varies(store.mask)) return false;
    for (Sum& sum : uses_[store.buffer].sums) {
      if (sum.elements == *elements && same(sum.store.mask, store.mask)) {
        sum.terms += times_;
        return true;
      }
      // A partial sum of an element must be added once.
      if (std::ranges::find_first_of(sum.elements, *elements) != sum.elements.end()) return false;
    }
    uses_[store.buffer].sums.push_back({store, std::move(*elements), times_});
    return true;
  }

  bool varies(const Expr& mask) const {
    if (!mask.defined()) return false;
    return depends_on_data(mask) ||
           std::ranges::any_of(variables_of(mask), [&](const Var& var) { return inner_.contains(var); });
  }

  std::map<Buffer, Use> uses_;
  std::set<Var> inner_;     ///< the variables that are defined inside
  std::int64_t times_ = 1;  ///< how often what is visited runs when the statement does
};

class BufferReplacer final : public Mutator {
 public:
  explicit BufferReplacer(const std::map<Buffer, Buffer>& with) : with_(with) {}
  using Mutator::mutate;

  Expr mutate(const Expr& e) override {
    const Expr inside = mutate_children(e);
    const auto* load = inside.defined() ? inside.as<Load>() : nullptr;
    const auto found = load != nullptr ? with_.find(load->buffer) : with_.end();
    return found == with_.end() ? inside : make_load(found->second, load->indices, load->mask);
  }
  Stmt mutate(const Stmt& s) override {
    const Stmt inside = mutate_children(s);
    const auto* store = inside.defined() ? inside.as<Store>() : nullptr;
    const auto found = store != nullptr ? with_.find(store->buffer) : with_.end();
    if (found == with_.end()) return inside;
    Store replaced = *store;
    replaced.buffer = found->second;
    return make_store(std::move(replaced));
  }

 private:
  const std::map<Buffer, Buffer>& with_;
};

class Divider final : public Mutator {
 public:
  using Mutator::mutate;

  Expr mutate(const Expr& e) override { return e; }

  Stmt mutate(const Stmt& s) override {
    if (!s.defined()) return s;
    if (const auto* allocate = s.as<Allocate>()) note_filled_from_memory(*allocate);
    const auto* loop = s.as<For>();
    const std::int64_t* extent = loop != nullptr ? as_const_int(loop->extent) : nullptr;
    if (extent == nullptr || *extent <= 1 || loop->kind != LoopKind::kSerial) return mutate_children(s);
    UseFinder finder;
    finder.visit(loop->body);
    std::vector<Sum> long_sums;
    for (const auto& [buffer, use] : finder.uses()) {
      if (use.is_other) continue;
      const std::int64_t undivided = filled_from_memory_.contains(buffer) ? kUndividedPart : kUndivided;
      if (std::ranges::max(use.sums, {}, &Sum::terms).terms * *extent <= undivided) continue;
      long_sums.insert(long_sums.end(), use.sums.begin(), use.sums.end());
    }
    return long_sums.empty() ? mutate_children(s) : divided(*loop, *extent, long_sums);
  }

 private:
  void note_filled_from_memory(const Allocate& allocate) {
    if (allocate.buffer->scope != Scope::kRegister) return;
    const bool filled = any_stmt(allocate.body, [&](const Stmt& inside) {
      const auto* store = inside.as<Store>();
      return store != nullptr && store->buffer == allocate.buffer && reads_memory(store->value) &&
             !term_of(*store).defined();
    });
    if (filled) filled_from_memory_.insert(allocate.buffer);
  }

  /// The loop with its iterations in blocks, each with partial sums.
  Stmt divided(const For& loop, std::int64_t extent, const std::vector<Sum>& sums) {
    const std::int64_t terms = std::ranges::max(sums, {}, &Sum::terms).terms;  // of an iteration
    const std::int64_t most = std::max<std::int64_t>(kTerms / terms, 1);       // iterations of a block
    const std::int64_t blocks = (extent + most - 1) / most;
    const std::int64_t size = (extent + blocks - 1) / blocks;

    std::map<Buffer, Buffer> partial;
    std::vector<Stmt> stmts, additions;
    for (const Sum& sum : sums) {
      const Store& store = sum.store;
      const Buffer& whole = store.buffer;
      const auto part = partial
                            .try_emplace(whole, whole->name + ".partial", whole->element, whole->shape, whole->scope,
                                         whole->strides, whole->alignment)
                            .first->second;
      stmts.push_back(make_store(part, store.indices, make_const(0, store.value.type()), store.mask));
      additions.push_back(make_store(whole, store.indices,
                                     make_binary(BinaryOp::kAdd, make_load(whole, store.indices, store.mask),
                                                 make_load(part, store.indices, store.mask)),
                                     store.mask));
    }
    const Type type = loop.var.type();
    const Var block_var(loop.var.name() + ".block", type);
    const Expr first = Expr(block_var) * make_int(size, type);
    const Expr left = make_int(extent, type) - first;
    const Expr count = extent % size == 0 ? make_int(size, type) : min(make_int(size, type), left);
    stmts.push_back(mutate(
        make_for(loop.var, loop.min + first, count, LoopKind::kSerial, BufferReplacer(partial).mutate(loop.body))));
    stmts.insert(stmts.end(), additions.begin(), additions.end());
    Stmt body = block(std::move(stmts));
    for (const auto& [whole, part] : partial) body = make_allocate(part, std::move(body));
    // The partial sums may be many, too.
    return mutate(make_for(block_var, make_int(0, type), make_int(blocks, type), LoopKind::kSerial, std::move(body)));
  }

  std::set<Buffer> filled_from_memory_;
};

}  // namespace

Program blocked_sums(Program program, PassContext&) {
  return on_kernels(std::move(program), [](const Stmt& body) { return Divider().mutate(body); });
}

}  // namespace nestwright::passes
