// Selects warpgroup instructions (wgmma.mma_async), for sm_90 only: products of matrices in shared memory by a
// warpgroup, which is four warps along threadIdx.z. In the IR each warp computes 16 of the 64 rows:
//
//   for i in 0..16: for jo in 0..N/8: for ji in 0..8: for ko in 0..K/8: for ki in 0..8:
//     T[i, 8*jo + ji] += A[ko, 16*z + i, ki] * B[ko, 8*jo + ji, ki]          warpgroup_multiply
//   for i in 0..16: for j in 0..N: T[i, j] = 0                               warpgroup_fill
//
// Matrices consist of core matrices of 8 rows of 16 bytes, 128 contiguous bytes, at constant distances, one along and
// one across the reduction. Rows run along it, as above, or, where elements have 2 bytes, across: A[mo, k, mi]. N is a
// multiple of 16 up to 256, K any number of steps of 32 bytes. (PTX ISA, "Matrices in shared memory" of
// wgmma.mma_async, without swizzling.)
//
// Contiguous rows of 128 bytes, A[ko, i, ki] with ki below 64 for elements of 2 bytes, or A[mo, k, mi], are swizzled
// (ir/gpu/swizzle.h): a product is then three times as fast (H100, bfloat16 4096 x 4096 x 4096: 534 instead of 172
// TFLOP/s). K has at most the 128 bytes of a row, if rows run along it. Unrolled loops around a nest are not part of
// it.
//
// A product is asynchronous. It is awaited (warpgroup_await) before the next barrier or access to a fragment, or at the
// end of its loop body or branch. Until then no thread stores to its operands, because a barrier separates stores of
// one thread to shared memory from reads of another.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/core/one_of.h"
#include "ir/gpu/divergence.h"
#include "ir/gpu/fragment_layout.h"
#include "ir/gpu/swizzle.h"
#include "ir/simplify/simplify.h"
#include "ir/simplify/vector_access.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "lower/passes.h"
#include "nestwright/error.h"
#include "target/description/gpu_target.h"

namespace nestwright::passes {
namespace {

using namespace ir;
using Loops = std::vector<const For*>;

constexpr std::int64_t kWarpRows = 16, kWarps = 4, kMaxColumns = 256;
constexpr std::int64_t kStepBytes = 32;  ///< along the reduction, of one instruction
constexpr std::int64_t kCoreRows = 8, kRowBytes = 16;
constexpr std::int64_t kCores = kSwizzledRowBytes / kRowBytes;  ///< next to each other in a row that is swizzled
constexpr std::int64_t kMaxDistance = 1 << 18;                  ///< bytes that a descriptor can encode

[[noreturn]] void refuse(const Buffer& buffer, const std::string& why) {
  throw LowerError(fmt::format("buffer {} is multiplied by a warpgroup, but {}", buffer->name, why));
}

/// The distances along one dimension of a matrix: between neighbours in a core, between one core and the next, and
/// between one group of kCores cores and the next.
struct Distances {
  std::int64_t inside = 0, cores = 0, rows = 0;
};

std::int64_t extent_of(const For& loop) {
  const std::int64_t* extent = as_const_int(loop.extent);
  return extent != nullptr && is_const_int(loop.min, 0) ? *extent : 0;
}

/// The number of iterations of all loops together; 0 if not constant.
std::int64_t count_of(const Loops& loops) {
  std::int64_t count = 1;
  for (const For* loop : loops) count *= extent_of(*loop);
  return count;
}

/// The distances of the address `sum` along one dimension, which has a single loop, or a loop over cores of `core`
/// elements and one inside a core, or also a loop around these over groups of kCores cores.
Distances distances(const Linear& sum, const Loops& loops, std::int64_t core, const Buffer& of) {
  const auto distance = [&](std::size_t loop) { return sum.coefficient(loops[loop]->var); };
  const std::size_t count = loops.size();
  if (count == 1) return {distance(0), core * distance(0), kCores * core * distance(0)};
  const bool has_cores = count >= 2 && extent_of(*loops[count - 1]) == core;
  if (has_cores && count == 2) return {distance(1), distance(0), kCores * distance(0)};
  if (has_cores && count == 3 && extent_of(*loops[1]) == kCores) return {distance(2), distance(1), distance(0)};
  refuse(of, fmt::format("a dimension of it has other loops than one over cores and one inside them: split it by {}",
                         core));
}

bool moves(const Linear& sum, const Loops& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](const For* loop) { return sum.coefficient(loop->var) != 0; });
}

