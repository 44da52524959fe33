// Replaces shared memory through which the threads of a warp exchange elements by shuffles from register to register,
// which need no barriers.
//
//   shared s: float32[64]                     threadIdx.x x in 0..64:
//   threadIdx.x x in 0..64:                     local s: float32[1]
//     s[x] = ...                                s[0] = ...
//     barrier                          ->       local s.of_16: float32[1]
//     t[x] = s[x] + s[x ^ 16]                   s.of_16[0] = shuffle_xor(s[0], 16)
//                                               t[x] = s[0] + s.of_16[0]
//
// (x ^ 16 stands for any expression of that value, such as x / 32 * 32 + (x + 16) % 32.) A shared buffer qualifies if
// each thread stores one element of its own, always the same, which only it and threads whose threadIdx.x differs in
// one bit below 32 read, and if these statements execute in warp-uniform control flow. Barriers are then placed anew.
// After TVM's warp memory (tir/transforms/lower_warp_memory.cc), which needs a scope of its own; the exchange is that
// of the CUDA C++ Programming Guide, "Warp Shuffle Functions".
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/analysis/evaluate.h"
#include "ir/core/one_of.h"
#include "ir/gpu/divergence.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "nestwright/expr_nodes.h"
#include "target/description/gpu_target.h"

namespace nestwright::passes {
namespace {

using namespace ir;

/// An access to a shared buffer. A buffer that is accessed in divergent control flow is refused.
struct Access {
  std::vector<Expr> indices;
  bool stores = false;
};

struct Exchanged {
  Buffer shared;
  std::size_t along_x;  ///< the dimension indexed by threadIdx.x
  Buffer own;           ///< the register of the thread's own element
};

Buffer register_of(const Buffer& shared, const std::string& name) {
  return {name, shared->element, {Expr(1)}, Scope::kLocal};
}

/// Whether `s` contains a loop over threads.
bool has_thread_loop(const Stmt& s) {
  return any_stmt(s, [](const Stmt& inner) {
    const auto* loop = inner.as<For>();
    return loop != nullptr && is_thread_index(loop->kind);
  });
}

/// The owner of an element along threadIdx.x is the thread itself, or else the thread whose index differs in a given
/// bit.
constexpr int kOwn = 0;

/// The accesses of a kernel's threads to its shared buffers.
class Survey {
 public:
  explicit Survey(const Stmt& kernel) { visit(kernel); }

  /// The buffers that qualify, in the order of the allocations.
  std::vector<Exchanged> exchanged() const {
    std::vector<Exchanged> result;
    if (!is_regular_) return result;
    for (const Buffer& buffer : allocated_) {
      const auto accesses = accesses_.find(buffer);
      if (accesses == accesses_.end() || refused_.count(buffer) > 0) continue;
      const std::optional<std::size_t> dimension = dimension_along_x(accesses->second);
      if (dimension) result.push_back({buffer, *dimension, register_of(buffer, buffer->name)});
    }
    return result;
  }

  /// The owner of the element at `index`, kOwn or a bit; absent if no single answer holds for all threads.
  std::optional<int> owner_of(const Expr& index) const {
    const std::int64_t threads = extent(0);
    const std::array<Var, 1> var{threads_[0]->var};
    const auto at = [&](std::int64_t x) { return evaluate(index, var, std::array{x}); };
    const std::int64_t bit = at(0);
    if (bit != kOwn && bit != 1 && bit != 2 && bit != 4 && bit != 8 && bit != 16) return std::nullopt;
    if (threads % (2 * std::max<std::int64_t>(bit, 1)) != 0) return std::nullopt;
    for (std::int64_t x = 0; x < threads; ++x) {
      if (at(x) != (x ^ bit)) return std::nullopt;
    }
    return static_cast<int>(bit);
  }

 private:
  std::int64_t extent(std::size_t d) const { return threads_[d] ? *as_const_int(threads_[d]->extent) : 1; }

  // --- Collecting accesses ------------------------------------------------------------------------------------------