/// The sum without the loops' terms. Throws LowerError if it depends on a loop otherwise than by a constant
/// coefficient.
Linear without(Linear sum, const Loops& loops, const Buffer& of) {
  for (const For* loop : loops) {
    if (sum.is_nonlinear_in(loop->var))
      refuse(of, fmt::format("it is not read at constant distances along {}", loop->var.name()));
    sum.add_term(loop->var, -sum.coefficient(loop->var));
  }
  return sum;
}

/// The loops by dimension: rows and columns of the sums, and the reduction.
struct Dimensions {
  Loops rows, columns, steps;

  Dimensions(const Loops& loops, const Store& store) {
    const Buffer& sums = store.buffer;
    const std::size_t rank = store.indices.size();
    if (rank < 2) refuse(sums, "it is no matrix");
    const Linear row = to_linear(store.indices[rank - 2]), column = to_linear(store.indices[rank - 1]);
    for (const For* loop : loops) {
      const bool is_row = row.coefficient(loop->var) != 0, is_column = column.coefficient(loop->var) != 0;
      (is_row ? rows : is_column ? columns : steps).push_back(loop);
    }
    // The loops cover the whole fragment, whose registers have the instruction's order.
    const auto has_all = [&](const Linear& index, const Loops& of) {
      const Distances found = distances(index, of, kCoreRows, sums);
      const Linear rest = without(index, of, sums);
      return found.inside == 1 && found.cores == kCoreRows && found.rows == kCores * kCoreRows && rest.is_constant() &&
             rest.constant == 0;
    };
    const bool is_whole = count_of(rows) == kWarpRows && sums->elements() == kWarpRows * count_of(columns) &&
                          has_all(row, rows) && has_all(column, columns);
    if (!is_whole || count_of(columns) % 16 != 0 || count_of(columns) > kMaxColumns) {
      refuse(sums,
             "a warp adds to another part of it than 16 rows by a multiple of 16 columns up to 256, and all of them: "
             "split its rows by 64, then by 16");
    }
  }
};

/// The index of the warp, threadIdx.z; undefined if there is none, or if its extent is not constant.
struct WarpIndex {
  Var var;
  std::int64_t count = 1;
  Substitution made_of;  ///< variables that depend on it, and their values in terms of it
};

WarpIndex warp_index_of(const Stmt& kernel) {
  WarpIndex warps;
  for_each_stmt(kernel, [&](const Stmt& s) {
    if (const auto* let = s.as<Let>(); let != nullptr && warps.var.defined() && let->var.type() == kIndex) {
      const Expr value = substitute(let->value, warps.made_of);
      if (mentions(value, warps.var)) warps.made_of.emplace(let->var, value);
    }
    const auto* loop = s.as<For>();
    if (loop == nullptr || loop->kind != LoopKind::kThreadZ) return;
    if (const std::int64_t* count = as_const_int(loop->extent); count != nullptr) warps = {loop->var, *count, {}};
  });
  return warps;
}

/// The fragments that accumulate products of matrices in shared memory.
std::set<Buffer> sums_of(const Stmt& kernel) {
  std::set<Buffer> sums;
  for_each_stmt(kernel, [&](const Stmt& s) {
    const auto* loop = s.as<For>();
    if (loop == nullptr) return;
    const FragmentNest nest(*loop);
    if (nest.store == nullptr) return;
    const FragmentProduct product = as_fragment_product(nest.store->value);
    if (product.is_product() && product.is_of_shared()) sums.insert(nest.store->buffer);
  });
  return sums;
}

/// A matrix in shared memory as the operand of an instruction.
struct SharedMatrix {
  Expr at;                     ///< the first element of the group's matrix
  std::int64_t along, across;  ///< bytes from a core to the next one
  bool rows_across;            ///< rows run across the reduction
  bool is_swizzled;
};

/// The address `at` for the first warp of the group. Throws LowerError unless `at` increases by `of_warp` elements from
/// warp to warp.
Expr at_group(const Linear& at, const WarpIndex& warps, std::int64_t of_warp, const Buffer& of) {
  const Var group("group"), warp("warp");
  Ranges known;
  known.bind(group, {0, warps.count / kWarps - 1});
  known.bind(warp, {0, kWarps - 1});
  const Expr number = group * Expr(kWarps) + warp;
  const Expr split = simplify(substitute(substitute(at.expr(), warps.made_of), {{warps.var, number}}), known);
  Linear rest = to_linear(split);
  rest.add_term(warp, -of_warp);
  if (rest.coefficient(warp) != 0 || rest.is_nonlinear_in(warp)) {
    refuse(of,
           "its rows are not those of four warps, one behind the other: bind the inner part of a split by 4 of "
           "rows by 16 to threadIdx.z, innermost of what is fused there");
  }
  return substitute(rest.expr(), {{group, Expr(warps.var) / Expr(kWarps)}});
}

SharedMatrix shared_matrix(const Load& load, const Loops& across, const Loops& steps, const WarpIndex& warps,
                           bool is_a) {
  const Buffer& buffer = load.buffer;
  if (load.mask.defined()) refuse(buffer, "it is not read as it lies in shared memory: compute it before");
  const std::int64_t bytes = buffer->element.bytes(), row = kRowBytes / bytes;
  const Linear offset = to_linear(element_offset(buffer, load.indices));
  Loops loops = across;
  loops.insert(loops.end(), steps.begin(), steps.end());
  const Linear first = without(offset, loops, buffer);
  Distances x = distances(offset, across, kCoreRows, buffer), k = distances(offset, steps, row, buffer);
  const bool rows_across = x.inside == 1;
  const auto has_cores_of = [&](std::int64_t length) {
    return rows_across ? bytes == 2 && k.inside == length : k.inside == 1 && x.inside == length;
  };
  const auto fits = [&](std::int64_t distance) {
    return distance > 0 && distance % row == 0 && distance * bytes < kMaxDistance;
  };
  const auto is_even = [](const Distances& d) { return d.rows == kCores * d.cores; };
  // Swizzled rows have 128 bytes and follow each other without gaps.
  const std::int64_t long_row = kCores * row;
  const Distances &in_row = rows_across ? x : k, &of_rows = rows_across ? k : x;
  const bool ends_with_row = count_of(rows_across ? across : steps) <= (is_a && rows_across ? kWarpRows : long_row);
  const bool is_swizzled =
      has_cores_of(long_row) && in_row.cores == row && of_rows.cores == kCoreRows * long_row && is_even(of_rows) &&
      (ends_with_row || (rows_across && in_row.rows % (kCoreRows * long_row) == 0 && fits(in_row.rows)));
  if (!is_swizzled && (!has_cores_of(row) || !is_even(x) || !is_even(k) || !fits(x.cores) || !fits(k.cores))) {
    refuse(buffer, fmt::format("it is not made up of 8 rows of 16 bytes in one piece: store its element [i, k] at "
                               "[k / {0}, i, k % {0}]{1}, or by 128 bytes at [k / {2}, i, k % {2}]{3}",
                               row, bytes == 2 ? " or [i / 8, k, i % 8]" : "", long_row,
                               bytes == 2 ? " or [i / 64, k, i % 64]" : ""));
  }
  const Expr at = at_group(first, warps, is_a ? 2 * x.cores : 0, buffer);
  const Linear begin = to_linear(at);
  if (!is_multiple(begin, is_swizzled ? kCoreRows * long_row : row)) {
    refuse(buffer,
           fmt::format("it does not begin at multiples of {} bytes", is_swizzled ? kSwizzleAlignment : kRowBytes));
  }
  const std::int64_t across_rows = ends_with_row ? kSwizzleAlignment : in_row.rows * bytes;
  return {at, k.cores * bytes, is_swizzled && rows_across ? across_rows : x.cores * bytes, rows_across, is_swizzled};
}

/// Throws LowerError for products in control flow that is not uniform over the warpgroup.
class UniformityCheck final : public Visitor {
 public:
  explicit UniformityCheck(const std::set<Buffer>& sums) : sums_(sums) {}

  using Visitor::visit;

  void visit(const Stmt& s) override {
    if (!s.defined()) return;
    if (const auto* loop = s.as<For>()) return group_.within(*loop, [&] { visit(loop->body); });
    if (const auto* choice = s.as<IfThenElse>()) {
      return group_.within(*choice, [&] {
        visit(choice->then_case);
        visit(choice->else_case);
      });
    }
    if (const auto* let = s.as<Let>()) group_.define(*let);
    if (const auto* store = s.as<Store>();
        store != nullptr && is_product(*store) && !group_.innermost_divergence().empty()) {
      refuse(store->buffer, fmt::format("{} around it may differ between the group's threads: compute whole tiles, and "
                                        "test threadIdx where they are stored",
                                        group_.innermost_divergence()));
    }
    visit_children(s);
  }