  void visit(const Stmt& s) {
    if (!s.defined()) return;
    std::visit([&](const auto& n) { visit(n); }, s.node().value);
  }
  void visit(const For& loop) {
    refuse_loads(loop.min);
    refuse_loads(loop.extent);
    const bool is_vector = loop.kind == LoopKind::kVectorized;
    if (loop.kind == LoopKind::kVirtualThread) is_regular_ = false;
    if (is_device_thread(loop.kind)) enter(loop);
    vectors_ += is_vector ? 1 : 0;
    warp_.within(loop, [&] { visit(loop.body); });
    vectors_ -= is_vector ? 1 : 0;
    if (is_thread_index(loop.kind)) innermost_ = false;
  }
  void enter(const For& loop) {
    const std::size_t d = dimension_of(loop.kind);
    const bool is_plain = is_const_int(loop.min, 0) && as_const_int(loop.extent) != nullptr;
    is_regular_ = is_regular_ && is_plain && threads_[d] == nullptr;
    threads_[d] = &loop;
    innermost_ = !has_thread_loop(loop.body);
    if (!innermost_ || !is_regular_ || threads_[0] == nullptr) return;
    is_regular_ = extent(0) * extent(1) * extent(2) % kWarp == 0;
  }
  void visit(const Block& b) {
    for (const Stmt& s : b.stmts) visit(s);
  }
  void visit(const Let& let) {
    refuse_loads(let.value);
    warp_.define(let);
    visit(let.body);
  }
  void visit(const IfThenElse& choice) {
    refuse_loads(choice.condition);
    warp_.within(choice, [&] {
      visit(choice.then_case);
      visit(choice.else_case);
    });
  }
  void visit(const Store& store) {
    note(store.buffer, store.indices, true);
    if (store.mask.defined()) refuse_masked(store.buffer, store.mask);
    for (const Expr& index : store.indices) refuse_loads(index);
    for_each_expr(store.value, [&](const Expr& e) {
      const auto* load = e.as<Load>();
      if (load == nullptr) return;
      note(load->buffer, load->indices, false);
      if (load->mask.defined()) refuse_masked(load->buffer, load->mask);
      for (const Expr& index : load->indices) refuse_loads(index);
    });
  }
  void visit(const Allocate& allocate) {
    // A shuffle moves words of 4 bytes.
    if (allocate.buffer->element.bytes() < 4) refuse(allocate.buffer);
    allocated_.push_back(allocate.buffer);
    visit(allocate.body);
  }
  void visit(const Prefetch& prefetch) { refuse(prefetch.buffer); }
  void visit(const CommitCopies&) {}
  void visit(const Barrier&) {}
  void visit(const OneOf<Launch, TensorInstruction> auto&) {}

  void note(const Buffer& buffer, const std::vector<Expr>& indices, bool stores) {
    if (buffer->scope != Scope::kShared) return;
    const bool is_apart = vectors_ > 0 || !warp_.innermost_divergence().empty();
    if (is_apart || !innermost_ || threads_[0] == nullptr) refuse(buffer);
    accesses_[buffer].push_back({indices, stores});
  }
  void refuse(const Buffer& buffer) { refused_.insert(buffer); }
  void refuse_masked(const Buffer& buffer, const Expr& mask) {
    refuse(buffer);
    refuse_loads(mask);
  }
  void refuse_loads(const Expr& e) {
    for_each_expr(e, [&](const Expr& part) {
      if (const auto* load = part.as<Load>()) refuse(load->buffer);
    });
  }

  // --- Evaluating them ----------------------------------------------------------------------------------------------

  std::optional<std::size_t> dimension_along_x(const std::vector<Access>& accesses) const {
    const std::vector<Expr>& first = accesses.front().indices;
    std::optional<std::size_t> along_x;
    for (std::size_t d = 0; d < first.size(); ++d) {
      if (!mentions(first[d], threads_[0]->var)) continue;
      if (along_x) return std::nullopt;
      along_x = d;
    }
    if (!along_x || !is_threads_own(first, *along_x)) return std::nullopt;
    bool is_exchanged = false;
    for (const Access& access : accesses) {
      for (std::size_t d = 0; d < first.size(); ++d) {
        if (d != *along_x && !equal(access.indices[d], first[d])) return std::nullopt;
      }
      if (!is_of_x_alone(access.indices[*along_x])) return std::nullopt;
      const std::optional<int> thread = owner_of(access.indices[*along_x]);
      if (!thread || (access.stores && *thread != kOwn)) return std::nullopt;
      is_exchanged = is_exchanged || *thread != kOwn;
    }
    return is_exchanged ? along_x : std::nullopt;
  }

  /// Whether the indices other than that along x are invariant in each thread, and distinguish threads that differ in
  /// threadIdx.y or z.
  bool is_threads_own(const std::vector<Expr>& indices, std::size_t along_x) const {
    for (const std::size_t other : {1, 2}) {
      if (extent(other) == 1) continue;
      const bool is_distinguished = std::any_of(indices.begin(), indices.end(), [&](const Expr& index) {
        const auto* ref = index.as<VarRef>();
        return ref != nullptr && ref->var == threads_[other]->var;
      });
      if (!is_distinguished) return false;
    }
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (d == along_x) continue;
      const auto* ref = indices[d].as<VarRef>();
      const bool is_thread = ref != nullptr && std::any_of(threads_.begin(), threads_.end(), [&](const For* loop) {
                               return loop != nullptr && loop->var == ref->var;
                             });
      if (!is_thread && as_const_int(indices[d]) == nullptr) return false;
    }
    return true;
  }