 private:
  /// Whether the store to the sums is anything but a fill.
  bool is_product(const Store& store) const {
    return sums_.contains(store.buffer) && store.value.as<Binary>() != nullptr;
  }

  const std::set<Buffer>& sums_;
  DivergenceAnalysis group_{kWarps * kWarp};
};

TensorInstruction product_of(const Loops& loops, const Store& store, const Load& first, const Load& second,
                             const WarpIndex& warps) {
  if (!warps.var.defined() || warps.count % kWarps != 0) {
    refuse(store.buffer, "no loop over a multiple of 4 warps is bound to threadIdx.z");
  }
  const Dimensions of(loops, store);
  const bool first_is_a = moves(to_linear(element_offset(first.buffer, first.indices)), of.rows);
  const Load &a = first_is_a ? first : second, &b = first_is_a ? second : first;
  const std::int64_t bytes = a.buffer->element.bytes(), steps = count_of(of.steps);
  if (steps == 0 || steps * bytes % kStepBytes != 0) {
    refuse(a.buffer,
           fmt::format("the reduction goes on in other steps than multiples of {}: split it so", kStepBytes / bytes));
  }
  const auto stays = [&](const Load& load, const Loops& where) {
    if (moves(to_linear(element_offset(load.buffer, load.indices)), where)) {
      refuse(load.buffer, "both rows and columns of the sums move along it");
    }
  };
  stays(a, of.columns);
  stays(b, of.rows);
  const SharedMatrix left = shared_matrix(a, of.rows, of.steps, warps, true),
                     right = shared_matrix(b, of.columns, of.steps, warps, false);
  const std::int64_t columns = count_of(of.columns);
  const auto number = [](std::int64_t value) { return Operand{{}, Expr(value)}; };
  return {.op = TensorOp::kWarpgroupMultiply,
          .operands = {{store.buffer, Expr(0)},
                       {store.buffer, Expr(columns / 4)},
                       {a.buffer, left.at},
                       number(left.along),
                       number(left.across),
                       {b.buffer, right.at},
                       number(right.along),
                       number(right.across),
                       number(steps * bytes / kStepBytes)},
          .type = a.buffer->element,
          .columns = columns,
          .transposes_a = left.rows_across,
          .transposes_b = right.rows_across,
          .swizzles_a = left.is_swizzled,
          .swizzles_b = right.is_swizzled};
}

TensorInstruction fill_of(const Loops& loops, const Store& store) {
  const Buffer& sums = store.buffer;
  const bool is_constant = store.value.as<FloatImm>() != nullptr || store.value.as<IntImm>() != nullptr;
  if (!is_constant || store.mask.defined()) {
    refuse(sums, "something else than a constant is stored to it: compute that where the sums are read");
  }
  const Dimensions of(loops, store);
  if (!of.steps.empty()) refuse(sums, "it is filled again and again: take the loops apart that it does not move with");
  return {.op = TensorOp::kWarpgroupFill,
          .operands = {{sums, Expr(0)}, {{}, Expr(sums->elements() / kWarp)}, {{}, store.value}},
          .type = sums->element};
}

class Selector final : public Mutator {
 public:
  explicit Selector(const Stmt& kernel) : sums_(sums_of(kernel)), warps_(warp_index_of(kernel)) {
    if (!sums_.empty()) UniformityCheck(sums_).visit(kernel);
  }
  using Mutator::mutate;

  Stmt mutate(const Stmt& s) override {
    const auto* loop = s.defined() ? s.as<For>() : nullptr;
    const bool begins_nest = loop != nullptr && loop->kind != LoopKind::kUnrolled;
    auto instruction = begins_nest ? instruction_of(*loop) : std::nullopt;
    if (!instruction) return mutate_children(s);
    instruction->body = s;
    return make_tensor_instruction(std::move(*instruction));
  }