  bool is_of_x_alone(const Expr& index) const {
    return !any_expr(index, [&](const Expr& part) {
      const auto* ref = part.as<VarRef>();
      return part.as<Load>() != nullptr || (ref != nullptr && ref->var != threads_[0]->var);
    });
  }

  std::vector<Buffer> allocated_;
  std::map<Buffer, std::vector<Access>> accesses_;
  std::set<Buffer> refused_;
  std::array<const For*, 3> threads_{};  ///< the loops bound to threadIdx.x, y and z
  DivergenceAnalysis warp_;
  int vectors_ = 0;         ///< number of enclosing vectorized loops
  bool innermost_ = false;  ///< inside all loops over threads
  bool is_regular_ = true;
};

/// Replaces the exchanged buffers by registers and shuffles.
class Exchanger final : public Mutator {
 public:
  Exchanger(const Survey& survey, const std::vector<Exchanged>& exchanged) : survey_(survey), exchanged_(exchanged) {}

  Stmt mutate(const Stmt& s) override {
    if (!s.defined()) return s;
    if (s.as<Barrier>()) return {};
    if (const auto* allocate = s.as<Allocate>(); allocate != nullptr && find(allocate->buffer) != nullptr) {
      return mutate(allocate->body);
    }
    if (const auto* store = s.as<Store>()) return exchange(*store);
    const auto* loop = s.as<For>();
    if (loop == nullptr || !is_thread_index(loop->kind)) return mutate_children(s);
    if (has_thread_loop(loop->body)) return mutate_children(s);
    Stmt body = mutate(loop->body);
    for (const Exchanged& e : exchanged_) body = make_allocate(e.own, std::move(body));
    return make_for(loop->var, loop->min, loop->extent, loop->kind, std::move(body));
  }

  Expr mutate(const Expr& e) override {
    const auto* load = e.defined() ? e.as<Load>() : nullptr;
    const Exchanged* const exchanged = load != nullptr ? find(load->buffer) : nullptr;
    if (exchanged == nullptr) return mutate_children(e);
    const int bit = survey_.owner_of(load->indices[exchanged->along_x]).value();
    return make_load(bit == kOwn ? exchanged->own : received_from(*exchanged, bit), {0});
  }

 private:
  /// The element of the thread whose index differs in `bit`, received for the current statement.
  struct Received {
    const Exchanged* exchanged;
    int bit;
    Buffer value;
  };

  const Exchanged* find(const Buffer& shared) const {
    const auto found = std::find_if(exchanged_.begin(), exchanged_.end(),
                                    [&](const Exchanged& candidate) { return candidate.shared == shared; });
    return found == exchanged_.end() ? nullptr : &*found;
  }

  const Buffer& received_from(const Exchanged& exchanged, int bit) {
    const auto known = std::find_if(received_.begin(), received_.end(),
                                    [&](const Received& r) { return r.exchanged == &exchanged && r.bit == bit; });
    if (known != received_.end()) return known->value;
    const Buffer& from = exchanged.shared;
    received_.push_back({&exchanged, bit, register_of(from, from->name + ".of_" + std::to_string(bit))});
    return received_.back().value;
  }

  Stmt exchange(const Store& store) {
    received_.clear();
    Store exchanged = store;
    exchanged.value = mutate(store.value);
    const Exchanged* const own = find(store.buffer);
    Stmt result = own != nullptr ? make_store(own->own, {0}, exchanged.value) : make_store(exchanged);
    for (const Received& r : received_) {
      const Stmt receive = make_store(r.value, {0}, shuffle_xor(make_load(r.exchanged->own, {0}), r.bit));
      result = make_allocate(r.value, block({receive, std::move(result)}));
    }
    return result;
  }

  const Survey& survey_;
  const std::vector<Exchanged>& exchanged_;
  std::vector<Received> received_;
};

}  // namespace

Program warp_shuffles(Program program, PassContext& context) {
  if (!has_shuffles(context.target)) return program;
  return on_kernels(std::move(program), [](const Stmt& body) {
    const Survey survey(body);
    const std::vector<Exchanged> exchanged = survey.exchanged();
    return exchanged.empty() ? body : place_barriers(Exchanger(survey, exchanged).mutate(body));
  });
}

}  // namespace nestwright::passes