 private:
  /// The instruction of a nest; absent for an ordinary loop, and for a nest of mma_products.
  std::optional<TensorInstruction> instruction_of(const For& loop) const {
    const FragmentNest nest(loop);
    if (nest.store == nullptr) return std::nullopt;
    const Store& store = *nest.store;
    const FragmentProduct product = as_fragment_product(store.value);
    if (!product.is_product() || !product.is_of_shared()) {
      return sums_.contains(store.buffer) ? std::optional(fill_of(nest.loops, store)) : std::nullopt;
    }
    const bool adds =
        product.sum != nullptr && !store.mask.defined() &&
        equal(make_load(product.sum->buffer, product.sum->indices), make_load(store.buffer, store.indices));
    // Rounding to tf32 is tracked for fragments only.
    if (!adds || product.a->buffer->element == kFloat32 ||
        !can_multiply(product.a->buffer->element, product.b->buffer->element, store.buffer->element)) {
      refuse_fragment(store.buffer, kNoFragmentProduct);
    }
    return product_of(nest.loops, store, *product.a, *product.b, warps_);
  }

  std::set<Buffer> sums_;
  WarpIndex warps_;
};

/// Whether a product has to be awaited in front of `s`.
bool needs_products(const Stmt& s) {
  const auto waits_or_stores = [](const Stmt& inner) {
    const auto* store = inner.as<Store>();
    return inner.as<Barrier>() != nullptr || (store != nullptr && store->buffer->scope == Scope::kFragment);
  };
  const auto loads = [](const Expr& e) {
    const auto* load = e.as<Load>();
    return load != nullptr && load->buffer->scope == Scope::kFragment;
  };
  return any_stmt(s, waits_or_stores) || any_expr(s, loads);
}

/// Inserts the awaits.
class AwaitPlacer {
 public:
  /// `s` with an await for every product that it begins.
  Stmt place_all(const Stmt& s) {
    std::optional<TensorInstruction> outside = std::exchange(begun_, std::nullopt);
    Stmt placed = place(s);
    if (begun_) placed = block({placed, await()});
    begun_ = std::move(outside);
    return placed;
  }

 private:
  /// Sets begun_ to the last product that `s` begins, if it is not awaited in `s`.
  Stmt place(const Stmt& s) {
    if (!s.defined()) return s;
    return std::visit(
        overloaded{[&](const For& n) { return make_for(n.var, n.min, n.extent, n.kind, place_all(n.body)); },
                   [&](const Block& n) { return place_block(n); },
                   [&](const Let& n) { return make_let(n.var, n.value, place(n.body)); },
                   [&](const IfThenElse& n) {
                     Stmt then_case = place_all(n.then_case);
                     return make_if(n.condition, std::move(then_case), place_all(n.else_case));
                   },
                   [&](const Allocate& n) {
                     const bool is_fragment = n.buffer->scope == Scope::kFragment;
                     return with_body(n, n.buffer, is_fragment ? place_all(n.body) : place(n.body));
                   },
                   [&](const TensorInstruction& n) {
                     if (n.op == TensorOp::kWarpgroupMultiply) begun_ = n;
                     return s;
                   },
                   [&](const OneOf<Store, Prefetch, CommitCopies, Barrier, Launch> auto&) { return s; }},
        s.node().value);
  }

  Stmt place_block(const Block& block_of) {
    std::vector<Stmt> stmts;
    for (const Stmt& child : block_of.stmts) {
      if (begun_ && needs_products(child)) stmts.push_back(await());
      stmts.push_back(place(child));
    }
    return block(std::move(stmts));
  }

  Stmt await() {
    TensorInstruction product = *std::exchange(begun_, std::nullopt);
    product.operands.resize(2);  // the sums
    return make_tensor_instruction({.op = TensorOp::kWarpgroupAwait,
                                    .operands = std::move(product.operands),
                                    .type = product.type,
                                    .columns = product.columns});
  }

  std::optional<TensorInstruction> begun_;  ///< of kWarpgroupMultiply, not awaited yet
};

}  // namespace

Program wgmma_products(Program program, PassContext& context) {
  return on_kernels(std::move(program), [&](const Stmt& body) {
    if (!has_fragments(body)) return body;
    const Stmt selected = Selector(body).mutate(body);
    if (!multiplies_by_warpgroups(selected)) return selected;
    if (!has_warpgroup_products(context.target)) {
      throw LowerError(
          "matrices in shared memory are multiplied by warpgroups, which only sm_90 has: cache_read them in fragment "
          "scope");
    }
    return AwaitPlacer().place_all(selected);
  });
}

}  // namespace nestwright::passes
